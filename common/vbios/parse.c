/*
 * Parse a VBIOS: chain of images, BIT, falcon ucode table, FWSEC descriptor.
 * Follows what nouveau and NVIDIA's driver accept; see format.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "format.h"
#include "vgsp/vbios.h"

/*
 * The ROM from its first image on.  A pointer in BIT and below counts as if an
 * extension image followed the x86 image at once, whatever lies between.
 */
typedef struct Rom {
    const uint8_t *data;
    uint64_t len;
    uint64_t image0_size;
    uint64_t ext_offset; /* 0 if there is no extension image */
} Rom;

/* len bytes at offset, or NULL if they are not all there. */
static const uint8_t *rom_at(const Rom *rom, uint64_t offset, uint64_t len)
{
    return vgsp_range_ok(offset, len, rom->len) ? rom->data + offset : NULL;
}

static uint64_t rom_rebase(const Rom *rom, uint64_t ptr)
{
    if (rom->ext_offset && ptr >= rom->image0_size) {
        ptr += rom->ext_offset - rom->image0_size;
    }
    return ptr;
}

static const uint8_t *rom_ptr(const Rom *rom, uint64_t ptr, uint64_t len)
{
    return rom_at(rom, rom_rebase(rom, ptr), len);
}

static bool rom_signature_ok(uint16_t sig)
{
    return sig == PCI_EXP_ROM_SIGNATURE || sig == PCI_EXP_ROM_SIGNATURE_NV ||
           sig == PCI_EXP_ROM_SIGNATURE_NV2;
}

static bool pcir_signature_ok(uint32_t sig)
{
    return sig == PCI_DATA_STRUCT_SIGNATURE ||
           sig == PCI_DATA_STRUCT_SIGNATURE_NV ||
           sig == PCI_DATA_STRUCT_SIGNATURE_NV2;
}

static bool rom_le32(const Rom *rom, uint64_t offset, uint32_t *v)
{
    const uint8_t *p = rom_at(rom, offset, sizeof(*v));

    if (p) {
        *v = vgsp_le32(p);
    }
    return p;
}

/* Where the first image is: 0, or what an IFR header says. */
static VgspVbiosError find_base(const Rom *rom, uint32_t *base)
{
    uint32_t fixed0, fixed1, fixed2, status, directory;
    const uint8_t *sig;

    *base = 0;
    if (!rom_le32(rom, NV_PBUS_IFR_FMT_FIXED0, &fixed0)) {
        return VGSP_VBIOS_ERR_TRUNCATED;
    }
    if (fixed0 == NV_PBUS_IFR_FMT_FIXED0_SIGNATURE_VALUE) {
        if (!rom_le32(rom, NV_PBUS_IFR_FMT_FIXED1, &fixed1) ||
            !rom_le32(rom, NV_PBUS_IFR_FMT_FIXED2, &fixed2)) {
            return VGSP_VBIOS_ERR_TRUNCATED;
        }
        switch (VGSP_GET(NV_PBUS_IFR_FMT_FIXED1_VERSIONSW, fixed1)) {
        case 1:
        case 2:
            if (!rom_le32(
                    rom,
                    VGSP_GET(NV_PBUS_IFR_FMT_FIXED1_FIXED_DATA_SIZE, fixed1) +
                        4,
                    base)) {
                return VGSP_VBIOS_ERR_TRUNCATED;
            }
            break;
        case 3:
            if (!rom_le32(
                    rom,
                    VGSP_GET(NV_PBUS_IFR_FMT_FIXED2_TOTAL_DATA_SIZE, fixed2),
                    &status) ||
                !rom_le32(rom, (uint64_t)status + NV_ROM_FLASH_STATUS_SIZE,
                          &directory)) {
                return VGSP_VBIOS_ERR_TRUNCATED;
            }
            if (directory != NV_ROM_DIRECTORY_IDENTIFIER) {
                return VGSP_VBIOS_ERR_IFR;
            }
            if (!rom_le32(rom,
                          (uint64_t)status + NV_ROM_FLASH_STATUS_SIZE +
                              NV_ROM_DIRECTORY_PCI_OFFSET,
                          base)) {
                return VGSP_VBIOS_ERR_TRUNCATED;
            }
            break;
        default:
            return VGSP_VBIOS_ERR_IFR;
        }
        if (*base % sizeof(uint32_t)) {
            return VGSP_VBIOS_ERR_IFR;
        }
    }
    sig = rom_at(rom, *base, sizeof(uint16_t));
    if (!sig) {
        return VGSP_VBIOS_ERR_TRUNCATED;
    }
    return rom_signature_ok(vgsp_le16(sig)) ? VGSP_VBIOS_OK
                                            : VGSP_VBIOS_ERR_ROM_SIGNATURE;
}

