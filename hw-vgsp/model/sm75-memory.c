/*
 * sm_75: loads and stores of global, shared, local and generic memory and of
 * constant banks; fences. exec-facts 6.5 and 8.5, encodings as NVIDIA's
 * nvdisasm reads them. Memory is flat: nothing is cached, so cache control and
 * scopes of weak accesses do nothing.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-memory.h"
#include "model/sm75-alu.h"

/* ---- Forms of an address ---- */

void sm75_decode_address(Sm75Insn *i, bool uniform, unsigned ur_lo,
                         unsigned r64)
{
    i->a = sm75_bits(i, 31, 24);
    i->imm = (int64_t)(sm75_bits(i, 63, 40) << 40) >> 40;
    i->sub[0] = sm75_bit(i, 72) ? SM75_ADDR_WIDE : 0;
    if (uniform) {
        i->ur = sm75_bits(i, ur_lo + 5, ur_lo);
        i->sub[0] |= SM75_ADDR_UR;
        i->sub[0] |= r64 && sm75_bit(i, r64) ? 0 : SM75_ADDR_R32;
    }
    i->n_a = sm75_address_regs(i);
}

void sm75_print_address(const Sm75Insn *i, GString *out, bool global)
{
    static const char *const scales[] = { "", ".X2", ".X4", ".X8", ".X16" };
    bool ur = i->sub[0] & SM75_ADDR_UR;
    bool scaled = !global && ur && i->sub[1];
    bool absolute = i->a == SM75_RZ && !ur;

    g_string_append_c(out, '[');
    if (i->a != SM75_RZ || scaled || (!ur && !i->imm)) {
        sm75_print_reg(out, i->a);
        if (global && ur) {
            g_string_append(out, i->sub[0] & SM75_ADDR_R32 ? ".U32" : ".64");
        } else if (!global) {
            g_string_append(out, scales[i->sub[1]]);
        }
        g_string_append(out, ur || i->imm ? "+" : "");
    }
    if (ur) {
        sm75_print_ureg(out, i->ur);
        g_string_append(out, i->imm ? "+" : "");
    }
    if (absolute && i->imm < 0 && !global) {
        g_string_append_printf(out, "0x%x", (unsigned)i->imm & 0xffffff);
    } else if (i->imm) {
        g_string_append_printf(out, "%s0x%x", i->imm < 0 ? "-" : "",
                               (unsigned)(i->imm < 0 ? -i->imm : i->imm));
    }
    g_string_append_c(out, ']');
}

/* ---- Decoding ---- */

static const char *const type_names[] = {
    ".U8", ".S8", ".U16", ".S16", "", ".64", ".128",
};

/* Whether addresses there have 32 bits, whatever .E says. */
static bool offsets(Sm75Place place)
{
    return place == SM75_SHARED || place == SM75_LOCAL;
}

/* What nvdisasm calls INVALID; shared memory has no such modifiers. */
static bool modifiers_exist(const Sm75Insn *i, Sm75Place place, bool load)
{
    bool global = place == SM75_GLOBAL || place == SM75_GENERIC;

    return place == SM75_SHARED ||
           (sm75_bits(i, 86, 84) < 6 &&
            (!global || (load ? sm75_bits(i, 69, 68) != 3
                              : sm75_bits(i, 80, 79) != 0)));
}

static bool decode_load(Sm75Insn *i, Sm75Place place, bool uniform)
{
    unsigned type = sm75_bits(i, 75, 73);

    if (type > SM75_MEM_128) {
        return false;
    }
    sm75_decode_address(i, uniform, 32, 90);
    i->dst = sm75_bits(i, 23, 16);
    i->dst_index = i->dst == SM75_RZ ? 256 : i->dst;
    i->n_dst = i->cost = sm75_type_regs(type);
    i->n_a = offsets(place) ? 1 : i->n_a;
    i->sub[2] = type;
    i->exec = sm75_load_exec(place, type);
    return modifiers_exist(i, place, true) &&
           sm75_data_regs(i->dst, sm75_type_regs(type));
}

