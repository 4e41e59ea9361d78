/*
 * The rows: a kind of instruction is bits 8:0 of the opcode, and the operand
 * forms (bits 11:9) in which sm_75 has it. Most are encoded alike, but for
 * bits that mean nothing on sm_75 and something on sm_90: these are cleared.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>
#include "translate/sm90.h"

/* Bit n of an instruction, in hi. */
#define H(n) (UINT64_C(1) << ((n) - 64))

/*
 * Fields that an instruction has no use for: registers 31:24 (in lo) and 71:64,
 * predicates 83:81, 86:84, 90:87. Compilers leave 0 there; a GH100 refuses some
 * instructions that hold something else (Illegal Instruction Encoding).
 */
#define NO_A            (UINT64_C(0xff) << 24)
#define NO_C            UINT64_C(0xff)
#define NO_P            (H(81) | H(82) | H(83))
#define NO_Q            (H(84) | H(85) | H(86))
#define NO_R            (H(87) | H(88) | H(89) | H(90))
#define NO_PQR          (NO_P | NO_Q | NO_R)

/* Performance-monitor triggers of sm_90. */
#define ALWAYS_CLEAR (H(102) | H(103))

/*
 * Cycles (108:105) that must pass after BAR and MEMBAR: one more than sm_75
 * wants. Mesa's compiler has no other difference between the two.
 */
#define BARRIER_CYCLES  6

/*
 * Where sm_75 tells of the result by a barrier, and sm_90 has a fixed latency:
 * no barrier (115:110), and 15 cycles.
 */
#define FIXED_CLEAR     (H(105) | H(106) | H(107) | H(108))
#define FIXED_CONTROL   (FIXED_CLEAR | UINT64_C(0x3f) << (110 - 64))

#define OPCODE(i)       ((unsigned)(i)->lo & 0xfff)
#define FORM(i)         ((unsigned)(i)->lo >> 9 & 7)
#define RZ              255

typedef enum Sm90Kind {
    SM90_KEEP,                  /* encoded alike */
    SM90_ATTRIBUTE,
    SM90_BARRIER,               /* as KEEP, and takes longer to issue */
    SM90_BRANCH,                /* a target or an offset of code */
    SM90_CCTL,
    SM90_FIXED,                 /* encoded alike, with a fixed latency */
    SM90_HALF,                  /* half-precision arithmetic */
    SM90_I2IP,
    SM90_ISBERD,
    SM90_LATER,                 /* as KEEP; a guard may have it a cycle later */
    SM90_LDC,
    SM90_MEMORY,                /* memory order and scope */
    SM90_MEMORY_KEEP,           /* without them */
    SM90_MUFU,
    SM90_OUT,
    SM90_R2UR,
    SM90_WARPSYNC,
    SM90_CANNOT,
} Sm90Kind;

typedef struct Sm90Row {
    uint16_t op;                /* bits 8:0 */
    uint8_t forms;              /* bit n: form n */
    uint8_t kind;
    const char *name;
    uint64_t clear;             /* in hi */
    uint32_t clear_lo;
} Sm90Row;

