/*
 * The sm_75 disassembler: lines as NVIDIA's nvdisasm prints them, in the order
 * of the words' opcodes. With "--words FILE": prints the 16-byte words of a
 * file, one a line, "?" for what is no instruction (tests/sm75/nvdisasm-agree).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include "model/sm75.h"

typedef struct Vector {
    uint64_t lo, hi;
    const char *line;
} Vector;

static const Vector vectors[] = {
#include "../sm75/lines.inc"
};

static void print_line(uint64_t lo, uint64_t hi, uint64_t pc, GString *out)
{
    Sm75Insn i;

    g_string_truncate(out, 0);
    if (sm75_decode(lo, hi, &i)) {
        sm75_print(&i, pc, out);
    } else {
        g_string_append_c(out, '?');
    }
}

static void test_lines(void)
{
    g_autoptr(GString) out = g_string_new(NULL);

    for (unsigned n = 0; n < G_N_ELEMENTS(vectors); n++) {
        print_line(vectors[n].lo, vectors[n].hi, 0, out);
        g_assert_cmpstr(out->str, ==, vectors[n].line);
    }
}

/* Opcodes that sm_75 does not have. */
static void test_illegal(void)
{
    static const uint16_t codes[] = { 0x000, 0x22f, 0x040, 0x240, 0xfff };
    Sm75Insn i;

    for (unsigned n = 0; n < G_N_ELEMENTS(codes); n++) {
        g_assert_false(sm75_decode(0x7000 | codes[n], 0, &i));
    }
}

static int print_words(const char *path)
{
    g_autoptr(GString) out = g_string_new(NULL);
    FILE *f = fopen(path, "rb");
    uint64_t word[2];

    if (!f) {
        perror(path);
        return 1;
    }
    for (uint64_t pc = 0; fread(word, sizeof(word), 1, f) == 1; pc += 16) {
        print_line(word[0], word[1], pc, out);
        puts(out->str);
    }
    fclose(f);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--words")) {
        return print_words(argv[2]);
    }
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sm75/print/lines", test_lines);
    g_test_add_func("/sm75/print/illegal", test_illegal);
    return g_test_run();
}
