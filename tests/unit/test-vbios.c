/*
 * VBIOS: the synthesised image as a BIOS, nouveau and NVIDIA's driver read it,
 * the parser's verdict on each kind of damage, and the FWSEC command.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>

#include "vgsp/vbios.h"

#define IMAGE VGSP_VBIOS_IMAGE_SIZE

static const VgspVbiosParams params = {
    .vendor_id = 0x10de,
    .device_id = 0x1e81,
    .subsystem_vendor_id = 0x1af4,
    .subsystem_id = 0x1100,
    .class_code = 0x030000,
    .version = 0x90048700,
    .oem_version = 0x5f,
    .board = "vgsp TU104",
};

static uint8_t *image_new(void)
{
    uint8_t *rom = g_malloc(IMAGE);

    memset(rom, 0xa5, IMAGE);
    g_assert_cmpuint(vgsp_vbios_build(rom, IMAGE, &params), ==, IMAGE);
    return rom;
}

static uint8_t sum(const uint8_t *p, size_t len)
{
    uint8_t s = 0;

    while (len--) {
        s += *p++;
    }
    return s;
}

static size_t find(const uint8_t *p, size_t len, const char *s, size_t n)
{
    for (size_t i = 0; i + n <= len; i++) {
        if (!memcmp(p + i, s, n)) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* A PC BIOS: signature, length, checksum, and an entry that returns far. */
static void test_option_rom(void)
{
    uint8_t *rom = image_new();

    g_assert_cmphex(rom[0], ==, 0x55);
    g_assert_cmphex(rom[1], ==, 0xaa);
    g_assert_cmpuint(rom[2] * 512, ==, IMAGE);
    g_assert_cmphex(rom[3], ==, 0xcb);
    g_assert_cmpuint(sum(rom, IMAGE), ==, 0);
    /* no PnP header, which a BIOS would look for at this pointer */
    g_assert_cmphex(vgsp_le16(rom + 0x1a), ==, 0);
    g_free(rom);
}

/* PCIR and NPDE at their published offsets. */
static void test_pci_data(void)
{
    uint8_t *rom = image_new();
    const uint8_t *pcir = rom + vgsp_le16(rom + 0x18);
    size_t at = pcir - rom;
    const uint8_t *npde = rom + ((at + vgsp_le16(pcir + 0x0a) + 15) & ~15ull);

    g_assert_cmpuint(at % 4, ==, 0);
    g_assert_cmpmem(pcir, 4, "PCIR", 4);
    g_assert_cmphex(vgsp_le16(pcir + 4), ==, 0x10de);
    g_assert_cmphex(vgsp_le16(pcir + 6), ==, 0x1e81);
    g_assert_cmphex(vgsp_le16(pcir + 0x0a), ==, 0x18);
    g_assert_cmphex(pcir[0xd], ==, 0);
    g_assert_cmphex(pcir[0xe], ==, 0);
    g_assert_cmphex(pcir[0xf], ==, 3);
    g_assert_cmpuint(vgsp_le16(pcir + 0x10) * 512, ==, IMAGE);
    g_assert_cmphex(pcir[0x14], ==, 0);
    g_assert_cmphex(pcir[0x15], ==, 0x80);
    g_assert_cmpmem(npde, 4, "NPDE", 4);
    g_assert_cmphex(vgsp_le16(npde + 4), ==, 0x101);
    g_assert_cmpuint(vgsp_le16(npde + 6), >=, 0xb);
    g_assert_cmpuint(vgsp_le16(npde + 8) * 512, ==, IMAGE);
    g_assert_cmphex(npde[0xa], ==, 0x80);
    g_free(rom);
}

static const uint8_t *token(const uint8_t *rom, uint8_t id)
{
    size_t bit = find(rom, IMAGE,
                      "\xff\xb8"
                      "BIT",
                      5);

    g_assert_cmpuint(bit, !=, SIZE_MAX);
    for (unsigned int i = 0; i < rom[bit + 10]; i++) {
        const uint8_t *t = rom + bit + 12 + i * rom[bit + 9];

        if (t[0] == id) {
            return t;
        }
    }
    return NULL;
}

