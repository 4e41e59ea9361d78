/*
 * The Vulkan compute suite's program: choice of tests and devices, verdicts,
 * TAP. Tests run in one process and share a device until one is lost.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <getopt.h>
#include <math.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "suite.h"

extern char **environ;

typedef enum Kind { U8, U16, U32, U64, F16, F32, F64 } Kind;

/* Results of one check, kept for the other device's. */
struct Record {
    char what[64];
    Kind kind;
    Tol tol;
    size_t n;
    void *data;
};

static const size_t kind_size[] = { 1, 2, 4, 8, 2, 4, 8 };
static const Test *const all_tests[] = {
    transfer_tests, compute_tests, arith_tests, atomic_tests, image_tests,
    texture_tests, block_tests, clear_tests, sync_tests, process_tests,
    bench_tests,
};

/* ---- Verdicts ---- */

static void verdict(T *t, int state, const char *fmt, va_list args)
{
    if (t->state == RUN_PASSED) {
        t->state = state;
        vsnprintf(t->why, sizeof(t->why), fmt, args);
    }
}

void fail(T *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    verdict(t, RUN_FAILED, fmt, args);
    va_end(args);
    longjmp(t->out, 1);
}

void skip(T *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    verdict(t, RUN_SKIPPED, fmt, args);
    va_end(args);
    longjmp(t->out, 1);
}

void check_that(T *t, bool good, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    if (!good) {
        verdict(t, RUN_FAILED, fmt, args);
    }
    va_end(args);
}

void vk_check(T *t, VkResult r, const char *what)
{
    if (r == VK_ERROR_DEVICE_LOST) {
        t->lost = true;
    }
    if (r != VK_SUCCESS) {
        fail(t, "%.*s: VkResult %d", (int)strcspn(what, "("), what, r);
    }
}

/* ---- Numbers ---- */

