/*
 * The policy of methods against their names, two tables that were made apart,
 * and against what the class headers say of single methods.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>
#include "vgsp/section.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/method-names.h"

static const uint32_t classes[] = {
    TURING_A, TURING_COMPUTE_A, KEPLER_INLINE_TO_MEMORY_B, FERMI_TWOD_A,
};

/* Public methods that do not pass all the same. */
static bool left_out(uint32_t cls, uint32_t method)
{
    return cls == TURING_A &&
           (method == 0x128 || method == 0x12c || /* PEER_SEMAPHORE_RELEASE */
            method == 0x2f0 || method == 0x2c8 /* INCREMENT_SYNC_POINT */);
}

static void test_names(void)
{
    for (unsigned c = 0; c < G_N_ELEMENTS(classes); c++) {
        for (uint32_t m = 4; m < 0x4000; m += 4) {
            bool known = vgsp_method_name(classes[c], m) &&
                         !left_out(classes[c], m);

            g_test_message("0x%x 0x%x", classes[c], m);
            g_assert_cmpint(vgsp_section_policy(classes[c], m, 0), ==,
                            known ? VGSP_POLICY_PASS : VGSP_POLICY_DENY);
        }
    }
}

static void test_known_names(void)
{
    g_assert_cmpstr(vgsp_method_name(TURING_A, 0x2310), ==, "SET_FALCON04");
    g_assert_cmpint(vgsp_method_index(TURING_A, 0x2310), ==, -1);
    g_assert_cmpstr(vgsp_method_name(TURING_A, 0x3c04), ==, "CALL_MME_DATA");
    g_assert_cmpint(vgsp_method_index(TURING_A, 0x3c04), ==, 128);
    g_assert_cmpstr(vgsp_method_name(TURING_A, 0x0848), ==,
                    "SET_COLOR_TARGET_WIDTH");
    g_assert_cmpint(vgsp_method_index(TURING_A, 0x0848), ==, 1);
    g_assert_cmpstr(vgsp_method_name(TURING_COMPUTE_A, 0x02bc), ==,
                    "SEND_SIGNALING_PCAS_B");
    g_assert_cmpstr(vgsp_method_name(TURING_COMPUTE_A, 0x01b0), ==,
                    "LAUNCH_DMA");
    g_assert_cmpint(vgsp_method_index(TURING_COMPUTE_A, 0x041c), ==, 63);
    g_assert_null(vgsp_method_name(TURING_COMPUTE_A, 0x0420));
    g_assert_cmpstr(vgsp_method_name(KEPLER_INLINE_TO_MEMORY_B, 0x200), ==,
                    "SET_FALCON00");
    g_assert_cmpstr(vgsp_method_name(FERMI_TWOD_A, 0x8dc), ==,
                    "PIXELS_FROM_MEMORY_SRC_Y0_INT");
    g_assert_null(vgsp_method_name(FERMI_TWOD_A, 0x180));
    g_assert_null(vgsp_method_name(0xc697, 0x100));
    g_assert_null(vgsp_method_name(TURING_A, 0x4000));
}

static void test_deny(void)
{
    /* Classes of other chips, Host's methods, addresses that are none. */
    g_assert_cmpint(vgsp_section_policy(0xc697, 0x100, 0), ==,
                    VGSP_POLICY_DENY);
    g_assert_cmpint(vgsp_section_policy(0, 0x100, 0), ==, VGSP_POLICY_DENY);
    for (unsigned c = 0; c < G_N_ELEMENTS(classes); c++) {
        for (uint32_t m = 4; m < 0x100; m += 4) {
            g_assert_cmpint(vgsp_section_policy(classes[c], m, 0), ==,
                            VGSP_POLICY_DENY);
        }
        g_assert_cmpint(vgsp_section_policy(classes[c], 0x102, 0), ==,
                        VGSP_POLICY_DENY);
        g_assert_cmpint(vgsp_section_policy(classes[c], 0x4000, 0), ==,
                        VGSP_POLICY_DENY);
        g_assert_cmpint(vgsp_section_policy(classes[c], 0xfffffffc, 0), ==,
                        VGSP_POLICY_DENY);
    }
    /* The ends of arrays. */
    g_assert_cmpint(vgsp_section_policy(TURING_A, 0x2b0, 0), ==,
                    VGSP_POLICY_PASS);
    g_assert_cmpint(vgsp_section_policy(TURING_A, 0x2b4, 0), ==,
                    VGSP_POLICY_DENY);
    g_assert_cmpint(vgsp_section_policy(TURING_A, 0x23cc, 0), ==,
                    VGSP_POLICY_PASS);
    g_assert_cmpint(vgsp_section_policy(TURING_A, 0x23d0, 0), ==,
                    VGSP_POLICY_DENY);
    g_assert_cmpint(vgsp_section_policy(TURING_COMPUTE_A, 0x3800, 0), ==,
                    VGSP_POLICY_DENY);
}

