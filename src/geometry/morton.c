#include <runnel/geometry.h>

/* Each line doubles the gaps between groups of bits. */
static uint64_t spread2(uint64_t bits)
{
    bits &= 0xffffffffu;
    bits = (bits | bits << 16) & 0x0000ffff0000ffffu;
    bits = (bits | bits << 8) & 0x00ff00ff00ff00ffu;
    bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0fu;
    bits = (bits | bits << 2) & 0x3333333333333333u;
    return (bits | bits << 1) & 0x5555555555555555u;
}

static uint32_t gather2(uint64_t bits)
{
    bits &= 0x5555555555555555u;
    bits = (bits | bits >> 1) & 0x3333333333333333u;
    bits = (bits | bits >> 2) & 0x0f0f0f0f0f0f0f0fu;
    bits = (bits | bits >> 4) & 0x00ff00ff00ff00ffu;
    bits = (bits | bits >> 8) & 0x0000ffff0000ffffu;
    return (uint32_t)(bits | bits >> 16);
}

static uint64_t spread3(uint64_t bits)
{
    bits &= 0x1fffffu;
    bits = (bits | bits << 32) & 0x001f00000000ffffu;
    bits = (bits | bits << 16) & 0x001f0000ff0000ffu;
    bits = (bits | bits << 8) & 0x100f00f00f00f00fu;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3u;
    return (bits | bits << 2) & 0x1249249249249249u;
}

static uint32_t gather3(uint64_t bits)
{
    bits &= 0x1249249249249249u;
    bits = (bits | bits >> 2) & 0x10c30c30c30c30c3u;
    bits = (bits | bits >> 4) & 0x100f00f00f00f00fu;
    bits = (bits | bits >> 8) & 0x001f0000ff0000ffu;
    bits = (bits | bits >> 16) & 0x001f00000000ffffu;
    return (uint32_t)((bits | bits >> 32) & 0x1fffffu);
}

uint64_t rn_morton2_encode(uint32_t x, uint32_t y)
{
    return spread2(x) | spread2(y) << 1;
}

void rn_morton2_decode(uint64_t code, uint32_t *x, uint32_t *y)
{
    *x = gather2(code);
    *y = gather2(code >> 1);
}

uint64_t rn_morton3_encode(uint32_t x, uint32_t y, uint32_t z)
{
    return spread3(x) | spread3(y) << 1 | spread3(z) << 2;
}

void rn_morton3_decode(uint64_t code, uint32_t *x, uint32_t *y, uint32_t *z)
{
    *x = gather3(code);
    *y = gather3(code >> 1);
    *z = gather3(code >> 2);
}