/* The road from BIT to FWSEC as nouveau walks it, by literal offsets. */
static void test_nouveau(void)
{
    uint8_t *rom = image_new();
    const uint8_t *i = token(rom, 'i'), *p = token(rom, 'p');
    const uint8_t *ver, *table, *entry, *desc, *dmem, *hdr, *app, *map;
    unsigned int n;

    g_assert_cmpuint(find(rom, IMAGE,
                          "\xff\x7f"
                          "NV\0",
                          5),
                     ==, SIZE_MAX);
    g_assert_nonnull(i);
    g_assert_nonnull(p);
    g_assert_cmpuint(vgsp_le16(i + 2), >=, 4);
    ver = rom + vgsp_le16(i + 4);
    g_assert_cmphex(ver[3], ==, 0x90);
    g_assert_cmphex(ver[2], ==, 0x04);
    g_assert_cmphex(ver[1], ==, 0x87);
    g_assert_cmphex(ver[0], ==, 0x00);
    g_assert_cmphex(ver[4], ==, 0x5f);

    g_assert_cmpuint(p[1], ==, 2);
    g_assert_cmpuint(vgsp_le16(p + 2), >=, 4);
    table = rom + vgsp_le32(rom + vgsp_le16(p + 4));
    entry = NULL;
    for (n = 0; n < table[3]; n++) {
        if (table[table[1] + n * table[2]] == 0x85) {
            entry = table + table[1] + n * table[2];
            break;
        }
    }
    g_assert_nonnull(entry);
    desc = rom + vgsp_le32(entry + 2);
    g_assert_cmphex(vgsp_le32(desc), ==, 0x003c0201);
    /* what nouveau maps for the falcon: non-secure, secure, data */
    g_assert_cmpuint(vgsp_le32(desc + 0x18) - vgsp_le32(desc + 0x24), ==,
                     vgsp_le32(desc + 0x20));
    g_assert_cmpuint(vgsp_le32(desc + 0x28) % 256, ==, 0);
    dmem = desc + 60 + vgsp_le32(desc + 0x28);
    hdr = dmem + vgsp_le32(desc + 0x10);
    app = hdr;
    g_assert_cmpuint(hdr[0], ==, 1);
    for (n = 0; n < hdr[3]; n++) {
        app = hdr + hdr[1] + n * hdr[2];
        if (vgsp_le32(app) == 4) {
            break;
        }
    }
    g_assert_cmpuint(n, <, hdr[3]);
    map = dmem + vgsp_le32(app + 4);
    g_assert_cmpuint(vgsp_le32(map + 8) + 44, <=, vgsp_le32(desc + 0x30));
    g_free(rom);
}

/* What NVIDIA's driver checks beyond that. */
static void test_nvidia(void)
{
    uint8_t *rom = image_new();
    size_t bit = find(rom, IMAGE,
                      "\xff\xb8"
                      "BIT",
                      6);
    const uint8_t *b = token(rom, 'B'), *desc, *hdr, *last;
    VgspVbiosInfo info;

    g_assert_cmpuint(sum(rom + bit, rom[bit + 8]), ==, 0);
    g_assert_cmpuint(rom[bit + 9], ==, 6);
    g_assert_nonnull(b);
    g_assert_true(b[1] == 1 || b[1] == 2);
    g_assert_cmpuint(vgsp_le16(b + 2), >, 5);
    g_assert_cmphex(vgsp_le32(rom + vgsp_le16(b + 4)), ==, 0x90048700);
    g_assert_cmphex(rom[vgsp_le16(b + 4) + 4], ==, 0x5f);

    g_assert_cmpint(vgsp_vbios_parse(rom, IMAGE, &info), ==, VGSP_VBIOS_OK);
    desc = rom + info.fwsec.image_offset - 60;
    /* code and data fit their 256-byte aligned buffers at their bases */
    g_assert_cmpuint(vgsp_le32(desc + 0x14) + vgsp_le32(desc + 0x18), <=,
                     (vgsp_le32(desc + 0x18) + 255) & ~255u);
    g_assert_cmpuint(vgsp_le32(desc + 0x2c) + vgsp_le32(desc + 0x30), <=,
                     (vgsp_le32(desc + 0x30) + 255) & ~255u);
    hdr = rom + info.fwsec.image_offset + info.fwsec.dmem_offset +
          info.fwsec.interface_offset;
    g_assert_cmpuint(hdr[3], >=, 2);
    /* it steps over header and entries by their version 1 sizes */
    g_assert_cmpuint(hdr[1], ==, 4);
    g_assert_cmpuint(hdr[2], ==, 8);
    last = hdr + 4 + 8 * (hdr[3] - 1);
    g_assert_cmpuint(vgsp_le32(last + 4) + 44, <=, info.fwsec.dmem_load_size);
    g_free(rom);
}

