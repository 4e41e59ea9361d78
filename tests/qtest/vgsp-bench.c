/*
 * Times that the device itself takes, by its own account (stats-device-ns):
 * one RM control, and one invalidation after which 1,000 pages of BAR1 differ.
 * Run by tests/bench/bench: prints a line "bench KEY VALUE" a run.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"
#include "vgsp/nv/rm.h"

#define TABLES      (4u << 20)      /* VRAM */
#define TABLES_SIZE (4u << 20)
#define PAGES       (16u << 20)
#define CONTROLS    500
#define REMAPS      20
#define REMAP_PAGES 1000

static void bench_rpc(VgspQos *q)
{
    int64_t start = vgsp_qos_stat(q, "stats-device-ns");

    for (int i = 0; i < CONTROLS; i++) {
        uint8_t params[4] = { 0 };

        g_assert_cmpint(vgsp_gsp_rm_control(
                            &q->gsp, q->gsp.info.client, q->gsp.info.subdevice,
                            NV2080_CTRL_CMD_GPU_GET_FERMI_GPC_INFO, params,
                            sizeof(params)), ==, VGSP_GSP_OK);
    }
    printf("bench rpc.device_us %.3f\n",
           (vgsp_qos_stat(q, "stats-device-ns") - start) / 1e3 / CONTROLS);
}

/* Pages that adjoin neither before nor after, all of them moved each time. */
static void bench_remap(VgspQos *q, VgspQosVm *vm)
{
    int64_t sum = 0;

    for (int n = 0; n < REMAPS; n++) {
        int64_t start;

        for (uint32_t i = 0; i < REMAP_PAGES; i++) {
            uint64_t page = (n & 1) * REMAP_PAGES + REMAP_PAGES - 1 - i;

            vgsp_vm_map(vm, i * 0x1000ull, PAGES + page * 0x1000, 12,
                        VGSP_PTE_VRAM);
        }
        vgsp_vm_commit(vm);
        start = vgsp_qos_stat(q, "stats-device-ns");
        vgsp_invalidate(q, q->gsp.info.bar1_pde_base);
        sum += vgsp_qos_stat(q, "stats-device-ns") - start;
    }
    printf("bench bar1.remap_us %.3f\n", sum / 1e3 / REMAPS);
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 5;
    VgspQos *q = vgsp_qos_new("", "");
    uint64_t pde;
    VgspQosVm *vm;

    vgsp_gsp_up(q, vgsp_profiles[0]);
    vm = vgsp_vm_new(q, TABLES, TABLES_SIZE);
    vgsp_vm_map(vm, 0, PAGES, 12, VGSP_PTE_VRAM);
    vgsp_vm_commit(vm);
    pde = vgsp_vm_pde0(vm);
    vgsp_vram_write(q, q->gsp.info.bar1_pde_base, &pde, sizeof(pde));
    vgsp_invalidate(q, q->gsp.info.bar1_pde_base);
    for (int i = 0; i < runs; i++) {
        bench_rpc(q);
        bench_remap(q, vm);
    }
    vgsp_vm_free(vm);
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
    return 0;
}
