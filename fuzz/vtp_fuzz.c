/* Arbitrary bytes as a .vtp and as a .pvd file. The readers take files, so the bytes go through an
 * in-memory file. */
#include "output/vtp_read.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int file = memfd_create("vtp", 0);
    if (file < 0) return 0;
    if (write(file, data, size) == (ssize_t)size) {
        rni_vtp_info vtp;
        rni_pvd_info pvd;
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        (void)rni_vtp_read(path, true, &vtp);
        (void)rni_pvd_read(path, &pvd);
    }
    close(file);
    return 0;
}