/* data: the register's number. */
static bool decode_store_of(Sm75Insn *i, Sm75Place place, bool uniform,
                            unsigned data)
{
    unsigned type = sm75_bits(i, 75, 73);

    if (type > SM75_MEM_128) {
        return false;
    }
    sm75_decode_address(i, uniform, 64, 90);
    i->c = data;
    i->n_c = i->cost = sm75_type_regs(type);
    i->n_a = offsets(place) ? 1 : i->n_a;
    i->sub[2] = type;
    i->exec = sm75_store_exec(place, type);
    return modifiers_exist(i, place, false) &&
           sm75_data_regs(i->c, sm75_type_regs(type));
}

static bool decode_store(Sm75Insn *i, Sm75Place place, bool uniform)
{
    return decode_store_of(i, place, uniform, sm75_bits(i, 39, 32));
}

/* Lanes whose predicate is false access nothing: they get 0. */
static Sm75Next exec_load_if(Sm75Warp *w, const Sm75Insn *i)
{
    static const Sm75Vec zero;
    uint32_t mask = w->mask;
    uint32_t yes = i->psrc_not ? ~w->p[i->psrc] : w->p[i->psrc];
    unsigned regs = i->dst == SM75_RZ ? 0 : sm75_type_regs(i->sub[2]);
    Sm75Next next = SM75_NEXT;

    w->mask = mask & yes;
    if (w->mask) {
        next = sm75_load_exec(i->sub[3], i->sub[2])(w, i);
    }
    w->mask = mask & ~yes;
    for (unsigned n = 0; n < regs; n++) {
        sm75_set(w, i->dst_index + n, &zero);
    }
    w->mask = mask;
    return next;
}

/*
 * What a load depends on (67:64) is told by the predicate's index, inverted:
 * 0 is PT. A predicate that it writes (83:81, with .ZD) is used by no known
 * compiler, and what it means is not known; unused ones read 0 or PT.
 */
static bool decode_load_if(Sm75Insn *i, Sm75Place place, bool uniform)
{
    unsigned pdst = sm75_bits(i, 83, 81);

    if ((pdst != SM75_PT && pdst != 0) || sm75_bit(i, 87) ||
        !decode_load(i, place, uniform)) {
        return false;
    }
    i->psrc = SM75_PT - sm75_bits(i, 66, 64);
    i->psrc_not = sm75_bit(i, 67);
    i->sub[3] = place;
    if (i->psrc != SM75_PT || i->psrc_not) {
        i->exec = exec_load_if;
    }
    return true;
}

static bool decode_ldg(Sm75Insn *i)
{
    return decode_load_if(i, SM75_GLOBAL, false);
}

static bool decode_ldg_ur(Sm75Insn *i)
{
    return sm75_bit(i, 91) && decode_load_if(i, SM75_GLOBAL, true);
}

/* Without a UR, generic accesses have an offset of 32 bits. */
static bool decode_ld(Sm75Insn *i)
{
    bool uniform = sm75_bit(i, 91);

    if (!decode_load_if(i, SM75_GENERIC, uniform)) {
        return false;
    }
    if (!uniform) {
        i->imm = (int32_t)sm75_bits(i, 63, 32);
    }
    return true;
}

static unsigned scale(const Sm75Insn *i)
{
    unsigned s = sm75_bits(i, 79, 78);

    return s ? s + 1 : 0;       /* .X4, .X8, .X16 */
}

static bool decode_lds(Sm75Insn *i)
{
    i->sub[1] = scale(i);
    /* Bit 87 is .ZD, with a predicate: unknown, as of LDG. */
    return !sm75_bit(i, 87) &&
           decode_load(i, SM75_SHARED, sm75_bit(i, 91));
}

static bool decode_ldl(Sm75Insn *i)
{
    return decode_load(i, SM75_LOCAL, sm75_bit(i, 91));
}

