/*
 * GMMU walker: random tables against a reference written straight from the
 * format.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "gmmu-rig.h"

/* The reference: one address, one entry at a time, by the bit numbers. */
static int ref_walk(Mem *m, uint64_t root, int root_ap, uint64_t va,
                    uint64_t *pa, int *ap, int *shift)
{
    static const int lo[] = { 47, 38, 29 };
    static const int n[] = { 4, 512, 512 };
    uint64_t t = root, q, h, big, small;
    int a = root_ap, ba, sa;

#define LOAD(dst, base_ap, base, off)                       \
    do {                                                    \
        if ((base) + (off) + 8 > MEM_SIZE) {                \
            return VGSP_GMMU_FAULT_REGION_VIOLATION;        \
        }                                                   \
        (dst) = vgsp_le64(m->ap[base_ap] + (base) + (off)); \
    } while (0)
#define TABLE(q, low_bit, ap_out)                                      \
    ((ap_out) = ((q) >> 1 & 3) == 1 ? 0 : (int)((q) >> 1 & 3),         \
     (((q) >> 1 & 3) == 1 ? (q)&0x1ffffffff : (q)&0x3fffffffffffff) >> \
         (low_bit) << (low_bit) << 4)
#define LEAF(q, bits)                                                      \
    do {                                                                   \
        if (((q) >> 1 & 3) == 1) {                                         \
            return VGSP_GMMU_FAULT_UNSUPPORTED_APERTURE;                   \
        }                                                                  \
        if ((q) >> 56 == 7) {                                              \
            return VGSP_GMMU_FAULT_UNSUPPORTED_KIND;                       \
        }                                                                  \
        *ap = (q) >> 1 & 3;                                                \
        *pa = ((*ap == 0 ? (q)&0x1ffffff00 : (q)&0x3fffffffffff00) << 4 >> \
               (bits) << (bits)) |                                         \
              (va & ((UINT64_C(1) << (bits)) - 1));                        \
        *shift = (bits);                                                   \
        return VGSP_GMMU_OK;                                               \
    } while (0)
#define SPARSE(bits)         \
    do {                     \
        *ap = -1;            \
        *pa = 0;             \
        *shift = (bits);     \
        return VGSP_GMMU_OK; \
    } while (0)

    for (int l = 0; l < 3; l++) {
        LOAD(q, a, t, (va >> lo[l]) % n[l] * 8);
        if (q & 1) {
            return VGSP_GMMU_FAULT_PDE_SIZE;
        }
        if ((q & 6) == 0) {
            if (q & 8) {
                SPARSE(lo[l]);
            }
            return VGSP_GMMU_FAULT_PDE;
        }
        t = TABLE(q, 8, a);
    }
    LOAD(q, a, t, (va >> 21) % 256 * 16);
    LOAD(h, a, t, (va >> 21) % 256 * 16 + 8);
    if (q & 1) {
        LEAF(q, 21);
    }
    if ((q & 6) == 0 && (h & 6) == 0) {
        if (q & 8) {
            SPARSE(21);
        }
        return VGSP_GMMU_FAULT_PDE;
    }
    if (q & 6) {
        big = TABLE(q, 4, ba);
        LOAD(q, ba, big, (va >> 16) % 32 * 8);
        if (q & 1) {
            LEAF(q, 16);
        }
        if (q & 8) {
            SPARSE(16);
        }
        if ((q & 0x20) || (h & 6) == 0) {
            return VGSP_GMMU_FAULT_PTE;
        }
    }
    small = TABLE(h, 8, sa);
    LOAD(q, sa, small, (va >> 12) % 512 * 8);
    if (q & 1) {
        LEAF(q, 12);
    }
    if (q & 8) {
        SPARSE(12);
    }
    return VGSP_GMMU_FAULT_PTE;
#undef LOAD
#undef TABLE
#undef LEAF
#undef SPARSE
}

static uint64_t random_entry(GRand *r)
{
    /* 24 pages of tables, and now and then a page beyond memory */
    uint64_t pa = g_rand_int_range(r, 0, 24) * 4 * KiB;
    uint64_t q = pa >> 4;

    if (g_rand_int_range(r, 0, 64) == 0) {
        q = MEM_SIZE >> 4;
    }
    if (g_rand_int_range(r, 0, 8) == 0) {
        q |= g_rand_int_range(r, 0, 16) << 4; /* 256-byte steps; PTE flags */
    }
    if (g_rand_int_range(r, 0, 8) == 0) {
        q |= (uint64_t)g_rand_int_range(r, 0, 10) << 56;
    }
    if (g_rand_int_range(r, 0, 16) == 0) {
        q |= (uint64_t)g_rand_int(r) << 33 & 0xff3fffffffffffff;
    }
    q |= g_rand_int_range(r, 0, 4) << 1;
    q |= (g_rand_int_range(r, 0, 4) == 0) << 3;
    q |= g_rand_int_range(r, 0, 6) == 0;
    return g_rand_int_range(r, 0, 5) ? q : 0;
}