typedef struct Image {
    uint64_t size;
    uint8_t type;
    bool last;
    const uint8_t *pcir;
} Image;

static VgspVbiosError parse_image(const Rom *rom, uint64_t offset, Image *image)
{
    const uint8_t *hdr = rom_at(rom, offset, PCI_EXP_ROM_SUBSYSTEM_ID + 2);
    const uint8_t *pcir, *npde;
    uint64_t at, blocks;
    uint16_t rev, len;

    if (!hdr) {
        return VGSP_VBIOS_ERR_TRUNCATED;
    }
    if (!rom_signature_ok(vgsp_le16(hdr + PCI_EXP_ROM_SIG))) {
        return VGSP_VBIOS_ERR_ROM_SIGNATURE;
    }
    at = offset + vgsp_le16(hdr + PCI_EXP_ROM_PCI_DATA_STRUCT_PTR);
    pcir = rom_at(rom, at, PCI_DATA_STRUCT__SIZE);
    if (!pcir) {
        return VGSP_VBIOS_ERR_TRUNCATED;
    }
    if (!pcir_signature_ok(vgsp_le32(pcir + PCI_DATA_STRUCT_SIG))) {
        return VGSP_VBIOS_ERR_PCIR;
    }
    image->pcir = pcir;
    image->type = pcir[PCI_DATA_STRUCT_CODE_TYPE];
    image->last = pcir[PCI_DATA_STRUCT_LAST_IMAGE] & PCI_LAST_IMAGE;
    blocks = vgsp_le16(pcir + PCI_DATA_STRUCT_IMAGE_LEN);

    /* NVIDIA's extension overrides size and position in the chain. */
    at = VGSP_ALIGN_UP(at + vgsp_le16(pcir + PCI_DATA_STRUCT_LEN), 16);
    npde = rom_at(rom, at, PCI_DATA_EXT_STRUCT__SIZE);
    if (npde &&
        vgsp_le32(npde + PCI_DATA_EXT_STRUCT_SIG) == NV_PCI_DATA_EXT_SIG) {
        rev = vgsp_le16(npde + PCI_DATA_EXT_STRUCT_REV);
        len = vgsp_le16(npde + PCI_DATA_EXT_STRUCT_LEN);
        if (rev == NV_PCI_DATA_EXT_REV_10 || rev == NV_PCI_DATA_EXT_REV_11) {
            uint64_t sub = vgsp_le16(npde + PCI_DATA_EXT_STRUCT_SUBIMAGE_LEN);

            if (len > PCI_DATA_EXT_STRUCT_LAST_IMAGE) {
                image->last =
                    npde[PCI_DATA_EXT_STRUCT_LAST_IMAGE] & PCI_LAST_IMAGE;
            } else if (sub < blocks) {
                image->last = false;
            }
            blocks = sub;
        }
    }
    image->size = blocks * PCI_ROM_IMAGE_BLOCK_SIZE;
    if (!image->size || !rom_at(rom, offset, image->size)) {
        return VGSP_VBIOS_ERR_IMAGE_SIZE;
    }
    return VGSP_VBIOS_OK;
}