static bool decode_stg(Sm75Insn *i)
{
    return !sm75_bit(i, 91) && decode_store(i, SM75_GLOBAL, false);
}

static bool decode_stg_ur(Sm75Insn *i)
{
    return sm75_bit(i, 91) && decode_store(i, SM75_GLOBAL, true);
}

/* The offset of 32 bits leaves no room for the data but in 71:64. */
static bool decode_st(Sm75Insn *i)
{
    if (sm75_bit(i, 91) ||
        !decode_store_of(i, SM75_GENERIC, false, sm75_bits(i, 71, 64))) {
        return false;
    }
    i->imm = (int32_t)sm75_bits(i, 63, 32);
    return true;
}

static bool decode_st_ur(Sm75Insn *i)
{
    return sm75_bit(i, 91) && decode_store(i, SM75_GENERIC, true);
}

static bool decode_sts(Sm75Insn *i)
{
    i->sub[1] = scale(i);
    return !sm75_bit(i, 91) && decode_store(i, SM75_SHARED, false);
}

static bool decode_sts_ur(Sm75Insn *i)
{
    i->sub[1] = scale(i);
    return sm75_bit(i, 91) && decode_store(i, SM75_SHARED, true);
}

static bool decode_stl(Sm75Insn *i)
{
    return !sm75_bit(i, 91) && decode_store(i, SM75_LOCAL, false);
}

static bool decode_stl_ur(Sm75Insn *i)
{
    return sm75_bit(i, 91) && decode_store(i, SM75_LOCAL, true);
}

static void print_order(const Sm75Insn *i, GString *out, bool load)
{
    static const char *const scopes[] = { ".CTA", ".SM", ".GPU", ".SYS" };
    unsigned order = sm75_bits(i, 80, 79), scope = sm75_bits(i, 78, 77);

    switch (order) {
    case 0:
        g_string_append(out, load ? ".CONSTANT" : "");
        break;
    case 2:
        g_string_append(out, ".STRONG");
        break;
    case 3:
        g_string_append(out, ".MMIO");
        break;
    default:
        break;                  /* weak */
    }
    g_string_append(out, scopes[scope]);
}

static void print_eviction(const Sm75Insn *i, GString *out)
{
    static const char *const names[] = {
        ".EF", "", ".EL", ".LU", ".EU", ".NA",
    };

    g_string_append(out, names[sm75_bits(i, 86, 84)]);
}

static void print_global(const Sm75Insn *i, GString *out, bool load)
{
    g_string_append(out, i->sub[0] & SM75_ADDR_WIDE ? ".E" : "");
    print_eviction(i, out);
    if (load) {
        static const char *const prefetch[] = {
            "", ".LTC64B", ".LTC128B",
        };

        g_string_append(out, prefetch[sm75_bits(i, 69, 68)]);
    }
    g_string_append(out, type_names[i->sub[2]]);
    print_order(i, out, load);
    g_string_append(out, sm75_bit(i, 76) ? ".PRIVATE" : "");
}

static void print_data(GString *out, const Sm75Insn *i, unsigned reg,
                       bool load, bool global)
{
    g_string_append_c(out, ' ');
    if (load) {
        sm75_print_reg(out, reg);
        g_string_append(out, ", ");
    }
    sm75_print_address(i, out, global);
    if (!load) {
        g_string_append(out, ", ");
        sm75_print_reg(out, reg);
    } else if (global && (i->psrc != SM75_PT || i->psrc_not)) {
        g_string_append(out, ", ");
        sm75_print_pred(out, i->psrc, i->psrc_not);
    }
}

static void print_ldg(const Sm75Insn *i, GString *out)
{
    print_global(i, out, true);
    print_data(out, i, i->dst, true, true);
}

static void print_stg(const Sm75Insn *i, GString *out)
{
    print_global(i, out, false);
    print_data(out, i, i->c, false, true);
}

static void print_lds(const Sm75Insn *i, GString *out)
{
    bool local = i->op->opcode == 0x983;

    g_string_append(out, !local && sm75_bit(i, 76) ? ".U" : "");
    g_string_append(out, type_names[i->sub[2]]);
    print_data(out, i, i->dst, true, false);
}