static void test_parse(void)
{
    uint8_t *rom = g_malloc0(512 * 1024), *again = image_new();
    VgspVbiosInfo i;

    g_assert_cmpuint(vgsp_vbios_build(rom, 512 * 1024, &params), ==, IMAGE);
    g_assert_cmpmem(rom, IMAGE, again, IMAGE);
    g_assert_cmpint(vgsp_vbios_parse(rom, 512 * 1024, &i), ==, VGSP_VBIOS_OK);
    g_assert_cmpuint(i.base, ==, 0);
    g_assert_cmpuint(i.size, ==, IMAGE);
    g_assert_cmpuint(i.image0_size, ==, IMAGE);
    g_assert_true(i.checksum_ok);
    g_assert_cmphex(i.vendor_id, ==, 0x10de);
    g_assert_cmphex(i.device_id, ==, 0x1e81);
    g_assert_cmphex(i.subsystem_vendor_id, ==, 0x1af4);
    g_assert_cmphex(i.subsystem_id, ==, 0x1100);
    g_assert_cmphex(i.class_code, ==, 0x030000);
    g_assert_cmphex(i.version, ==, 0x90048700);
    g_assert_cmphex(i.oem_version, ==, 0x5f);
    g_assert_cmpstr(i.board, ==, "vgsp TU104");
    g_assert_cmpuint(i.fwsec.image_size, ==,
                     i.fwsec.imem_load_size + i.fwsec.dmem_load_size);
    g_assert_cmpuint(i.fwsec.image_offset + i.fwsec.image_size, <=, IMAGE);
    g_assert_cmpuint(i.fwsec.imem_sec_base % 256, ==, 0);
    g_assert_cmpuint(i.fwsec.imem_sec_base + i.fwsec.imem_sec_size, ==,
                     i.fwsec.imem_load_size);
    g_assert_cmpuint(i.fwsec.dmem_offset, ==, i.fwsec.imem_load_size);
    g_free(rom);
    g_free(again);
}

static void test_params(void)
{
    uint8_t rom[IMAGE];
    VgspVbiosParams p = params;
    VgspVbiosInfo i;
    char *name = g_strnfill(200, 'n');

    g_assert_cmpuint(vgsp_vbios_build(rom, IMAGE - 1, &p), ==, 0);
    p.board = name;
    p.class_code = 0x030200;
    g_assert_cmpuint(vgsp_vbios_build(rom, IMAGE, &p), ==, IMAGE);
    g_assert_cmpint(vgsp_vbios_parse(rom, IMAGE, &i), ==, VGSP_VBIOS_OK);
    g_assert_cmpuint(strlen(i.board), ==, VGSP_VBIOS_BOARD_MAX - 1);
    g_assert_cmphex(i.class_code, ==, 0x030200);
    g_assert_true(i.checksum_ok);
    p.board = NULL;
    g_assert_cmpuint(vgsp_vbios_build(rom, IMAGE, &p), ==, IMAGE);
    g_assert_cmpint(vgsp_vbios_parse(rom, IMAGE, &i), ==, VGSP_VBIOS_OK);
    g_assert_cmpstr(i.board, ==, "");
    g_free(name);
}

static void assert_error(const uint8_t *rom, size_t len, VgspVbiosError want)
{
    VgspVbiosInfo i, zero;

    memset(&zero, 0, sizeof(zero));
    memset(&i, 0xff, sizeof(i));
    g_assert_cmpstr(vgsp_vbios_error_str(vgsp_vbios_parse(rom, len, &i)), ==,
                    vgsp_vbios_error_str(want));
    g_assert_cmpmem(&i, sizeof(i), &zero, sizeof(zero));
}

