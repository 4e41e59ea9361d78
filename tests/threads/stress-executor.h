/*
 * An executor for host-stress: a thread that retires sections in order, in a
 * random moment, and performs one method of them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_TESTS_THREADS_STRESS_EXECUTOR_H
#define VGSP_TESTS_THREADS_STRESS_EXECUTOR_H

#include "owner/executor.h"

/* NOP of 3D with this datum: its section ends in a fault. */
#define STRESS_FAULT 0xdead
/* With this one: it never ends. */
#define STRESS_HANG 0xdeaf

/*
 * @write performs SET_REPORT_SEMAPHORE's release of one word. Every other
 * function as VgspExecutorOps says.
 */
VgspExecutor *stress_executor_new(VgspState *s,
                                  void (*write)(uint64_t va, uint32_t v));
void stress_executor_free(VgspExecutor *ex);
/* Sections retired since it was made. */
uint64_t stress_executor_retired(VgspExecutor *ex);

#endif