uint32_t rnd(uint32_t *state)
{
    uint32_t x = *state ? *state : 0x9e3779b9;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

/* The spacing of a type's numbers at v: mantissa bits, least exponent. */
static long double spacing(long double v, int bits, int least)
{
    int e = least;

    if (v != 0 && isfinite(v)) {
        frexpl(v, &e);
        e -= 1;
    }
    return ldexpl(1, (e < least ? least : e) - bits);
}

double from_half(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 0x3ff;
    double v = e == 31 ? (m ? NAN : INFINITY)
                       : e ? ldexp(m + 1024, e - 25) : ldexp(m, -24);

    return h & 0x8000 ? -v : v;
}

uint16_t to_half(double v)
{
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    double step, a = fabs(v);
    int e;

    if (isnan(v)) {
        return 0x7e00;
    }
    if (a >= 65520) {
        return sign | 0x7c00;
    }
    step = (double)spacing(a, 10, -14);
    a = nearbyint(a / step) * step;
    if (a < ldexp(1, -14)) {
        return sign | (uint16_t)(a * ldexp(1, 24));
    }
    frexp(a, &e);
    e -= 1;
    return sign | (e + 15) << 10 | ((uint16_t)ldexp(a, 10 - e) & 0x3ff);
}

static long double value(const void *p, Kind kind, size_t i)
{
    switch (kind) {
    case F16:
        return from_half(((const uint16_t *)p)[i]);
    case F32:
        return ((const float *)p)[i];
    default:
        return ((const double *)p)[i];
    }
}

static bool close_enough(long double a, long double b, Kind kind, Tol tol)
{
    static const int bits[] = { [F16] = 10, [F32] = 23, [F64] = 52 };
    static const int least[] = { [F16] = -14, [F32] = -126, [F64] = -1022 };
    long double limit;

    if (isnan(a) || isnan(b)) {
        return isnan(a) && isnan(b);
    }
    if (a == b) {
        return true;
    }
    if (isinf(a) || isinf(b)) {
        return false;
    }
    limit = fmaxl(tol.ulp * spacing(b, bits[kind], least[kind]), tol.abs);
    return fabsl(a - b) <= limit;
}

/* ---- Checks ---- */

static void record(T *t, const char *what, Kind kind, const void *got,
                   size_t n, Tol tol)
{
    Record *r;

    t->records = realloc(t->records, (t->num_records + 1) * sizeof(*r));
    r = &t->records[t->num_records++];
    *r = (Record) { .kind = kind, .tol = tol, .n = n };
    snprintf(r->what, sizeof(r->what), "%s", what);
    r->data = malloc(n * kind_size[kind] + 1);
    memcpy(r->data, got, n * kind_size[kind]);
}

static void report(T *t, const char *what, Kind kind, const void *got,
                   const void *want, size_t first, size_t bad, size_t n,
                   const char *whose)
{
    uint64_t a = 0, b = 0;
    size_t size = kind_size[kind];

    memcpy(&a, (const char *)got + first * size, size);
    memcpy(&b, (const char *)want + first * size, size);
    check_that(t, false, "%s: element %zu is 0x%0*llx, %s 0x%0*llx; "
               "%zu of %zu differ", what, first, (int)size * 2,
               (unsigned long long)a, whose, (int)size * 2,
               (unsigned long long)b, bad, n);
}

static void check_ints(T *t, const char *what, Kind kind, const void *got,
                       const void *want, size_t n)
{
    size_t size = kind_size[kind], first = 0, bad = 0;

    for (size_t i = n; i-- > 0;) {
        if (memcmp((const char *)got + i * size,
                   (const char *)want + i * size, size)) {
            first = i;
            bad++;
        }
    }
    if (bad) {
        report(t, what, kind, got, want, first, bad, n, "not");
    }
    record(t, what, kind, got, n, EXACT);
}

void check_u8(T *t, const char *what, const void *got, const void *want,
              size_t n)
{
    check_ints(t, what, U8, got, want, n);
}

void check_u16(T *t, const char *what, const void *got, const void *want,
               size_t n)
{
    check_ints(t, what, U16, got, want, n);
}

void check_u32(T *t, const char *what, const void *got, const void *want,
               size_t n)
{
    check_ints(t, what, U32, got, want, n);
}

void check_u64(T *t, const char *what, const void *got, const void *want,
               size_t n)
{
    check_ints(t, what, U64, got, want, n);
}

static void check_floats(T *t, const char *what, Kind kind, const void *got,
                         const long double *want, size_t n, Tol tol)
{
    size_t first = 0, bad = 0;

    for (size_t i = n; i-- > 0;) {
        if (!close_enough(value(got, kind, i), want[i], kind, tol)) {
            first = i;
            bad++;
        }
    }
    if (bad) {
        check_that(t, false, "%s: element %zu is %.17Lg, not %.17Lg within "
                   "%g ulp or %g; %zu of %zu are off", what, first,
                   value(got, kind, first), want[first], tol.ulp, tol.abs,
                   bad, n);
    }
    record(t, what, kind, got, n, tol);
}

static void check_doubles(T *t, const char *what, Kind kind, const void *got,
                          const double *want, size_t n, Tol tol)
{
    long double *wide = malloc(n * sizeof(*wide));

    for (size_t i = 0; i < n; i++) {
        wide[i] = want[i];
    }
    check_floats(t, what, kind, got, wide, n, tol);
    free(wide);
}

void check_f16(T *t, const char *what, const uint16_t *got,
               const double *want, size_t n, Tol tol)
{
    check_doubles(t, what, F16, got, want, n, tol);
}

void check_f32(T *t, const char *what, const float *got, const double *want,
               size_t n, Tol tol)
{
    check_doubles(t, what, F32, got, want, n, tol);
}

void check_f64(T *t, const char *what, const double *got,
               const long double *want, size_t n, Tol tol)
{
    check_floats(t, what, F64, got, want, n, tol);
}

/* Each is within its tolerance of the same value. */
static void compare(T *t, const T *other, const char *name)
{
    if (t->num_records != other->num_records) {
        check_that(t, false, "%zu results, %s gives %zu", t->num_records,
                   name, other->num_records);
        return;
    }
    for (size_t i = 0; i < t->num_records; i++) {
        const Record *a = &t->records[i], *b = &other->records[i];
        Tol tol = { a->tol.ulp + b->tol.ulp, a->tol.abs + b->tol.abs };
        size_t bad = 0, first = 0, size = kind_size[a->kind];

        if (a->n != b->n || a->kind != b->kind) {
            check_that(t, false, "%s: not the results of %s", a->what, name);
            continue;
        }
        for (size_t j = a->n; j-- > 0;) {
            /* Zeros of either sign are the same: Vulkan asks for no more. */
            bool same = !memcmp((char *)a->data + j * size,
                                (char *)b->data + j * size, size) ||
                        (a->kind >= F16 &&
                         close_enough(value(a->data, a->kind, j),
                                      value(b->data, b->kind, j), a->kind,
                                      tol));

            if (!same) {
                first = j;
                bad++;
            }
        }
        if (bad) {
            report(t, a->what, a->kind, a->data, b->data, first, bad, a->n,
                   name);
        }
    }
}

static void forget(T *t)
{
    for (size_t i = 0; i < t->num_records; i++) {
        free(t->records[i].data);
    }
    free(t->records);
    t->records = NULL;
    t->num_records = 0;
}

/* ---- Children ---- */

int child_start(T *t, const char *const *tests)
{
    char *argv[20] = { "vk-suite", "--child", "--device", (char *)t->self };
    size_t n = 4;
    pid_t pid;

    while (*tests && n < ARRAY_SIZE(argv) - 1) {
        argv[n++] = (char *)*tests++;
    }
    argv[n] = NULL;
    fflush(stdout);
    if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ)) {
        fail(t, "cannot start a process");
    }
    return pid;
}