/* One thing is wrong at a time. */
static void test_damage(void)
{
    uint8_t *good = image_new();
    uint8_t *rom = g_malloc(IMAGE);
    size_t pcir = vgsp_le16(good + 0x18), npde = (pcir + 0x18 + 15) & ~15ull;
    size_t bit = find(good, IMAGE,
                      "\xff\xb8"
                      "BIT",
                      5);
    size_t p_token = token(good, 'p') - good;
    size_t p_data = vgsp_le16(good + p_token + 4);
    size_t table = vgsp_le32(good + p_data);
    size_t desc = vgsp_le32(good + table + 6 + 2);
    VgspVbiosInfo i;
    const struct {
        size_t at;
        uint8_t size; /* bytes of value */
        uint32_t value;
        VgspVbiosError want;
    } t[] = {
        { 0, 1, 0, VGSP_VBIOS_ERR_ROM_SIGNATURE },
        { 0x18, 2, IMAGE, VGSP_VBIOS_ERR_TRUNCATED },
        { 0x18, 2, 0x100, VGSP_VBIOS_ERR_PCIR },
        { npde + 8, 2, 0, VGSP_VBIOS_ERR_IMAGE_SIZE },
        { npde + 8, 2, 0xffff, VGSP_VBIOS_ERR_IMAGE_SIZE },
        { npde + 10, 1, 0, VGSP_VBIOS_ERR_TRUNCATED },
        { bit, 1, 0, VGSP_VBIOS_ERR_NO_BIT },
        { bit + 6, 1, 1, VGSP_VBIOS_ERR_NO_BIT }, /* checksum */
        { bit + 8, 1, 0, VGSP_VBIOS_ERR_BIT },    /* sum over nothing */
        { p_token, 1, 'q', VGSP_VBIOS_ERR_FALCON_TABLE },
        { p_token + 1, 1, 1, VGSP_VBIOS_ERR_FALCON_TABLE },
        { p_token + 2, 2, 3, VGSP_VBIOS_ERR_FALCON_TABLE },
        { p_token + 4, 2, IMAGE - 3, VGSP_VBIOS_ERR_FALCON_TABLE },
        { p_data, 4, IMAGE - 5, VGSP_VBIOS_ERR_FALCON_TABLE },
        { p_data, 4, 0xffffffff, VGSP_VBIOS_ERR_FALCON_TABLE },
        { table, 1, 2, VGSP_VBIOS_ERR_FALCON_TABLE },
        { table + 1, 1, 5, VGSP_VBIOS_ERR_FALCON_TABLE },
        { table + 2, 1, 5, VGSP_VBIOS_ERR_FALCON_TABLE },
        { table + 3, 1, 0, VGSP_VBIOS_ERR_NO_FWSEC },
        { table + 6, 1, 0x45, VGSP_VBIOS_ERR_NO_FWSEC }, /* debug FWSEC */
        { table + 8, 4, IMAGE, VGSP_VBIOS_ERR_FWSEC_BOUNDS },
        { table + 8, 4, 0xfffffff0, VGSP_VBIOS_ERR_FWSEC_BOUNDS },
        { desc, 1, 0, VGSP_VBIOS_ERR_FWSEC_DESC },
        { desc + 1, 1, 3, VGSP_VBIOS_ERR_FWSEC_DESC },
        { desc + 2, 2, 59, VGSP_VBIOS_ERR_FWSEC_DESC },
        { desc + 2, 2, 0xffff, VGSP_VBIOS_ERR_FWSEC_BOUNDS },
        { desc + 0x10, 4, 0x3fd, VGSP_VBIOS_ERR_FWSEC_BOUNDS },
        { desc + 0x18, 4, 0xffffffff, VGSP_VBIOS_ERR_FWSEC_BOUNDS },
        { desc + 0x18, 4, IMAGE, VGSP_VBIOS_ERR_FWSEC_BOUNDS },
        { desc + 0x24, 4, 0x801, VGSP_VBIOS_ERR_FWSEC_BOUNDS },
        { desc + 0x28, 4, 0x801, VGSP_VBIOS_ERR_FWSEC_BOUNDS },
        { desc + 0x30, 4, 0xfffff800, VGSP_VBIOS_ERR_FWSEC_BOUNDS },
    };

    for (size_t k = 0; k < G_N_ELEMENTS(t); k++) {
        memcpy(rom, good, IMAGE);
        for (unsigned int b = 0; b < t[k].size; b++) {
            rom[t[k].at + b] = t[k].value >> 8 * b;
        }
        g_test_message("damage %zu at 0x%zx", k, t[k].at);
        assert_error(rom, IMAGE, t[k].want);
    }

    /* every shorter ROM is refused, without reading past its end */
    for (size_t len = 0; len < IMAGE; len++) {
        uint8_t *cut = g_memdup2(good, len ? len : 1);

        g_assert_cmpint(vgsp_vbios_parse(cut, len, &i), !=, VGSP_VBIOS_OK);
        g_free(cut);
    }

    /* a bad byte sum is reported, not refused: nouveau merely scores it */
    memcpy(rom, good, IMAGE);
    rom[IMAGE - 2] ^= 1;
    g_assert_cmpint(vgsp_vbios_parse(rom, IMAGE, &i), ==, VGSP_VBIOS_OK);
    g_assert_false(i.checksum_ok);
    g_free(good);
    g_free(rom);
}