static void print_sts(const Sm75Insn *i, GString *out)
{
    g_string_append(out, type_names[i->sub[2]]);
    print_data(out, i, i->c, false, false);
}

static void print_ldl(const Sm75Insn *i, GString *out)
{
    print_eviction(i, out);
    print_lds(i, out);
}

static void print_stl(const Sm75Insn *i, GString *out)
{
    print_eviction(i, out);
    print_sts(i, out);
}

/* ---- Constant banks ---- */

enum { LDC_BOUND, LDC_BINDLESS };
enum { LDC_IS = 2 };            /* sub[1]: index in the register, 31:16 */

static bool ldc_word(Sm75Warp *w, const Sm75Insn *i, uint32_t reg,
                     uint32_t out[2])
{
    uint32_t index = i->cbuf_index, offset, word;
    unsigned size = sm75_type_size(i->sub[2]);

    if (i->sub[1] == LDC_IS) {
        index += reg >> 16;
        reg &= 0xffff;
    }
    offset = sm75_cbuf_at(reg, (uint16_t)i->imm);
    if (offset & (size - 1)) {
        w->exception = VGSP_EXC_MISALIGNED_ADDRESS;
        return false;
    }
    for (unsigned k = 0; k < size; k += 4) {
        uint32_t at = (offset & ~3u) + k;

        if (!(i->sub[3] == LDC_BINDLESS
              ? sm75_cbuf_bindless32(w, sm75_upair64(w, i->ur), at, &word)
              : sm75_cbuf32(w, index, at, &word))) {
            return false;
        }
        out[k / 4] = word;
    }
    if (size < 4) {
        out[0] = sm75_sub_word((uint8_t *)&out[0] + (offset & 3), i->sub[2]);
    }
    return true;
}

static Sm75Next exec_ldc(Sm75Warp *w, const Sm75Insn *i)
{
    unsigned n = sm75_type_regs(i->sub[2]), first = sm75_first(w->mask);
    const Sm75Vec *reg = &w->r[i->a];
    Sm75Vec differ = (*reg ^ (*reg)[first]) & sm75_lanes(w->mask);
    uint32_t word[2] = { 0, 0 };
    Sm75Vec out[2];

    if (!sm75_any(&differ)) {
        if (!ldc_word(w, i, (*reg)[first], word)) {
            return SM75_FAULT;
        }
        out[0] = (Sm75Vec) { 0 } + word[0];
        out[1] = (Sm75Vec) { 0 } + word[1];
    } else {
        sm75_charge_lanes(w);
        for (uint32_t m = w->mask; m; m &= m - 1) {
            unsigned lane = sm75_first(m);

            if (!ldc_word(w, i, (*reg)[lane], word)) {
                return SM75_FAULT;
            }
            out[0][lane] = word[0];
            out[1][lane] = word[1];
        }
    }
    sm75_set_rows(w, i, out, n);
    return SM75_NEXT;
}

static bool decode_ldc(Sm75Insn *i)
{
    unsigned type = sm75_bits(i, 75, 73);
    bool bindless = (i->lo & 0xfff) == 0x582;

    i->exec = exec_ldc;
    i->dst = sm75_bits(i, 23, 16);
    i->dst_index = i->dst == SM75_RZ ? 256 : i->dst;
    i->n_dst = sm75_type_regs(type);
    i->imm = (int16_t)sm75_bits(i, 53, 38);
    i->sub[2] = type;
    i->sub[3] = bindless ? LDC_BINDLESS : LDC_BOUND;
    if (bindless) {
        i->ur = sm75_bits(i, 29, 24);
        i->a = sm75_bits(i, 71, 64);
    } else {
        i->a = sm75_bits(i, 31, 24);
        i->cbuf_index = sm75_bits(i, 58, 54);
        i->sub[1] = sm75_bits(i, 79, 78);
    }
    return sm75_bit(i, 91) == bindless && type <= SM75_MEM_64 &&
           (i->sub[1] == 0 || i->sub[1] == LDC_IS) &&
           sm75_data_regs(i->dst, sm75_type_regs(type));
}