static const Sm90Row rows[] = {
    { 0x001, 0x10, SM90_KEEP, "PMTRIG", NO_C | NO_P | NO_Q | H(91), NO_A },
    { 0x002, 0x72, SM90_KEEP, "MOV", NO_C | NO_PQR, NO_A },
    { 0x003, 0x72, SM90_KEEP, "P2R", NO_C | NO_PQR, 0 },
    { 0x004, 0x72, SM90_LATER, "R2P", NO_C | NO_PQR, 0 },
    { 0x005, 0x10, SM90_KEEP, "CS2R", NO_C | NO_PQR | H(91), NO_A },
    { 0x006, 0x10, SM90_LATER, "VOTE", NO_C | NO_Q | H(91), NO_A },
    { 0x007, 0x72, SM90_KEEP, "SEL", NO_C | NO_P | NO_Q, 0 },
    { 0x008, 0x72, SM90_KEEP, "FSEL", NO_C | NO_P | NO_Q, 0 },
    { 0x009, 0x72, SM90_KEEP, "FMNMX",
      NO_C | NO_P | NO_Q | H(65) | H(66) | H(67) | H(68) | H(81) | H(82) |
      H(83), 0 },
    { 0x00a, 0x72, SM90_KEEP, "FSET", NO_C | NO_P | NO_Q, 0 },
    { 0x00b, 0x72, SM90_LATER, "FSETP", NO_C, 0 },
    { 0x00c, 0x72, SM90_LATER, "ISETP", 0, 0 },
    { 0x010, 0x72, SM90_LATER, "IADD3", 0, 0 },
    { 0x011, 0x76, SM90_KEEP, "LEA", NO_Q, 0 },
    { 0x012, 0x72, SM90_LATER, "LOP3", NO_Q, 0 },
    { 0x013, 0x72, SM90_KEEP, "IABS", NO_C | NO_PQR, NO_A },
    { 0x014, 0xfe, SM90_KEEP, "VABSDIFF", NO_Q | NO_R, 0 },
    { 0x015, 0xfe, SM90_KEEP, "VABSDIFF4", NO_Q | NO_R, 0 },
    { 0x016, 0xfe, SM90_KEEP, "PRMT", NO_PQR, 0 },
    { 0x017, 0x72, SM90_KEEP, "IMNMX", NO_C | NO_P | NO_Q, 0 },
    { 0x019, 0xfe, SM90_KEEP, "SHF", NO_PQR, 0 },
    { 0x01a, 0x72, SM90_KEEP, "SGXT", NO_C | NO_PQR, 0 },
    { 0x01b, 0x72, SM90_KEEP, "BMSK", NO_C | NO_PQR, 0 },
    { 0x01c, 0x10, SM90_LATER, "PLOP3", 0, NO_A },
    { 0x01d, 0x62, SM90_LATER, "PLOP3", 0, 0 },
    { 0x01e, 0x62, SM90_LATER, "PLOP3", 0, NO_A },
    { 0x01f, 0x62, SM90_LATER, "PLOP3", NO_R, 0 },
    { 0x020, 0x72, SM90_KEEP, "FMUL", NO_C | NO_P | NO_R, 0 },
    { 0x021, 0x8e, SM90_KEEP, "FADD", NO_C | NO_PQR, 0 },
    { 0x022, 0x10, SM90_KEEP, "FSWZADD", NO_PQR | H(91), 0 },
    { 0x023, 0xfe, SM90_KEEP, "FFMA", NO_PQR, 0 },
    { 0x024, 0xfe, SM90_KEEP, "IMAD", NO_Q, 0 },
    { 0x025, 0xfa, SM90_KEEP, "IMAD", NO_Q, 0 },
    { 0x026, 0x62, SM90_KEEP, "IDP", NO_PQR, 0 },
    { 0x027, 0xfa, SM90_KEEP, "IMAD", NO_Q, 0 },
    { 0x028, 0x72, SM90_FIXED, "DMUL", NO_C | NO_PQR, 0 },
    { 0x029, 0x8e, SM90_FIXED, "DADD", NO_PQR, 0 },
    { 0x02a, 0x8e, SM90_FIXED, "DSETP", NO_C, 0 },
    { 0x02b, 0xfe, SM90_FIXED, "DFMA", NO_PQR, 0 },
    { 0x030, 0x8e, SM90_HALF, "HADD2", NO_C | NO_PQR, 0 },
    { 0x031, 0xfe, SM90_HALF, "HFMA2", NO_R, 0 },
    { 0x032, 0x72, SM90_HALF, "HMUL2", NO_C | NO_PQR, 0 },
    { 0x033, 0x8e, SM90_HALF, "HSET2", NO_P | NO_Q, 0 },
    { 0x034, 0x8e, SM90_HALF, "HSETP2", 0, 0 },
    { 0x036, 0x02, SM90_CANNOT, "HMMA", 0, 0 },
    { 0x037, 0x02, SM90_CANNOT, "IMMA", 0, 0 },
    { 0x038, 0x72, SM90_KEEP, "I2I", NO_C | NO_PQR, NO_A },
    { 0x039, 0x72, SM90_I2IP, "I2IP", NO_PQR, 0 },
    { 0x03a, 0x02, SM90_CANNOT, "MOVM", 0, 0 },
    { 0x03b, 0x10, SM90_CANNOT, "LDSM", 0, 0 },
    { 0x03c, 0x02, SM90_CANNOT, "HMMA", 0, 0 },
    { 0x03d, 0x02, SM90_CANNOT, "BMMA", 0, 0 },
    { 0x03e, 0x72, SM90_KEEP, "F2FP",
      H(73) | H(74) | H(75) | H(76) | H(77) | H(78) | H(81) | H(86) | H(87) |
      H(88) | H(89) | H(90), 0 },
    { 0x082, 0x50, SM90_KEEP, "UMOV", NO_C | NO_PQR, NO_A },
    { 0x083, 0x50, SM90_KEEP, "UP2UR", 0, 0 },
    { 0x084, 0x50, SM90_KEEP, "UR2UP", 0, 0 },
    { 0x086, 0x10, SM90_LATER, "VOTEU", NO_C | NO_Q, NO_A },
    { 0x087, 0x12, SM90_KEEP, "USEL", 0, 0 },
    { 0x08c, 0x12, SM90_KEEP, "UISETP", 0, 0 },
    { 0x090, 0x12, SM90_KEEP, "UIADD3", 0, 0 },
    { 0x091, 0x16, SM90_KEEP, "ULEA", 0, 0 },
    { 0x092, 0x12, SM90_KEEP, "ULOP3", 0, 0 },
    { 0x096, 0x12, SM90_KEEP, "UPRMT", 0, 0 },
    { 0x097, 0x12, SM90_KEEP, "UIADD3", 0, 0 },
    { 0x099, 0x16, SM90_KEEP, "USHF", 0, 0 },
    { 0x09a, 0x12, SM90_KEEP, "USGXT", 0, 0 },
    { 0x09b, 0x12, SM90_KEEP, "UBMSK", 0, 0 },
    { 0x09c, 0x10, SM90_KEEP, "UPLOP3", 0, NO_A },
    { 0x09d, 0x02, SM90_KEEP, "UPLOP3", 0, 0 },
    { 0x09e, 0x02, SM90_KEEP, "UPLOP3", 0, 0 },
    { 0x09f, 0x02, SM90_KEEP, "UPLOP3", 0, 0 },
    { 0x0a4, 0x16, SM90_KEEP, "UIMAD", 0, 0 },
    { 0x0a5, 0x12, SM90_KEEP, "UIMAD", 0, 0 },
    { 0x0b8, 0x10, SM90_KEEP, "ULDC", 0, 0 },
    { 0x0b9, 0x20, SM90_KEEP, "ULDC", 0, 0 },
    { 0x0bb, 0x20, SM90_KEEP, "ULDC", 0, 0 },
    { 0x0bc, 0x50, SM90_KEEP, "UCLEA", 0, 0 },
    { 0x0bd, 0x12, SM90_KEEP, "UFLO", 0, 0 },
    { 0x0be, 0x12, SM90_KEEP, "UBREV", 0, 0 },
    { 0x0bf, 0x12, SM90_KEEP, "UPOPC", 0, 0 },
    { 0x100, 0x72, SM90_KEEP, "FLO", NO_C | NO_Q | NO_R, NO_A },
    { 0x101, 0x72, SM90_KEEP, "BREV", NO_C | NO_PQR, NO_A },
    { 0x102, 0x72, SM90_KEEP, "FCHK", NO_C | NO_Q | NO_R, 0 },
    { 0x104, 0x72, SM90_KEEP, "F2F", NO_C | NO_P | NO_R | H(86), NO_A },
    { 0x105, 0x72, SM90_KEEP, "F2I", NO_C | NO_P | NO_R | H(86), NO_A },
    { 0x106, 0x72, SM90_KEEP, "I2F", NO_C | NO_P | NO_R | H(77), NO_A },
    { 0x107, 0x72, SM90_KEEP, "FRND",
      NO_C | NO_P | NO_R | H(77) | H(86), NO_A },
    { 0x108, 0x72, SM90_MUFU, "MUFU", NO_C | NO_PQR, NO_A },
    { 0x109, 0x72, SM90_KEEP, "POPC", NO_C | NO_PQR, NO_A },
    { 0x110, 0x72, SM90_KEEP, "F2F", NO_C | NO_P | NO_R | H(86), NO_A },
    { 0x111, 0x72, SM90_KEEP, "F2I", NO_C | NO_P | NO_R | H(86), NO_A },
    { 0x112, 0x72, SM90_KEEP, "I2F", NO_C | NO_P | NO_R | H(77), NO_A },
    { 0x113, 0x72, SM90_KEEP, "FRND",
      NO_C | NO_P | NO_R | H(77) | H(86), NO_A },
    { 0x118, 0x10, SM90_KEEP, "NOP", H(91), 0 },
    { 0x119, 0x10, SM90_KEEP, "S2R", H(91), 0 },
    { 0x11a, 0x10, SM90_KEEP, "DEPBAR", H(91), 0 },
    { 0x11c, 0x02, SM90_KEEP, "B2R", H(91), 0 },
    { 0x11d, 0x36, SM90_BARRIER, "BAR", H(91), 0 },
    { 0x120, 0x14, SM90_KEEP, "AL2P", H(91), 0 },
    { 0x121, 0x06, SM90_ATTRIBUTE, "ALD", 0, 0 },
    { 0x122, 0x06, SM90_ATTRIBUTE, "AST", 0, 0 },
    { 0x123, 0x10, SM90_ISBERD, "ISBERD", H(91), 0 },
    { 0x124, 0x12, SM90_OUT, "OUT", 0, 0 },
    { 0x125, 0x10, SM90_KEEP, "PIXLD", H(91), 0 },
    { 0x126, 0x16, SM90_KEEP, "IPA", 0, 0 },
    { 0x141, 0x10, SM90_KEEP, "BSYNC", H(91), 0 },
    { 0x142, 0x10, SM90_KEEP, "BREAK", H(91), 0 },
    { 0x143, 0x12, SM90_BRANCH, "CALL", 0, 0 },
    { 0x144, 0x12, SM90_BRANCH, "CALL", 0, 0 },
    { 0x145, 0x10, SM90_KEEP, "BSSY", H(91), 0 },
    { 0x146, 0x10, SM90_KEEP, "YIELD", H(91), 0 },
    { 0x147, 0x10, SM90_BRANCH, "BRA", 0, 0 },
    { 0x148, 0x72, SM90_WARPSYNC, "WARPSYNC", 0, 0 },
    { 0x149, 0x10, SM90_BRANCH, "BRX", 0, 0 },
    { 0x14a, 0x30, SM90_BRANCH, "JMP", 0, 0 },
    { 0x14c, 0x10, SM90_BRANCH, "JMX", 0, 0 },
    { 0x14d, 0x10, SM90_KEEP, "EXIT", H(91), 0 },
    { 0x14e, 0x02, SM90_KEEP, "LEPC", H(91), 0 },
    { 0x150, 0x10, SM90_BRANCH, "RET", 0, 0 },
    { 0x155, 0x82, SM90_KEEP, "BMOV", 0, 0 },
    { 0x156, 0xf2, SM90_KEEP, "BMOV", 0, 0 },
    { 0x158, 0x10, SM90_BRANCH, "BRXU", 0, 0 },
    { 0x159, 0x10, SM90_BRANCH, "JMXU", 0, 0 },
    { 0x15b, 0x10, SM90_KEEP, "KILL", H(91), 0 },
    { 0x15c, 0x10, SM90_CANNOT, "BPT", 0, 0 },
    { 0x15d, 0x72, SM90_KEEP, "NANOSLEEP", H(83) | H(84), 0 },
    { 0x160, 0xa0, SM90_KEEP, "TEX", 0, 0 },
    { 0x161, 0x02, SM90_KEEP, "TEX", 0, 0 },
    { 0x162, 0x20, SM90_KEEP, "TEX", 0, 0 },
    { 0x163, 0xa0, SM90_KEEP, "TLD4", 0, 0 },
    { 0x164, 0x02, SM90_KEEP, "TLD4", 0, 0 },
    { 0x165, 0x20, SM90_KEEP, "TLD4", 0, 0 },
    { 0x166, 0xa0, SM90_KEEP, "TLD", 0, 0 },
    { 0x167, 0x02, SM90_KEEP, "TLD", 0, 0 },
    { 0x169, 0xa0, SM90_KEEP, "TMML", 0, 0 },
    { 0x16a, 0x02, SM90_KEEP, "TMML", 0, 0 },
    { 0x16b, 0x20, SM90_KEEP, "TMML", 0, 0 },
    { 0x16c, 0xa0, SM90_KEEP, "TXD", 0, 0 },
    { 0x16d, 0x02, SM90_KEEP, "TXD", 0, 0 },
    { 0x16e, 0x20, SM90_KEEP, "TXD", 0, 0 },
    { 0x16f, 0xa0, SM90_KEEP, "TXQ", 0, 0 },
    { 0x170, 0x02, SM90_KEEP, "TXQ", 0, 0 },
    { 0x180, 0x10, SM90_MEMORY, "LD", 0, 0 },
    { 0x181, 0x12, SM90_MEMORY, "LDG", 0, 0 },
    { 0x182, 0x24, SM90_LDC, "LDC", 0, 0 },
    { 0x183, 0x10, SM90_KEEP, "LDL", H(76), 0 },
    { 0x184, 0x10, SM90_MEMORY_KEEP, "LDS", 0, 0 },
    { 0x185, 0x12, SM90_MEMORY, "ST", 0, 0 },
    { 0x186, 0x12, SM90_MEMORY, "STG", 0, 0 },
    { 0x187, 0x12, SM90_KEEP, "STL", H(76), 0 },
    { 0x188, 0x12, SM90_KEEP, "STS", 0, 0 },
    { 0x189, 0x96, SM90_KEEP, "SHFL", H(91), 0 },
    { 0x18a, 0x12, SM90_MEMORY, "ATOM", 0, 0 },
    { 0x18b, 0x02, SM90_MEMORY, "ATOM", 0, 0 },
    { 0x18c, 0x12, SM90_KEEP, "ATOMS", H(75), 0 },
    { 0x18d, 0x02, SM90_KEEP, "ATOMS", H(75), 0 },
    { 0x18e, 0x10, SM90_MEMORY, "RED", 0, 0 },
    { 0x18f, 0x50, SM90_CCTL, "CCTL", 0, 0 },
    { 0x190, 0x10, SM90_KEEP, "CCTLL", 0, 0 },
    { 0x192, 0x10, SM90_BARRIER, "MEMBAR", H(72) | H(73) | H(91), 0 },
    { 0x194, 0x02, SM90_MEMORY, "SUATOM", 0, 0 },
    { 0x196, 0x02, SM90_MEMORY, "SUATOM", 0, 0 },
    { 0x198, 0x10, SM90_MEMORY, "SULD", 0, 0 },
    { 0x19c, 0x10, SM90_MEMORY, "SUST", 0, 0 },
    { 0x1a0, 0x02, SM90_MEMORY, "SURED", 0, 0 },
    { 0x1a1, 0x02, SM90_KEEP, "MATCH", H(91), 0 },
    { 0x1a8, 0x12, SM90_MEMORY, "ATOMG", 0, 0 },
    { 0x1a9, 0x02, SM90_MEMORY, "ATOMG", 0, 0 },
    { 0x1aa, 0x12, SM90_KEEP, "QSPC", 0, 0 },
    { 0x1ab, 0x10, SM90_KEEP, "ERRBAR", H(91), 0 },
    { 0x1ad, 0x02, SM90_KEEP, "LDTRAM", 0, 0 },
    { 0x1c2, 0x02, SM90_R2UR, "R2UR", 0, 0 },
    { 0x1c3, 0x10, SM90_KEEP, "S2UR", 0, 0 },
};