int child_wait(T *t, int pid)
{
    int status;

    if (waitpid(pid, &status, 0) != pid) {
        fail(t, "no such process");
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- Running ---- */

static void run(T *t, const Test *test, Gpu **g, const char *device)
{
    *t = (T) { .self = device };
    if (!*g) {
        *g = gpu_open(device);
        if (!*g) {
            t->state = RUN_FAILED;
            snprintf(t->why, sizeof(t->why), "no device");
            return;
        }
    }
    t->g = *g;
    if (test->hostile && gpu_is_cpu(*g)) {
        t->state = RUN_SKIPPED;
        snprintf(t->why, sizeof(t->why), "a CPU device would not survive it");
        return;
    }
    if (!setjmp(t->out)) {
        test->run(t);
    }
    run_release(t);
    if (t->lost) {
        gpu_close(*g);
        *g = NULL;
    }
}

static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static const char usage[] =
"usage: vk-suite [OPTION]... [TEST]...\n"
"Runs the tests that are named, all without a name; a name may end in \"*\".\n"
"  --device NAME     the first device of which NAME is a part of the name,\n"
"                    or \"nvk\", \"lavapipe\" (default: the first GPU)\n"
"  --compare NAME    compare all results with this device's too\n"
"  --except TEST     all but this one; may be repeated\n"
"  --repeat N        run the selection N times\n"
"  --hold SECONDS    run nothing: keep the device open, say \"holding\"\n"
"  --list            print the names of the tests, and the devices\n";

static bool selected(const char *name, char **names, int n)
{
    for (int i = 0; i < n; i++) {
        size_t len = strlen(names[i]);

        if (len && names[i][len - 1] == '*'
            ? !strncmp(name, names[i], len - 1) : !strcmp(name, names[i])) {
            return true;
        }
    }
    return false;
}

static const Test *next_test(size_t *group, size_t *index)
{
    while (*group < ARRAY_SIZE(all_tests)) {
        const Test *test = &all_tests[*group][(*index)++];

        if (test->name) {
            return test;
        }
        ++*group;
        *index = 0;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static const struct option long_options[] = {
        { "device", required_argument, NULL, 'd' },
        { "compare", required_argument, NULL, 'c' },
        { "except", required_argument, NULL, 'x' },
        { "repeat", required_argument, NULL, 'r' },
        { "hold", required_argument, NULL, 'H' },
        { "list", no_argument, NULL, 'l' },
        { "child", no_argument, NULL, 'C' },
        { "help", no_argument, NULL, 'h' },
        { 0 }
    };
    const char *device = "", *other = NULL;
    char *except[64];
    int option, num_except = 0, repeat = 1, count = 0, failures = 0;
    int hold = 0;
    bool child = false;
    Gpu *g = NULL, *g2 = NULL;
    size_t group, index;
    const Test *test;

    while ((option = getopt_long(argc, argv, "h", long_options, NULL)) >= 0) {
        switch (option) {
        case 'd':
            device = optarg;
            break;
        case 'c':
            other = optarg;
            break;
        case 'x':
            if (num_except < (int)ARRAY_SIZE(except)) {
                except[num_except++] = optarg;
            }
            break;
        case 'r':
            repeat = atoi(optarg);
            break;
        case 'H':
            hold = atoi(optarg);
            break;
        case 'C':
            /* Of another test: only what is wrong is told. */
            if (!freopen("/dev/null", "w", stdout)) {
                return 3;
            }
            child = true;
            break;
        case 'l':
            for (group = index = 0; (test = next_test(&group, &index));) {
                if (!test->part) {
                    printf("%s\n", test->name);
                }
            }
            gpu_list();
            return 0;
        default:
            fputs(usage, option == 'h' ? stdout : stderr);
            return option == 'h' ? 0 : 2;
        }
    }
    argv += optind;
    argc -= optind;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (hold) {
        g = gpu_open(device);
        if (!g) {
            fprintf(stderr, "vk-suite: no device\n");
            return 1;
        }
        printf("holding %s\n", g->props.deviceName);
        sleep(hold);
        gpu_close(g);
        return 0;
    }
    for (int turn = 0; turn < repeat; turn++) {
        for (group = index = 0; (test = next_test(&group, &index));) {
            double start = now();
            bool unlike = test->unlike || !other;
            T t, t2;

            if (argc ? !selected(test->name, argv, argc)
                     : test->part || selected(test->name, except,
                                              num_except)) {
                continue;
            }
            run(&t, test, &g, device);
            if (!unlike && t.state == RUN_PASSED) {
                run(&t2, test, &g2, other);
                if (t2.state == RUN_PASSED) {
                    compare(&t, &t2, other);
                } else if (t2.state == RUN_FAILED) {
                    check_that(&t, false, "%s fails it: %s", other, t2.why);
                } else {
                    unlike = true;
                }
                forget(&t2);
            }
            forget(&t);
            count++;
            failures += t.state == RUN_FAILED;
            printf("%sok %d - %s%s", t.state == RUN_FAILED ? "not " : "",
                   count, test->name,
                   other && !unlike && t.state == RUN_PASSED
                   ? ", as the other device" : "");
            if (t.state == RUN_SKIPPED) {
                printf(" # SKIP %s", t.why);
            }
            printf("\n# %.2f s%s%s\n", now() - start,
                   t.state == RUN_FAILED ? ": " : "",
                   t.state == RUN_FAILED ? t.why : "");
            if (child && t.state == RUN_FAILED) {
                fprintf(stderr, "# in a process beside: %s: %s\n", test->name,
                        t.why);
            }
        }
    }
    printf("1..%d\n", count);
    gpu_close(g);
    gpu_close(g2);
    if (!count) {
        fprintf(stderr, "vk-suite: no such test\n");
        return 2;
    }
    return failures != 0;
}