/* Each image has a size, so that the chain ends with the ROM at the latest. */
static VgspVbiosError parse_images(Rom *rom, VgspVbiosInfo *out)
{
    uint64_t offset = 0;
    VgspVbiosError err;
    Image image;

    do {
        err = parse_image(rom, offset, &image);
        if (err != VGSP_VBIOS_OK) {
            return err;
        }
        if (image.type == CODE_TYPE_VBIOS_EXT) {
            if (!rom->ext_offset) {
                rom->ext_offset = offset;
            }
        } else if (image.type == CODE_TYPE_VBIOS_BASE && !rom->image0_size) {
            const uint8_t *hdr = rom->data + offset;
            const uint8_t *class_code = image.pcir + PCI_DATA_STRUCT_CLASS_CODE;

            rom->image0_size = image.size;
            out->image0_size = image.size;
            out->checksum_ok = byte_sum(hdr, image.size) == 0;
            out->vendor_id = vgsp_le16(image.pcir + PCI_DATA_STRUCT_VENDOR_ID);
            out->device_id = vgsp_le16(image.pcir + PCI_DATA_STRUCT_DEVICE_ID);
            out->class_code =
                class_code[0] | class_code[1] << 8 | class_code[2] << 16;
            out->subsystem_vendor_id =
                vgsp_le16(hdr + PCI_EXP_ROM_SUBSYSTEM_VENDOR_ID);
            out->subsystem_id = vgsp_le16(hdr + PCI_EXP_ROM_SUBSYSTEM_ID);
        }
        offset += image.size;
    } while (!image.last);

    if (!rom->image0_size) {
        rom->ext_offset = 0; /* nothing to rebase against */
    }
    rom->len = offset;
    out->size = offset;
    return VGSP_VBIOS_OK;
}

static const uint8_t *find_bit(const Rom *rom, uint64_t *at)
{
    const uint8_t *bit;

    for (*at = 0; (bit = rom_at(rom, *at, BIT_HEADER__SIZE)); (*at)++) {
        uint8_t size = bit[BIT_HEADER_HEADER_SIZE];

        if (vgsp_le16(bit + BIT_HEADER_ID) == BIT_HEADER_ID_VALUE &&
            vgsp_le32(bit + BIT_HEADER_SIGNATURE) ==
                BIT_HEADER_SIGNATURE_VALUE &&
            rom_at(rom, *at, size) && byte_sum(bit, size) == 0) {
            return bit;
        }
    }
    return NULL;
}

typedef struct BitToken {
    uint8_t id;
    uint8_t version;
    uint16_t size;
    uint64_t ptr;
} BitToken;

static void parse_strings(const Rom *rom, const BitToken *t, VgspVbiosInfo *out)
{
    const uint8_t *p = rom_ptr(rom, t->ptr, BIT_STRING_PTRS__SIZE);
    const uint8_t *name;
    uint8_t len;

    if (!p || t->size < BIT_STRING_PTRS__SIZE) {
        return;
    }
    p += BIT_STRING_PTRS_OEM_PRODUCT_NAME;
    len = p[2];
    name = rom_ptr(rom, vgsp_le16(p), len);
    if (name && len < sizeof(out->board)) {
        memcpy(out->board, name, len);
    }
}

static VgspVbiosError parse_fwsec_desc(const Rom *rom, uint32_t ptr,
                                       uint64_t base, VgspVbiosFwsecInfo *f)
{
    uint64_t at = rom_rebase(rom, ptr), image;
    const uint8_t *d = rom_at(rom, at, FALCON_UCODE_DESC_V2__SIZE);
    uint32_t vdesc;

    if (!d) {
        return VGSP_VBIOS_ERR_FWSEC_BOUNDS;
    }
    vdesc = vgsp_le32(d + FALCON_UCODE_DESC_V2_VDESC);
    if (!(vdesc & FALCON_UCODE_DESC_VDESC_FLAGS_VERSION) ||
        VGSP_GET(FALCON_UCODE_DESC_VDESC_VERSION, vdesc) != 2 ||
        VGSP_GET(FALCON_UCODE_DESC_VDESC_SIZE, vdesc) <
            FALCON_UCODE_DESC_V2__SIZE) {
        return VGSP_VBIOS_ERR_FWSEC_DESC;
    }
    image = at + VGSP_GET(FALCON_UCODE_DESC_VDESC_SIZE, vdesc);

    f->interface_offset = vgsp_le32(d + FALCON_UCODE_DESC_V2_INTERFACE_OFFSET);
    f->virtual_entry = vgsp_le32(d + FALCON_UCODE_DESC_V2_VIRTUAL_ENTRY);
    f->imem_phys_base = vgsp_le32(d + FALCON_UCODE_DESC_V2_IMEM_PHYS_BASE);
    f->imem_load_size = vgsp_le32(d + FALCON_UCODE_DESC_V2_IMEM_LOAD_SIZE);
    f->imem_virt_base = vgsp_le32(d + FALCON_UCODE_DESC_V2_IMEM_VIRT_BASE);
    f->imem_sec_base = vgsp_le32(d + FALCON_UCODE_DESC_V2_IMEM_SEC_BASE);
    f->imem_sec_size = vgsp_le32(d + FALCON_UCODE_DESC_V2_IMEM_SEC_SIZE);
    f->dmem_offset = vgsp_le32(d + FALCON_UCODE_DESC_V2_DMEM_OFFSET);
    f->dmem_phys_base = vgsp_le32(d + FALCON_UCODE_DESC_V2_DMEM_PHYS_BASE);
    f->dmem_load_size = vgsp_le32(d + FALCON_UCODE_DESC_V2_DMEM_LOAD_SIZE);

    /* nouveau copies code and data as one piece of the two sizes' sum */
    f->image_size = f->imem_load_size + f->dmem_load_size;
    if (f->image_size < f->imem_load_size ||
        !rom_at(rom, image, f->image_size) ||
        !vgsp_range_ok(f->dmem_offset, f->dmem_load_size, f->image_size) ||
        f->imem_sec_size > f->imem_load_size ||
        !vgsp_range_ok(f->interface_offset,
                       FALCON_APPLICATION_INTERFACE_HEADER_V1__SIZE,
                       f->dmem_load_size)) {
        return VGSP_VBIOS_ERR_FWSEC_BOUNDS;
    }
    f->image_offset = base + image;
    return VGSP_VBIOS_OK;
}