static const Sm90Row *by_opcode[4096];

static void build(void)
{
    for (unsigned r = 0; r < G_N_ELEMENTS(rows); r++) {
        for (unsigned form = 0; form < 8; form++) {
            if (rows[r].forms >> form & 1) {
                by_opcode[rows[r].op | form << 9] = &rows[r];
            }
        }
    }
}

static const Sm90Row *row_of(unsigned opcode)
{
    static gsize once;

    if (g_once_init_enter(&once)) {
        build();
        g_once_init_leave(&once, 1);
    }
    return by_opcode[opcode];
}

static unsigned get(const Sm90Insn *i, unsigned hi, unsigned lo)
{
    uint64_t v = lo >= 64 ? i->hi >> (lo - 64) : i->lo >> lo;

    return (unsigned)(v & ((UINT64_C(1) << (hi - lo + 1)) - 1));
}

/*
 * Code offsets and addresses: sm_75 has 48 bits of words from bit 34 on, sm_90
 * 56 bits of words: the lower eight from bit 16 on, the rest from bit 34 on.
 */
static int64_t branch_words(const Sm90Insn *i)
{
    uint64_t words = i->lo >> 34 | (i->hi & 0x3ffff) << 30;

    return (int64_t)(words << 16) >> 16;
}

static const char *branch(Sm90Insn *i, bool absolute)
{
    int64_t words = branch_words(i) &
                    (absolute ? INT64_C(0x7fffffffffff) : -1);
    uint64_t rest = (uint64_t)(words >> 8);

    i->lo = (i->lo & ~(UINT64_C(0x3fffffff) << 34) & ~UINT64_C(0xff0000)) |
            ((uint64_t)words & 0xff) << 16 | rest << 34;
    i->hi = (i->hi & ~UINT64_C(0x3ffff)) | (rest >> 30 & 0x3ffff);
    return NULL;
}