static void print_ldc(const Sm75Insn *i, GString *out)
{
    g_string_append(out, type_names[i->sub[2]]);
    g_string_append(out, i->sub[1] == LDC_IS ? ".IS " : " ");
    sm75_print_reg(out, i->dst);
    if (i->sub[3] == LDC_BINDLESS) {
        g_string_append(out, ", cx[");
        sm75_print_ureg(out, i->ur);
        g_string_append(out, "][");
    } else {
        g_string_append_printf(out, ", c[0x%x][", i->cbuf_index);
    }
    if (i->a != SM75_RZ) {
        sm75_print_reg(out, i->a);
        g_string_append(out, i->imm ? "+" : "");
    }
    if (i->a == SM75_RZ && i->sub[3] == LDC_BINDLESS) {
        g_string_append_printf(out, "0x%x", (uint16_t)i->imm);
    } else if (i->imm || i->a == SM75_RZ) {
        g_string_append_printf(out, "%s0x%x", i->imm < 0 ? "-" : "",
                               (unsigned)(i->imm < 0 ? -i->imm : i->imm));
    }
    g_string_append_c(out, ']');
}

/* ---- Fences and caches ---- */

static Sm75Next exec_membar(Sm75Warp *w, const Sm75Insn *i)
{
    (void)w;
    (void)i;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return SM75_NEXT;
}

static bool decode_membar(Sm75Insn *i)
{
    i->exec = exec_membar;
    return true;
}

static void print_membar(const Sm75Insn *i, GString *out)
{
    static const char *const orders[] = { ".SC", ".ALL", "", ".INVALID3" };
    static const char *const scopes[] = {
        ".CTA", ".SM", ".GPU", ".SYS", ".INVALID4", ".VC", ".INVALID6",
        ".INVALID7",
    };

    g_string_append(out, orders[sm75_bits(i, 80, 79)]);
    g_string_append(out, scopes[sm75_bits(i, 78, 76)]);
    g_string_append(out, sm75_bit(i, 72) ? ".MMIO" : "");
}

static Sm75Next exec_cctl(Sm75Warp *w, const Sm75Insn *i)
{
    (void)w;
    (void)i;
    return SM75_NEXT;
}

static bool decode_cctl(Sm75Insn *i)
{
    i->exec = exec_cctl;
    i->a = sm75_bits(i, 31, 24);
    i->imm = (int32_t)sm75_bits(i, 63, 32);
    i->sub[0] = sm75_bit(i, 72) ? SM75_ADDR_WIDE : 0;
    if (sm75_bit(i, 91)) {
        i->ur = sm75_bits(i, 37, 32);
        i->imm = 0;
        i->sub[0] |= SM75_ADDR_UR;
    } else if ((i->lo & 0xff) == 0x90) {
        /* CCTLL: of local memory, so without .E and a choice of cache */
        i->imm = (int64_t)(sm75_bits(i, 63, 40) << 40) >> 40;
        i->sub[0] = 0;
    }
    i->n_a = sm75_address_regs(i);
    return true;
}

static void print_cctl(const Sm75Insn *i, GString *out)
{
    static const char *const caches[] = { "", ".U", ".C", ".I" };
    static const char *const ops[] = {
        ".PF1", ".PF2", ".WB", ".IV", ".IVALL", ".RS", ".RSLB", ".WBALL",
        ".INVALID8", ".INVALID9", ".INVALID10", ".INVALID11", ".INVALID12",
        ".INVALID13", ".INVALID14", ".INVALID15",
    };
    unsigned op = sm75_bits(i, 90, 87);

    g_string_append(out, i->sub[0] & SM75_ADDR_WIDE ? ".E" : "");
    if ((i->lo & 0xff) != 0x90) {
        g_string_append(out, caches[sm75_bits(i, 79, 78)]);
    }
    g_string_append(out, ops[op]);
    if (op != 4 && op != 7) {
        g_string_append_c(out, ' ');
        sm75_print_address(i, out, false);
    }
}