/*
 * Real cards: the falcon data is in an extension image, an EFI image lies
 * between, and pointers count as if it did not.
 */
static uint8_t *chain_new(size_t *len)
{
    uint8_t *rom = g_malloc0(4 * IMAGE), *good = image_new();
    size_t pcir = vgsp_le16(good + 0x18), npde = (pcir + 0x18 + 15) & ~15ull;
    size_t p_data = vgsp_le16(token(good, 'p') + 4);
    size_t table = vgsp_le32(good + p_data);
    size_t desc = vgsp_le32(good + table + 8);

    memcpy(rom, good, IMAGE);
    memcpy(rom + IMAGE, good, IMAGE);
    memcpy(rom + 2 * IMAGE, good, IMAGE);
    /* only the copy in the extension image stays usable */
    memset(rom + table, 0, 16);
    memset(rom + desc, 0, 60);
    memset(rom + IMAGE + table, 0, 16);
    rom[npde + 10] = 0;
    vgsp_put_le32(rom + p_data, IMAGE + table);
    rom[IMAGE + pcir + 0x14] = 3;
    rom[IMAGE + npde + 10] = 0;
    rom[2 * IMAGE + pcir + 0x14] = 0xe0;
    vgsp_put_le32(rom + 2 * IMAGE + table + 8, IMAGE + desc);
    g_free(good);
    *len = 3 * IMAGE;
    return rom;
}

static void test_chain(void)
{
    size_t len;
    uint8_t *rom = chain_new(&len), *good = image_new();
    VgspVbiosInfo i, g;

    g_assert_cmpint(vgsp_vbios_parse(good, IMAGE, &g), ==, VGSP_VBIOS_OK);
    g_assert_cmpint(vgsp_vbios_parse(rom, len, &i), ==, VGSP_VBIOS_OK);
    g_assert_cmpuint(i.size, ==, 3 * IMAGE);
    g_assert_cmpuint(i.image0_size, ==, IMAGE);
    g_assert_cmpuint(i.fwsec.image_offset, ==,
                     2 * IMAGE + g.fwsec.image_offset);
    g_assert_cmpstr(i.board, ==, "vgsp TU104");
    g_free(rom);
    g_free(good);
}

/* An IFR header of each version puts the images elsewhere. */
static void test_ifr(void)
{
    uint8_t *rom = g_malloc0(8 * IMAGE), *good = image_new();
    VgspVbiosInfo i, g;

    g_assert_cmpint(vgsp_vbios_parse(good, IMAGE, &g), ==, VGSP_VBIOS_OK);
    memcpy(rom + 2 * IMAGE, good, IMAGE);
    memcpy(rom, "NVGI", 4);
    vgsp_put_le32(rom + 4, 0x40 << 16 | 2 << 8);
    vgsp_put_le32(rom + 0x44, 2 * IMAGE);
    g_assert_cmpint(vgsp_vbios_parse(rom, 8 * IMAGE, &i), ==, VGSP_VBIOS_OK);
    g_assert_cmpuint(i.base, ==, 2 * IMAGE);
    g_assert_cmpuint(i.size, ==, IMAGE);
    g_assert_cmpuint(i.fwsec.image_offset, ==,
                     2 * IMAGE + g.fwsec.image_offset);

    vgsp_put_le32(rom + 4, 3 << 8);
    vgsp_put_le32(rom + 8, 0x80);
    vgsp_put_le32(rom + 0x80, 0x100);
    assert_error(rom, 8 * IMAGE, VGSP_VBIOS_ERR_IFR);
    memcpy(rom + 0x1100, "RFRD", 4);
    vgsp_put_le32(rom + 0x1108, 2 * IMAGE);
    g_assert_cmpint(vgsp_vbios_parse(rom, 8 * IMAGE, &i), ==, VGSP_VBIOS_OK);
    g_assert_cmpuint(i.base, ==, 2 * IMAGE);

    vgsp_put_le32(rom + 0x1108, 2 * IMAGE + 2);
    assert_error(rom, 8 * IMAGE, VGSP_VBIOS_ERR_IFR);
    vgsp_put_le32(rom + 0x1108, 0xfffffffc);
    assert_error(rom, 8 * IMAGE, VGSP_VBIOS_ERR_TRUNCATED);
    vgsp_put_le32(rom + 0x80, 0xffffffff);
    assert_error(rom, 8 * IMAGE, VGSP_VBIOS_ERR_TRUNCATED);
    vgsp_put_le32(rom + 4, 4 << 8);
    assert_error(rom, 8 * IMAGE, VGSP_VBIOS_ERR_IFR);
    g_free(rom);
    g_free(good);
}