static const char *translate_branch(Sm90Insn *i)
{
    switch (OPCODE(i)) {
    case 0x947:                 /* BRA: sm_90 can test a uniform register */
        i->lo &= ~UINT64_C(0xff000000);
        i->hi &= ~H(91);
        return branch(i, false);
    case 0x94a:                 /* JMP */
        i->lo &= ~UINT64_C(0x7fff0000);
        i->hi &= ~(H(84) | H(91));
        return branch(i, true);
    case 0x943:                 /* CALL.ABS */
        return branch(i, !(i->hi & H(91)));
    case 0xb4a:                 /* JMP c[][] */
    case 0xb43:
        return "an indirect branch through a constant buffer";
    case 0x949:
    case 0x94c:
        i->hi &= ~H(91);
        return branch(i, false);
    default:
        return branch(i, false);
    }
}

/*
 * sm_75: order (80:79; constant, weak, strong, MMIO) and scope (78:77; CTA,
 * SM, GPU, system). sm_90 has one field of what there is of both.
 */
static const char *translate_memory(Sm90Insn *i, bool load)
{
    enum {
        WEAK = 0x0, CONSTANT = 0x4, STRONG_SM = 0x5, STRONG_GPU = 0x7,
        MMIO_GPU = 0x8, STRONG_SYS = 0xa, MMIO_SYS = 0xc,
    };
    static const uint8_t strong[4] = {
        STRONG_SM, STRONG_SM, STRONG_GPU, STRONG_SYS,
    };
    unsigned order = get(i, 80, 79), scope = get(i, 78, 77);
    uint64_t field;

    switch (order) {
    case 0:
        if (!load) {
            return "a store or atomic operation of constant order";
        }
        field = CONSTANT;
        break;
    case 1:
        field = WEAK;
        break;
    case 2:
        field = strong[scope];
        break;
    default:
        field = scope == 3 ? MMIO_SYS : MMIO_GPU;
        break;
    }
    i->hi &= ~(H(76) | H(77) | H(78) | H(79) | H(80));
    i->hi |= field << (77 - 64);
    return NULL;
}