static VgspVbiosError parse_falcon_data(const Rom *rom, const BitToken *t,
                                        uint64_t base, VgspVbiosFwsecInfo *f)
{
    const uint8_t *p = rom_ptr(rom, t->ptr, BIT_DATA_FALCON_DATA_V2__SIZE);
    VgspVbiosError err = VGSP_VBIOS_ERR_NO_FWSEC;
    uint64_t count, entry_size, header_size, i;
    uint32_t table;

    if (!p) {
        return VGSP_VBIOS_ERR_FALCON_TABLE;
    }
    table = vgsp_le32(p + BIT_DATA_FALCON_DATA_V2_FALCON_UCODE_TABLE_PTR);
    p = rom_ptr(rom, table, FALCON_UCODE_TABLE_HDR_V1__SIZE);
    if (!p) {
        return VGSP_VBIOS_ERR_FALCON_TABLE;
    }
    header_size = p[FALCON_UCODE_TABLE_HDR_V1_HEADER_SIZE];
    entry_size = p[FALCON_UCODE_TABLE_HDR_V1_ENTRY_SIZE];
    count = p[FALCON_UCODE_TABLE_HDR_V1_ENTRY_COUNT];
    if (p[FALCON_UCODE_TABLE_HDR_V1_VERSION] != 1 ||
        header_size < FALCON_UCODE_TABLE_HDR_V1__SIZE ||
        entry_size < FALCON_UCODE_TABLE_ENTRY_V1__SIZE) {
        return VGSP_VBIOS_ERR_FALCON_TABLE;
    }
    for (i = 0; i < count; i++) {
        uint8_t id;

        p = rom_ptr(rom, table + header_size + i * entry_size,
                    FALCON_UCODE_TABLE_ENTRY_V1__SIZE);
        if (!p) {
            return VGSP_VBIOS_ERR_FALCON_TABLE;
        }
        id = p[FALCON_UCODE_TABLE_ENTRY_V1_APPLICATION_ID];
        if (id == FALCON_UCODE_ENTRY_APPID_FWSEC_PROD ||
            id == FALCON_UCODE_ENTRY_APPID_FIRMWARE_SEC_LIC) {
            err = parse_fwsec_desc(
                rom, vgsp_le32(p + FALCON_UCODE_TABLE_ENTRY_V1_DESC_PTR), base,
                f);
            if (err != VGSP_VBIOS_ERR_FWSEC_DESC) {
                break; /* else another entry may suit */
            }
        }
    }
    return err;
}