/* BIT tokens of 8 bytes, with 32-bit pointers, as the 570 driver reads them. */
static void test_wide_tokens(void)
{
    uint8_t *rom = image_new(), *p;
    uint8_t tokens[32 * 6];
    size_t bit = find(rom, IMAGE,
                      "\xff\xb8"
                      "BIT",
                      5);
    unsigned int count = rom[bit + 10];
    VgspVbiosInfo i, g;

    g_assert_cmpint(vgsp_vbios_parse(rom, IMAGE, &g), ==, VGSP_VBIOS_OK);
    memcpy(tokens, rom + bit + 12, count * 6);
    for (unsigned int k = 0; k < count; k++) {
        p = rom + bit + 12 + 8 * k;
        memcpy(p, tokens + 6 * k, 4);
        vgsp_put_le32(p + 4, vgsp_le16(tokens + 6 * k + 4));
    }
    rom[bit + 9] = 8;
    rom[bit + 11] -= 2;
    g_assert_cmpint(vgsp_vbios_parse(rom, IMAGE, &i), ==, VGSP_VBIOS_OK);
    i.checksum_ok = true;
    g_assert_cmpmem(&i, sizeof(i), &g, sizeof(g));
    g_free(rom);
}

/* -- FWSEC commands ----------------------------------------------------- */

static uint8_t *dmem_new(VgspVbiosInfo *info)
{
    uint8_t *rom = image_new(), *dmem;

    g_assert_cmpint(vgsp_vbios_parse(rom, IMAGE, info), ==, VGSP_VBIOS_OK);
    dmem = g_memdup2(rom + info->fwsec.image_offset + info->fwsec.dmem_offset,
                     info->fwsec.dmem_load_size);
    g_free(rom);
    return dmem;
}

static void test_fwsec_frts(void)
{
    const VgspFwsecCmd cmd = { VGSP_FWSEC_CMD_FRTS, 0x1ffe00000, 0x100000 };
    VgspVbiosInfo i;
    uint8_t *dmem = dmem_new(&i);
    size_t len = i.fwsec.dmem_load_size;
    VgspFwsecCmd out;
    const uint8_t *map, *in;
    /* the command buffer as both drivers write it */
    static const uint8_t want[44] = {
        1, 0, 0, 0,    24,   0, 0, 0, 0, 0, 0, 0, 0, 0,  0,
        0, 0, 0, 0,    0,    2, 0, 0, 0, 1, 0, 0, 0, 20, 0,
        0, 0, 0, 0xfe, 0x1f, 0, 0, 1, 0, 0, 2, 0, 0, 0,
    };

    g_assert_cmpint(vgsp_fwsec_patch(dmem, len, &i.fwsec, &cmd), ==,
                    VGSP_FWSEC_OK);
    map = dmem + vgsp_le32(dmem + i.fwsec.interface_offset + 4 + 8 + 4);
    g_assert_cmphex(vgsp_le32(map + 0x2c), ==, 0x15);
    in = dmem + vgsp_le32(map + 8);
    g_assert_cmpmem(in, 44, want, 44);

    g_assert_cmpint(
        vgsp_fwsec_cmd_parse(dmem, len, i.fwsec.interface_offset, &out), ==,
        VGSP_FWSEC_OK);
    g_assert_cmpint(out.id, ==, VGSP_FWSEC_CMD_FRTS);
    g_assert_cmphex(out.frts_addr, ==, 0x1ffe00000);
    g_assert_cmphex(out.frts_size, ==, 0x100000);
    g_free(dmem);
}

