/*
 * The PBDMA's CRCs over GPFIFO entries, segments and methods: IEEE 802.3's
 * polynomial, most significant bit first, from 0. Specified by NVIDIA's
 * dev_pbdma (GP_CRC, PB_CRC, METHOD_CRC, and the pseudocode of CRC_CHECK).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "host/host-int.h"

#define POLYNOMIAL      0x04c11db7u
/* Subchannel (46:44), address (43:32) and data (31:0) of a method. */
#define METHOD_BYTES    6

/* [n][b]: what byte b leaves when n bytes of 0 have followed it. */
static uint32_t table[METHOD_BYTES][256];

void vgsp_crc_init(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b << 24;

        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc << 1 ^ (crc >> 31 ? POLYNOMIAL : 0);
        }
        table[0][b] = crc;
    }
    for (unsigned n = 1; n < METHOD_BYTES; n++) {
        for (uint32_t b = 0; b < 256; b++) {
            uint32_t crc = table[n - 1][b];

            table[n][b] = crc << 8 ^ table[0][crc >> 24];
        }
    }
}

uint32_t vgsp_crc(uint32_t crc, const uint8_t *buf, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        crc = crc << 8 ^ table[0][crc >> 24 ^ buf[i]];
    }
    return crc;
}

/* In which order the three parts lie in the 6 bytes is in no manual. */
uint32_t vgsp_crc_methods(uint32_t crc, const VgspPbRun *run, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t data = run->data[i];
        uint32_t head = run->subchannel << 12 | vgsp_pb_run_method(run, i);

        crc = table[5][(crc >> 24) ^ (data & 0xff)] ^
              table[4][(crc >> 16 & 0xff) ^ (data >> 8 & 0xff)] ^
              table[3][(crc >> 8 & 0xff) ^ (data >> 16 & 0xff)] ^
              table[2][(crc & 0xff) ^ data >> 24] ^
              table[1][head & 0xff] ^ table[0][head >> 8 & 0xff];
    }
    return crc;
}