/* QSPC: which space a generic address lies in. */
static Sm75Next exec_qspc(Sm75Warp *w, const Sm75Insn *i)
{
    uint32_t yes = 0;
    Sm75Vec out = { 0 };

    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = sm75_first(m);
        uint64_t va = sm75_address(w, i, lane);
        Sm75Place place = sm75_window(w, &va);

        if (place == i->sub[2]) {
            yes |= m & -m;
            out[lane] = 1;
        }
    }
    sm75_set(w, i->dst_index, &out);
    sm75_set_pred(w, i->pdst, yes);
    return SM75_NEXT;
}

static bool decode_qspc(Sm75Insn *i)
{
    static const uint8_t places[] = {
        SM75_GLOBAL, SM75_LOCAL, SM75_SHARED, 0xff,
    };

    i->exec = exec_qspc;
    i->cost = SM75_COST_LANES;
    i->dst = sm75_bits(i, 23, 16);
    i->dst_index = i->dst == SM75_RZ ? 256 : i->dst;
    i->pdst = sm75_pdst(i, 81);
    sm75_decode_address(i, sm75_bit(i, 91), 32, 90);
    i->sub[2] = places[sm75_bits(i, 74, 73)];
    return i->sub[2] != 0xff &&
           sm75_bit(i, 91) == ((i->lo & 0xfff) == 0x9aa) &&
           (sm75_bit(i, 72) || i->sub[0] == (SM75_ADDR_UR | SM75_ADDR_R32) ||
            i->a == SM75_RZ || !sm75_bit(i, 91));
}

static void print_qspc(const Sm75Insn *i, GString *out)
{
    static const char *const places[] = { ".G", ".S", ".L" };

    g_string_append(out, i->sub[0] & SM75_ADDR_WIDE ? ".E" : "");
    g_string_append(out, places[i->sub[2]]);
    g_string_append_c(out, ' ');
    sm75_print_pred(out, i->pdst, false);
    g_string_append(out, ", ");
    sm75_print_reg(out, i->dst);
    g_string_append(out, ", ");
    sm75_print_address(i, out, i->sub[0] & SM75_ADDR_UR);
}

static const Sm75Op ops[] = {
    { "CCTL", 0x98f, false, decode_cctl, print_cctl },
    { "CCTL", 0xd8f, false, decode_cctl, print_cctl },
    { "CCTLL", 0x990, false, decode_cctl, print_cctl },
    { "LD", 0x980, false, decode_ld, print_ldg },
    { "LDC", 0x582, false, decode_ldc, print_ldc },
    { "LDC", 0xb82, false, decode_ldc, print_ldc },
    { "LDG", 0x381, false, decode_ldg, print_ldg },
    { "LDG", 0x981, false, decode_ldg_ur, print_ldg },
    { "LDL", 0x983, false, decode_ldl, print_ldl },
    { "LDS", 0x984, false, decode_lds, print_lds },
    { "MEMBAR", 0x992, false, decode_membar, print_membar },
    { "QSPC", 0x3aa, false, decode_qspc, print_qspc },
    { "QSPC", 0x9aa, false, decode_qspc, print_qspc },
    { "ST", 0x385, false, decode_st, print_stg },
    { "ST", 0x985, false, decode_st_ur, print_stg },
    { "STG", 0x386, false, decode_stg, print_stg },
    { "STG", 0x986, false, decode_stg_ur, print_stg },
    { "STL", 0x387, false, decode_stl, print_stl },
    { "STL", 0x987, false, decode_stl_ur, print_stl },
    { "STS", 0x388, false, decode_sts, print_sts },
    { "STS", 0x988, false, decode_sts_ur, print_sts },
};

const Sm75Table sm75_table_memory = { ops, G_N_ELEMENTS(ops) };