/* Where the bit is that says that the register beside a uniform one has 64. */
static uint64_t wide_address(unsigned op)
{
    return op == 0x18a || op == 0x1a8 ? H(70) : H(90);
}

/*
 * sm_90 has atomic operations on floating-point numbers under another opcode,
 * with types of their own (76:73).
 */
static const char *atomic_type(Sm90Insn *i)
{
    enum { F16X2 = 0, F32_FTZ = 9, F64 = 15, S64 = 3 };
    unsigned type = get(i, 75, 73), op = OPCODE(i) & 0x1ff;
    static const uint8_t types[8] = {
        [3] = F32_FTZ, [4] = F16X2, [5] = S64, [6] = F64,
    };

    if (type < 3) {
        return NULL;
    }
    if (type == 7 || (type != 5 && get(i, 90, 87) & (op == 0x18e ? 7 : 15))) {
        return "an atomic operation on floating-point numbers but ADD";
    }
    i->hi = (i->hi & ~(H(73) | H(74) | H(75) | H(76))) |
            (uint64_t)types[type] << (73 - 64);
    if (type != 5) {
        op = op == 0x18a ? 0x1a2 : op == 0x1a8 ? 0x1a3 : 0x1a6;
        i->lo = (i->lo & ~UINT64_C(0x1ff)) | op;
    }
    return NULL;
}

