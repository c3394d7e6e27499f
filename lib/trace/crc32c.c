/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CRC-32C, reflected polynomial 0x82f63b78 (RFC 3720 appendix B.4).  It takes a nibble at a time,
 * so that the table fits in two cache lines.
 */
#include "trace.h"

static const uint32_t table[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t snt_crc32c(uint32_t crc, const void *p, size_t n)
{
    const unsigned char *b = p;

    crc = ~crc;
    while (n--) {
        crc ^= *b++;
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

uint32_t snt_crc32c_times(uint32_t a, uint32_t b)
{
    uint32_t product = 0;

    for (; a; a <<= 1) {
        if (a & 1u << 31) {
            product ^= b;
        }
        b = b >> 1 ^ (b & 1 ? 0x82f63b78 : 0);
    }
    return product;
}