static void test_set_object(void)
{
    for (unsigned c = 0; c < G_N_ELEMENTS(classes); c++) {
        /* The engine, bits 20:16, does not matter. */
        g_assert_cmpint(vgsp_section_policy(classes[c], 0,
                                            classes[c] | 0x1f0000), ==,
                        VGSP_POLICY_PASS);
        g_assert_cmpint(vgsp_section_policy(classes[c], 0, classes[c] ^ 1),
                        ==, VGSP_POLICY_DENY);
    }
}

static void test_report_semaphore(void)
{
    static const struct {
        uint32_t data;
        VgspPolicy threed, compute;
    } v[] = {
        { 0x00000000, VGSP_POLICY_PASS, VGSP_POLICY_PASS },     /* RELEASE */
        { 0x10000000, VGSP_POLICY_PASS, VGSP_POLICY_PASS },
        { 0x00000001, VGSP_POLICY_DEVICE, VGSP_POLICY_DENY },   /* ACQUIRE */
        { 0x00010101, VGSP_POLICY_DEVICE, VGSP_POLICY_DENY },
        { 0x00000002, VGSP_POLICY_PASS, VGSP_POLICY_DENY },     /* REPORT */
        { 0x00000003, VGSP_POLICY_DEVICE, VGSP_POLICY_DEVICE }, /* TRAP */
        { 0x00080000, VGSP_POLICY_DEVICE, VGSP_POLICY_DEVICE },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        g_assert_cmpint(vgsp_section_policy(TURING_A, 0x1b0c, v[i].data), ==,
                        v[i].threed);
        g_assert_cmpint(vgsp_section_policy(TURING_COMPUTE_A, 0x1b0c,
                                            v[i].data), ==, v[i].compute);
    }
    g_assert_cmpint(vgsp_section_policy(FERMI_TWOD_A, 0x1b0c, 0), ==,
                    VGSP_POLICY_DENY);
}

static void assert_pass(VgspPbRun run, uint32_t n, uint32_t passed,
                        VgspPolicy policy)
{
    VgspPolicy p = (VgspPolicy)99;

    g_assert_cmpuint(vgsp_section_pass(TURING_A, &run, n, &p), ==, passed);
    g_assert_cmpint(p, ==, policy);
}

static void test_runs(void)
{
    static const uint32_t zero[8];
    static const uint32_t acquire[8] = { 0, 0, 0, 1, 0, 0, 0, 0 };

    assert_pass((VgspPbRun) { zero, 8, 0x180 / 4, 1, 1, 0, false }, 8, 8,
                VGSP_POLICY_PASS);
    assert_pass((VgspPbRun) { zero, 8, 0x180 / 4, 1, 1, 0, false }, 3, 3,
                VGSP_POLICY_PASS);
    /* Up to a hole: 0x1dc, 0x1e0, 0x1e4. */
    assert_pass((VgspPbRun) { zero, 8, 0x1dc / 4, 1, 1, 0, false }, 8, 3,
                VGSP_POLICY_DENY);
    assert_pass((VgspPbRun) { zero, 8, 0x1e8 / 4, 0, 0, 0, false }, 8, 0,
                VGSP_POLICY_DENY);
    assert_pass((VgspPbRun) { zero, 8, 0x1e4 / 4, 1, 0, 0, false }, 8, 1,
                VGSP_POLICY_DENY);
    /* CSAA_ENABLE: as 0 alone, and so within a run. */
    g_assert_cmpint(vgsp_section_policy(TURING_A, 0x15b4, 1), ==,
                    VGSP_POLICY_DENY);
    assert_pass((VgspPbRun) { zero, 3, 0x15b4 / 4, 1, 1, 0, false }, 3, 3,
                VGSP_POLICY_PASS);
    assert_pass((VgspPbRun) { acquire, 4, 0x15b4 / 4, 0, 0, 0, false }, 4, 3,
                VGSP_POLICY_DENY);
    assert_pass((VgspPbRun) { acquire, 8, 0x1b4 / 4, 0, 0, 0, false }, 8, 8,
                VGSP_POLICY_PASS);
    assert_pass((VgspPbRun) { acquire, 8, 0x1b00 / 4, 1, 1, 0, false }, 8, 3,
                VGSP_POLICY_DEVICE);
    assert_pass((VgspPbRun) { acquire, 8, 0x1b0c / 4, 0, 0, 0, false }, 8, 3,
                VGSP_POLICY_DEVICE);
    assert_pass((VgspPbRun) { acquire, 8, 0x1b08 / 4, 1, 0, 0, false }, 8, 3,
                VGSP_POLICY_DEVICE);
    /* Not beyond the last method. */
    assert_pass((VgspPbRun) { zero, 8, 0xffe, 1, 1, 0, false }, 8, 2,
                VGSP_POLICY_DENY);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/policy/names", test_names);
    g_test_add_func("/policy/known-names", test_known_names);
    g_test_add_func("/policy/deny", test_deny);
    g_test_add_func("/policy/set-object", test_set_object);
    g_test_add_func("/policy/report-semaphore", test_report_semaphore);
    g_test_add_func("/policy/runs", test_runs);
    return g_test_run();
}
