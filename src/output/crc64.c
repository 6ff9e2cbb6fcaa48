#include "output/crc64.h"

#include <pthread.h>

#define POLYNOMIAL 0xc96c5795d7870f42u /* reflected */

/* table[k][b]: byte b followed by k zero bytes, so that eight bytes take one iteration. */
static uint64_t table[8][256];
static pthread_once_t is_made = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    for (unsigned b = 0; b < 256; b++) {
        uint64_t crc = b;
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ POLYNOMIAL : crc >> 1;
        table[0][b] = crc;
    }
    for (unsigned k = 1; k < 8; k++)
        for (unsigned b = 0; b < 256; b++)
            table[k][b] = (table[k - 1][b] >> 8) ^ table[0][table[k - 1][b] & 0xff];
}

uint64_t rni_crc64(uint64_t crc, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    pthread_once(&is_made, make_table);
    crc = ~crc;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t next = 0;
        for (unsigned k = 0; k < 8; k++) next ^= table[7 - k][((crc >> (8 * k)) ^ at[k]) & 0xff];
        crc = next;
    }
    for (; size > 0; size--, at++) crc = (crc >> 8) ^ table[0][(crc ^ *at) & 0xff];
    return ~crc;
}