static void test_fwsec_sb(void)
{
    const VgspFwsecCmd cmd = { .id = VGSP_FWSEC_CMD_SB };
    VgspVbiosInfo i;
    uint8_t *dmem = dmem_new(&i);
    size_t len = i.fwsec.dmem_load_size;
    VgspFwsecCmd out;

    g_assert_cmpint(vgsp_fwsec_patch(dmem, len, &i.fwsec, &cmd), ==,
                    VGSP_FWSEC_OK);
    g_assert_cmpint(
        vgsp_fwsec_cmd_parse(dmem, len, i.fwsec.interface_offset, &out), ==,
        VGSP_FWSEC_OK);
    g_assert_cmpint(out.id, ==, VGSP_FWSEC_CMD_SB);
    g_assert_cmphex(out.frts_size, ==, 0);
    g_free(dmem);
}

static void test_fwsec_damage(void)
{
    const VgspFwsecCmd cmd = { VGSP_FWSEC_CMD_FRTS, 0x7fe00000, 0x100000 };
    VgspVbiosInfo i;
    uint8_t *good = dmem_new(&i);
    size_t len = i.fwsec.dmem_load_size;
    uint8_t *dmem = g_malloc(len);
    uint32_t itf = i.fwsec.interface_offset;
    uint32_t map = vgsp_le32(good + itf + 4 + 8 + 4);
    uint32_t in = vgsp_le32(good + map + 8);
    VgspFwsecCmd out, zero;
    const struct {
        uint32_t at, value;
        VgspFwsecError want;
    } t[] = {
        { itf, 0x02080402, VGSP_FWSEC_ERR_INTERFACE_HEADER },
        { itf, 0x02080301, VGSP_FWSEC_ERR_INTERFACE_HEADER },
        { itf, 0x02070401, VGSP_FWSEC_ERR_INTERFACE_HEADER },
        { itf, 0xffff0401, VGSP_FWSEC_ERR_INTERFACE_BOUNDS },
        { itf, 0x01080401, VGSP_FWSEC_ERR_NO_DMEM_MAPPER },
        { itf + 12, 5, VGSP_FWSEC_ERR_NO_DMEM_MAPPER },
        { itf + 16, len - 63, VGSP_FWSEC_ERR_DMEM_MAPPER_BOUNDS },
        { itf + 16, 0xffffffff, VGSP_FWSEC_ERR_DMEM_MAPPER_BOUNDS },
        { map + 0x2c, 0, VGSP_FWSEC_ERR_INIT_CMD },
        { map + 0x2c, 0x16, VGSP_FWSEC_ERR_INIT_CMD },
        { map + 8, len - 63, VGSP_FWSEC_ERR_CMD_IN_BOUNDS },
        { map + 8, 0xffffffff, VGSP_FWSEC_ERR_CMD_IN_BOUNDS },
        { map + 0xc, 0xffffffff, VGSP_FWSEC_ERR_CMD_IN_BOUNDS },
        { map + 0xc, 43, VGSP_FWSEC_ERR_CMD_IN_SIZE },
        { in, 2, VGSP_FWSEC_ERR_READ_VBIOS_DESC },
        { in + 4, 20, VGSP_FWSEC_ERR_READ_VBIOS_DESC },
        { in + 24, 0, VGSP_FWSEC_ERR_FRTS_REGION_DESC },
        { in + 28, 24, VGSP_FWSEC_ERR_FRTS_REGION_DESC },
        { in + 36, 0, VGSP_FWSEC_ERR_FRTS_REGION_SIZE },
        { in + 40, 1, VGSP_FWSEC_ERR_FRTS_REGION_MEDIA },
    };

    memset(&zero, 0, sizeof(zero));
    g_assert_cmpint(vgsp_fwsec_patch(good, len, &i.fwsec, &cmd), ==,
                    VGSP_FWSEC_OK);
    for (size_t k = 0; k < G_N_ELEMENTS(t); k++) {
        memcpy(dmem, good, len);
        vgsp_put_le32(dmem + t[k].at, t[k].value);
        memset(&out, 0xff, sizeof(out));
        g_test_message("damage %zu at 0x%x", k, t[k].at);
        g_assert_cmpstr(
            vgsp_fwsec_error_str(vgsp_fwsec_cmd_parse(dmem, len, itf, &out)),
            ==, vgsp_fwsec_error_str(t[k].want));
        g_assert_cmpmem(&out, sizeof(out), &zero, sizeof(zero));
    }
    g_assert_cmpint(vgsp_fwsec_cmd_parse(good, len, len - 3, &out), ==,
                    VGSP_FWSEC_ERR_INTERFACE_BOUNDS);
    g_assert_cmpint(vgsp_fwsec_cmd_parse(good, len, UINT32_MAX, &out), ==,
                    VGSP_FWSEC_ERR_INTERFACE_BOUNDS);
    for (size_t l = 0; l < in + 44; l++) {
        uint8_t *cut = g_memdup2(good, l ? l : 1);

        g_assert_cmpint(vgsp_fwsec_cmd_parse(cut, l, itf, &out), !=,
                        VGSP_FWSEC_OK);
        g_free(cut);
    }
    g_free(good);
    g_free(dmem);
}

