# What `cmake --install` leaves behind: the libraries, headers, the command, and the two ways to find them
# (find_package and pkg-config). Nothing installed knows the prefix: the whole tree may be moved afterwards.
include(CMakePackageConfigHelpers)

set(RUNNEL_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/runnel)

# The same names inside a super-build (add_subdirectory) as after find_package.
add_library(runnel::runnel ALIAS runnel)
add_library(runnel::runnel_static ALIAS runnel_static)

# --- libraries and headers ---------------------------------------------------------------------------------------
install(TARGETS runnel runnel_static EXPORT runnelTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/runnel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/generated/runnel/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/runnel)

install(TARGETS runnel_scene_library runnel_scene_library_static EXPORT runnelSceneTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

# --- find_package(runnel) ----------------------------------------------------------------------------------------
install(EXPORT runnelTargets NAMESPACE runnel:: DESTINATION ${RUNNEL_CMAKE_DIR})
install(EXPORT runnelSceneTargets NAMESPACE runnel:: DESTINATION ${RUNNEL_CMAKE_DIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/runnelConfig.cmake.in
    ${PROJECT_BINARY_DIR}/generated/runnelConfig.cmake INSTALL_DESTINATION ${RUNNEL_CMAKE_DIR}
    NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the API.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/runnelConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/runnelConfig.cmake
              ${PROJECT_BINARY_DIR}/generated/runnelConfigVersion.cmake DESTINATION ${RUNNEL_CMAKE_DIR})

# --- pkg-config --------------------------------------------------------------------------------------------------
file(RELATIVE_PATH RUNNEL_PC_PREFIX
     ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" RUNNEL_PC_PREFIX "${RUNNEL_PC_PREFIX}")
foreach(dir LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
        set(RUNNEL_PC_${dir} "${CMAKE_INSTALL_${dir}}")
    else()
        set(RUNNEL_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
    endif()
endforeach()
foreach(package runnel runnel-scene)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in
                   ${PROJECT_BINARY_DIR}/generated/${package}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/generated/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# --- the command and its shell completions -----------------------------------------------------------------------
if(TARGET runnel_command)
    install(TARGETS runnel_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    # The command has the page in itself; these are for other programs that show theirs (docs/viewer-protocol.md).
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/view/web DESTINATION ${CMAKE_INSTALL_DATADIR}/runnel)
    if(NOT CMAKE_CROSSCOMPILING)
        # The command writes them itself; a shell it does not know is left out.
        install(CODE "
            set(command \"$<TARGET_FILE:runnel_command>\")
            set(scratch \"${PROJECT_BINARY_DIR}/generated/completions\")
            set(data \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
            function(install_completion shell folder name)
                execute_process(COMMAND \"\${command}\" completion \${shell}
                    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_QUIET)
                if(result EQUAL 0 AND text)
                    file(WRITE \"\${scratch}/\${name}\" \"\${text}\")
                    file(INSTALL \"\${scratch}/\${name}\" DESTINATION \"\${data}/\${folder}\")
                endif()
            endfunction()
            install_completion(bash bash-completion/completions runnel)
            install_completion(zsh zsh/site-functions _runnel)
            install_completion(fish fish/vendor_completions.d runnel.fish)")
    endif()
endif()

# --- licence and papers ------------------------------------------------------------------------------------------
foreach(paper LICENSE README.md CHANGELOG.md)
    if(EXISTS ${PROJECT_SOURCE_DIR}/${paper})
        install(FILES ${PROJECT_SOURCE_DIR}/${paper} DESTINATION ${CMAKE_INSTALL_DOCDIR})
    endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