static const char *memory(Sm90Insn *i)
{
    unsigned op = OPCODE(i) & 0x1ff;
    bool load = op == 0x180 || op == 0x181;
    const char *why;

    if (load && i->hi & H(87)) {
        return "a load with .ZD";
    }
    if (i->hi & H(91)) {
        if (op == 0x18a || op == 0x18e || op == 0x1a8) {
            i->hi &= ~H(71);
        }
        if (op < 0x190 || op == 0x1a8) {
            i->hi &= get(i, 31, 24) == RZ ? ~wide_address(op) : UINT64_MAX;
        }
    }
    why = translate_memory(i, load || op == 0x198);
    if (!why && (op == 0x18a || op == 0x18e || op == 0x1a8)) {
        why = atomic_type(i);
    }
    return why;
}

/* Another cycle before the next instruction, as far as there are any. */
static const char *later(Sm90Insn *i)
{
    if (get(i, 108, 105) < 15) {
        i->hi += H(105);
    }
    return NULL;
}

/*
 * The 32-bit operands and results of half-precision arithmetic are gone, but
 * for the result of HADD2 and HFMA2; bfloat16 and .RELU are new.
 */
static const char *half(Sm90Insn *i)
{
    static const char *const cannot =
        "half-precision arithmetic with a 32-bit operand";
    unsigned op = OPCODE(i) & 0x1ff, form = FORM(i);
    bool wide = i->hi & H(78);

    if (get(i, 75, 74) == 1 ||
        (form != 2 && form != 4 && get(i, 61, 60) == 1) ||
        (op == 0x31 && get(i, 82, 81) == 1)) {
        return cannot;
    }
    switch (op) {
    case 0x30:                  /* HADD2 */
        i->hi &= ~H(85);
        if (!wide) {
            return NULL;
        }
        /*
         * Compilers make a single of a half with it. GH100 refused a sum, of
         * operands that are pairs.
         */
        if (form == 2 || form == 4 || get(i, 31, 24) != RZ) {
            return "HADD2.F32 but as a conversion";
        }
        i->hi &= ~H(73);
        return NULL;
    case 0x31:                  /* HFMA2 */
        i->hi &= ~(H(79) | H(85) | H(86) | H(87) | H(88) | H(89) | H(90));
        return NULL;
    case 0x32:                  /* HMUL2 */
        i->hi &= ~H(85);
        return wide ? cannot : NULL;
    case 0x34:                  /* HSETP2 */
        i->hi &= ~(H(64) | H(65));
        return later(i);
    default:                    /* HSET2 */
        i->hi &= ~(H(64) | H(65));
        return NULL;
    }
}