static uint64_t random_va(GRand *r)
{
    return ((uint64_t)g_rand_int(r) << 32 | g_rand_int(r)) >> 15;
}

static void test_random(void)
{
    static const int aps[] = { 0, 2, 3 };
    GRand *r = g_rand_new_with_seed(20);
    Mem *m = mem_new();
    unsigned int seen[256] = { 0 };

    for (unsigned int round = 0; round < 60; round++) {
        int root_ap = aps[round % 3];
        uint64_t root = g_rand_int_range(r, 0, 24) * 4 * KiB;
        VgspPdb pdb = vgsp_pdb_from_address(root_ap, root);

        for (int i = 0; i < 3; i++) {
            for (uint64_t off = 0; off < 25 * 4 * KiB; off += 8) {
                put(m, aps[i], off, random_entry(r));
            }
        }
        for (unsigned int i = 0; i < 3000; i++) {
            uint64_t va = random_va(r), pa;
            int ap, shift;
            int want = ref_walk(m, root, root_ap, va, &pa, &ap, &shift);
            VgspMapping o;

            g_assert_cmpint(vgsp_gmmu_walk(&ops, m, &pdb, va, &o), ==, want);
            seen[(want + 1) & 0xff]++;
            if (want == VGSP_GMMU_OK) {
                g_assert_cmpuint(o.page_shift, ==, shift);
                g_assert_cmphex(o.va, ==, va >> shift << shift);
                g_assert_cmpint(o.sparse, ==, ap < 0);
                if (ap >= 0) {
                    seen[64 + shift]++;
                    g_assert_cmpint(o.aperture, ==, ap);
                    g_assert_cmphex(o.pa + (va - o.va), ==, pa);
                } else {
                    seen[128 + shift]++;
                }
            }
        }
        /* a range says the same as its pages one by one */
        for (unsigned int i = 0; i < 12; i++) {
            uint64_t va = random_va(r) & ~0xfffull;
            uint64_t len = g_rand_int_range(r, 1, 3000) * 4 * KiB, pa;
            GArray *a = walk_range(m, &pdb, va, len);
            unsigned int k = 0;
            int ap, shift;

            for (uint64_t v = va; v < va + len && v < UINT64_C(1) << 49;
                 v += 4096) {
                int want = ref_walk(m, root, root_ap, v, &pa, &ap, &shift);

                while (k < a->len && MAP(a, k)->va + MAP(a, k)->size <= v) {
                    k++;
                }
                if (want != VGSP_GMMU_OK) {
                    g_assert_true(k == a->len || MAP(a, k)->va > v);
                    continue;
                }
                g_assert_cmpuint(k, <, a->len);
                g_assert_cmphex(MAP(a, k)->va, <=, v);
                g_assert_cmpint(MAP(a, k)->sparse, ==, ap < 0);
                g_assert_cmpuint(MAP(a, k)->page_shift, ==, shift);
                if (ap >= 0) {
                    g_assert_cmphex(MAP(a, k)->pa + (v - MAP(a, k)->va), ==,
                                    pa);
                }
            }
            if (a->len) {
                VgspMapping *last = MAP(a, a->len - 1);

                g_assert_cmphex(MAP(a, 0)->va, >=, va);
                g_assert_cmphex(last->va + last->size, <=, va + len);
            }
            for (unsigned int j = 1; j < a->len; j++) {
                g_assert_cmphex(MAP(a, j - 1)->va + MAP(a, j - 1)->size, <=,
                                MAP(a, j)->va);
            }
            g_array_free(a, true);
        }
    }
    /* the tables were rich enough to mean something */
    g_assert_cmpuint(seen[1 + VGSP_GMMU_FAULT_PDE], >, 0);
    g_assert_cmpuint(seen[1 + VGSP_GMMU_FAULT_PDE_SIZE], >, 0);
    g_assert_cmpuint(seen[1 + VGSP_GMMU_FAULT_PTE], >, 0);
    g_assert_cmpuint(seen[1 + VGSP_GMMU_FAULT_UNSUPPORTED_APERTURE], >, 0);
    g_assert_cmpuint(seen[1 + VGSP_GMMU_FAULT_UNSUPPORTED_KIND], >, 0);
    g_assert_cmpuint(seen[1 + VGSP_GMMU_FAULT_REGION_VIOLATION], >, 0);
    for (int s = 12; s <= 47; s++) {
        if (s == 12 || s == 16 || s == 21) {
            g_assert_cmpuint(seen[64 + s], >, 0);
        }
        if (s == 12 || s == 16 || s == 21 || s == 29 || s == 38 || s == 47) {
            g_assert_cmpuint(seen[128 + s], >, 0);
        }
    }
    mem_free(m);
    g_rand_free(r);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gmmu/random", test_random);
    return g_test_run();
}