static VgspVbiosError parse_bit(const Rom *rom, VgspVbiosInfo *out)
{
    VgspVbiosError err = VGSP_VBIOS_ERR_FALCON_TABLE;
    const uint8_t *bit, *p;
    uint64_t header_size, token_size, count, at, i;

    bit = find_bit(rom, &at);
    if (!bit) {
        return VGSP_VBIOS_ERR_NO_BIT;
    }
    header_size = bit[BIT_HEADER_HEADER_SIZE];
    token_size = bit[BIT_HEADER_TOKEN_SIZE];
    count = bit[BIT_HEADER_TOKEN_ENTRIES];
    if (header_size < BIT_HEADER__SIZE || token_size < BIT_TOKEN_V1_00_SIZE_6 ||
        !rom_at(rom, at, header_size + token_size * count)) {
        return VGSP_VBIOS_ERR_BIT;
    }
    for (i = 0; i < count; i++) {
        BitToken t;

        p = bit + header_size + token_size * i;
        t.id = p[BIT_TOKEN_ID];
        t.version = p[BIT_TOKEN_DATA_VERSION];
        t.size = vgsp_le16(p + BIT_TOKEN_DATA_SIZE);
        if (token_size >= BIT_TOKEN_V1_00_SIZE_8) {
            t.ptr = vgsp_le32(p + BIT_TOKEN_DATA_PTR);
        } else {
            t.ptr = vgsp_le16(p + BIT_TOKEN_DATA_PTR);
        }

        if (t.id == BIT_TOKEN_BIOSDATA && (t.version == 1 || t.version == 2) &&
            t.size > BIT_DATA_BIOSDATA_BINVER__SIZE) {
            p = rom_ptr(rom, t.ptr, BIT_DATA_BIOSDATA_BINVER__SIZE);
            if (p) {
                out->version = vgsp_le32(p + BIT_DATA_BIOSDATA_VERSION);
                out->oem_version = p[BIT_DATA_BIOSDATA_OEM_VERSION];
            }
        } else if (t.id == BIT_TOKEN_STRING_PTRS) {
            parse_strings(rom, &t, out);
        } else if (err != VGSP_VBIOS_OK && t.id == BIT_TOKEN_FALCON_DATA &&
                   t.version == 2 && t.size >= BIT_DATA_FALCON_DATA_V2__SIZE) {
            err = parse_falcon_data(rom, &t, out->base, &out->fwsec);
        }
    }
    return err;
}

VgspVbiosError vgsp_vbios_parse(const void *rom, size_t len, VgspVbiosInfo *out)
{
    Rom r = { .data = rom, .len = len };
    VgspVbiosError err;

    if (r.len > VGSP_VBIOS_MAX_SIZE) {
        r.len = VGSP_VBIOS_MAX_SIZE;
    }
    memset(out, 0, sizeof(*out));
    err = find_base(&r, &out->base);
    if (err == VGSP_VBIOS_OK) {
        r.data += out->base;
        r.len -= out->base;
        err = parse_images(&r, out);
    }
    if (err == VGSP_VBIOS_OK) {
        err = parse_bit(&r, out);
    }
    if (err != VGSP_VBIOS_OK) {
        memset(out, 0, sizeof(*out));
    }
    return err;
}

const char *vgsp_vbios_error_str(VgspVbiosError err)
{
    switch (err) {
    case VGSP_VBIOS_OK:
        return "no error";
    case VGSP_VBIOS_ERR_TRUNCATED:
        return "header reaches past the end of the ROM";
    case VGSP_VBIOS_ERR_ROM_SIGNATURE:
        return "no ROM signature";
    case VGSP_VBIOS_ERR_IFR:
        return "bad IFR header";
    case VGSP_VBIOS_ERR_PCIR:
        return "no PCI data structure";
    case VGSP_VBIOS_ERR_IMAGE_SIZE:
        return "bad image size";
    case VGSP_VBIOS_ERR_NO_BIT:
        return "no BIT header";
    case VGSP_VBIOS_ERR_BIT:
        return "bad BIT header";
    case VGSP_VBIOS_ERR_FALCON_TABLE:
        return "no falcon ucode table";
    case VGSP_VBIOS_ERR_NO_FWSEC:
        return "no FWSEC in the falcon ucode table";
    case VGSP_VBIOS_ERR_FWSEC_DESC:
        return "FWSEC descriptor is not of version 2";
    case VGSP_VBIOS_ERR_FWSEC_BOUNDS:
        return "FWSEC out of bounds";
    }
    return "unknown error";
}