static const char *translate(const Sm90Row *row, Sm90Insn *i)
{
    switch ((Sm90Kind)row->kind) {
    case SM90_KEEP:
        return NULL;
    case SM90_ATTRIBUTE:
        if (get(i, 41, 40)) {
            return "an attribute that is not aligned";
        }
        if (FORM(i) == 1) {
            i->lo &= (UINT64_C(1) << 50) - 1;
        }
        return NULL;
    case SM90_BARRIER:
        if ((OPCODE(i) & 0x1ff) == 0x11d && get(i, 79, 77) == 4) {
            return "BAR.SYNCALL";
        }
        if (get(i, 108, 105) < BARRIER_CYCLES) {
            i->hi = (i->hi & ~(UINT64_C(15) << 41)) |
                    (uint64_t)BARRIER_CYCLES << 41;
        }
        return NULL;
    case SM90_BRANCH:
        return translate_branch(i);
    case SM90_FIXED:
        i->hi = (i->hi & ~FIXED_CLEAR) | FIXED_CONTROL;
        return NULL;
    case SM90_LATER:
        return later(i);
    case SM90_CCTL:
        if (FORM(i) == 6) {
            return "CCTL with a uniform register";
        }
        return NULL;
    case SM90_HALF:
        return half(i);
    case SM90_I2IP:             /* always saturates on sm_75 */
        i->hi = (i->hi & ~H(75)) | H(74);
        return NULL;
    case SM90_ISBERD:           /* sm_90 adds an offset */
        i->lo &= UINT64_C(0xffffffffff);
        return NULL;
    case SM90_LDC:
        if (FORM(i) == 2) {
            i->hi &= ~(H(78) | H(79));
        }
        return NULL;
    case SM90_MEMORY:
        return memory(i);
    case SM90_MEMORY_KEEP:      /* LDS: .U is a hint */
        if (i->hi & H(87)) {
            return "a load with .ZD";
        }
        i->hi &= ~H(76);
        return NULL;
    case SM90_MUFU:
        /* .F16 moved, for bfloat16 is where it was. */
        i->hi = (i->hi & ~(H(72) | H(73))) | (i->hi & H(73)) >> 1;
        return NULL;
    case SM90_OUT:              /* .FINAL has one operand */
        if (FORM(i) == 1 && !get(i, 79, 78)) {
            i->lo |= UINT64_C(0xff00ff0000);
        }
        return NULL;
    case SM90_R2UR:
        i->lo = (i->lo & ~UINT64_C(0xfff)) | 0x2ca;
        i->hi = (i->hi & ~(H(91) | FIXED_CLEAR)) | FIXED_CONTROL;
        return NULL;
    case SM90_WARPSYNC:
        i->hi &= ~(H(85) | H(86) | H(91));
        if (FORM(i) == 1) {
            i->lo = (i->lo & 0xffff) | (uint64_t)get(i, 39, 32) << 24;
            return NULL;
        }
        if (FORM(i) == 4 && i->lo >> 32 == UINT32_MAX) {
            i->lo &= UINT64_C(0xffff);
            return NULL;
        }
        return "WARPSYNC of lanes that are not in a register";
    default:
        return "a matrix or surface instruction, or BPT";
    }
}

