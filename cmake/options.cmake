# Choices of the build, and the flags every target of ours takes.
option(RUNNEL_TESTS "Build the tests (needs cmocka)" OFF)
option(RUNNEL_FUZZ "Build the libFuzzer targets (needs clang)" OFF)
option(RUNNEL_WERROR "Treat warnings as errors" OFF)
set(RUNNEL_PEERS OFF CACHE STRING "Peers of the benchmarks to build where their libraries are there: ON (all), OFF, or their names")
set(RUNNEL_SANITIZE "" CACHE STRING "Sanitizers for everything, e.g. address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_package(Threads REQUIRED)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(RUNNEL_X86 ON)
endif()

add_library(runnel_flags INTERFACE)
target_compile_features(runnel_flags INTERFACE c_std_17)
target_compile_definitions(runnel_flags INTERFACE _GNU_SOURCE $<$<BOOL:${RUNNEL_X86}>:RNI_X86=1>)
# One distance predicate for every method and instruction set: no fused multiply-add may change a verdict.
target_compile_options(runnel_flags INTERFACE
    -ffp-contract=off -fno-math-errno -fvisibility=hidden
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes -Wmissing-prototypes
    -Wpointer-arith -Wcast-qual -Wwrite-strings -Wvla -Wundef -Wdouble-promotion -Wformat=2
    $<$<BOOL:${RUNNEL_WERROR}>:-Werror>)
target_include_directories(runnel_flags INTERFACE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/generated ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(runnel_flags INTERFACE Threads::Threads m)

if(RUNNEL_SANITIZE)
    add_compile_options(-fsanitize=${RUNNEL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${RUNNEL_SANITIZE})
endif()