/* The driver's side refuses what it cannot express. */
static void test_fwsec_patch_errors(void)
{
    static const struct {
        VgspFwsecCmd cmd;
        VgspFwsecError want;
    } t[] = {
        { { 0, 0, 0 }, VGSP_FWSEC_ERR_INIT_CMD },
        { { VGSP_FWSEC_CMD_FRTS, 0x1000, 0 }, VGSP_FWSEC_ERR_FRTS_REGION_SIZE },
        { { VGSP_FWSEC_CMD_FRTS, 0x1001, 0x1000 },
          VGSP_FWSEC_ERR_FRTS_REGION_SIZE },
        { { VGSP_FWSEC_CMD_FRTS, 0x1000, 0x1800 },
          VGSP_FWSEC_ERR_FRTS_REGION_SIZE },
        { { VGSP_FWSEC_CMD_FRTS, UINT64_C(1) << 44, 0x1000 },
          VGSP_FWSEC_ERR_FRTS_REGION_SIZE },
    };
    VgspVbiosInfo i;
    uint8_t *dmem = dmem_new(&i);
    size_t len = i.fwsec.dmem_load_size;
    uint8_t *before = g_memdup2(dmem, len);

    for (size_t k = 0; k < G_N_ELEMENTS(t); k++) {
        g_assert_cmpint(vgsp_fwsec_patch(dmem, len, &i.fwsec, &t[k].cmd), ==,
                        t[k].want);
        g_assert_cmpmem(dmem, len, before, len);
    }
    i.fwsec.interface_offset = len;
    g_assert_cmpint(
        vgsp_fwsec_patch(dmem, len, &i.fwsec,
                         &(VgspFwsecCmd){ VGSP_FWSEC_CMD_SB, 0, 0 }),
        ==, VGSP_FWSEC_ERR_INTERFACE_BOUNDS);
    g_free(dmem);
    g_free(before);
}

static void test_strings(void)
{
    for (int a = 0; a <= VGSP_VBIOS_ERR_FWSEC_BOUNDS; a++) {
        g_assert_cmpstr(vgsp_vbios_error_str(a), !=, "unknown error");
        for (int b = 0; b < a; b++) {
            g_assert_cmpstr(vgsp_vbios_error_str(a), !=,
                            vgsp_vbios_error_str(b));
        }
    }
    for (int a = 0; a <= VGSP_FWSEC_ERR_FRTS_REGION_SIZE; a++) {
        g_assert_cmpstr(vgsp_fwsec_error_str(a), !=, "unknown error");
        for (int b = 0; b < a; b++) {
            g_assert_cmpstr(vgsp_fwsec_error_str(a), !=,
                            vgsp_fwsec_error_str(b));
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/vbios/option-rom", test_option_rom);
    g_test_add_func("/vbios/pci-data", test_pci_data);
    g_test_add_func("/vbios/nouveau", test_nouveau);
    g_test_add_func("/vbios/nvidia", test_nvidia);
    g_test_add_func("/vbios/parse", test_parse);
    g_test_add_func("/vbios/params", test_params);
    g_test_add_func("/vbios/damage", test_damage);
    g_test_add_func("/vbios/chain", test_chain);
    g_test_add_func("/vbios/ifr", test_ifr);
    g_test_add_func("/vbios/wide-tokens", test_wide_tokens);
    g_test_add_func("/vbios/strings", test_strings);
    g_test_add_func("/fwsec/frts", test_fwsec_frts);
    g_test_add_func("/fwsec/sb", test_fwsec_sb);
    g_test_add_func("/fwsec/damage", test_fwsec_damage);
    g_test_add_func("/fwsec/patch-errors", test_fwsec_patch_errors);
    return g_test_run();
}