/* Where compilers leave RZ or PT in a field that has no use, not 0. */
static void none(Sm90Insn *i)
{
    switch (OPCODE(i) & 0x1ff) {
    case 0x011:                 /* LEA, ULEA: but for .HI without .SX32 */
    case 0x091:
        if (i->hi & H(80) && !(i->hi & H(73))) {
            break;
        }
        i->hi |= NO_C;
        break;
    case 0x024:                 /* IMAD, UIMAD */
    case 0x0a4:
        i->hi |= NO_P;
        break;
    case 0x03e:                 /* F2FP */
        i->hi |= NO_C;
        break;
    default:
        break;
    }
}

const char *sm90_translate(Sm90Insn *i)
{
    const Sm90Row *row = row_of(OPCODE(i));
    Sm90Insn out = *i;
    const char *why;

    if (!row) {
        return "an unknown instruction";
    }
    why = translate(row, &out);
    if (!why) {
        out.hi &= ~(row->clear | ALWAYS_CLEAR);
        out.lo &= ~(uint64_t)row->clear_lo;
        none(&out);
        *i = out;
    }
    return why;
}

/* ---- Flow ---- */

/* Neither a guard nor a predicate operand (90:87) can keep it from acting. */
static bool certain(const Sm90Insn *i)
{
    return get(i, 15, 12) == 7 && get(i, 90, 87) == 7;
}

Sm90Flow sm90_flow(uint64_t pc, uint64_t lo, uint64_t hi)
{
    Sm90Insn i = { lo, hi };
    uint64_t words = (uint64_t)branch_words(&i) * 4;
    Sm90Flow f = { .next = true };

    switch (OPCODE(&i)) {
    case 0x947:                 /* BRA: .DIV and .CONV are conditions */
        f.target = true;
        f.to = pc + 16 + words;
        f.next = !certain(&i) || get(&i, 33, 32) > 1;
        break;
    case 0x945:                 /* BSSY: where lanes meet again */
        f.target = true;
        f.to = pc + 16 + (uint64_t)(int64_t)(int32_t)(lo >> 32 & ~3u);
        break;
    case 0x94a:                 /* JMP */
        f.target = true;
        f.to = words;
        f.next = !certain(&i) || get(&i, 33, 32) > 1;
        break;
    case 0x943:                 /* CALL.ABS */
    case 0x944:                 /* CALL.REL */
        f.indirect = hi & H(91) && get(&i, 29, 24) != 63;
        f.target = true;
        f.to = words + (OPCODE(&i) == 0x944 ? pc + 16 : 0);
        break;
    case 0x343:
    case 0x344:
        f.indirect = get(&i, 31, 24) != RZ;
        f.target = true;
        f.to = words + (OPCODE(&i) == 0x344 ? pc + 16 : 0);
        break;
    case 0x949:                 /* BRX */
    case 0x94c:                 /* JMX */
    case 0x958:                 /* BRXU */
    case 0x959:                 /* JMXU */
    case 0xb4a:
    case 0xb43:
        f.indirect = true;
        break;
    case 0x94d:                 /* EXIT */
    case 0x950:                 /* RET: behind a CALL, which is known */
        f.next = !certain(&i);
        break;
    case 0x980:                 /* LD, ST, ATOM, with any form of address */
    case 0x385:
    case 0x985:
    case 0x38a:
    case 0x38b:
    case 0x98a:
        f.generic = true;
        break;
    default:
        break;
    }
    return f;
}
