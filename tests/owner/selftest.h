/*
 * What selftest.c runs of selftest-work.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_OWNER_SELFTEST_H
#define TESTS_OWNER_SELFTEST_H

void test_context(void);
void test_ring(void);
void test_batch(void);
void test_notify(void);
void test_wait(void);
void test_kill(void);
void test_fault(void);
void test_isolation(void);
void test_revoke(void);
void test_rewrite(void);
void test_kill_process(void);

/*
 * Works until the card is taken away, and says whether that came as it should:
 * for whoever unbinds the driver meanwhile. An exit status.
 */
int hold(void);

#endif
