# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the Vulkan compute suite (tests/guest/vk) on NVK in a guest."""
import os
import re
import subprocess

import lib

SUITE = os.path.join(lib.REPO, 'build', 'guest', 'vk', 'vk-suite')
# Of a run with these, the driver's log tells: it names the channel it kills.
HOSTILE = ('out-of-bounds', 'infinite-loop')
# What is worth lavapipe's time in an emulated guest: one test of each kind.
COMPARED = ('fill-buffer', 'copy-image-shapes', 'vadd', 'grids', 'reduce',
            'gemm', 'int32', 'float32', 'atomics32', 'storage-dimensions',
            'sample-2d')
# What also runs with the second Mesa in "make check".
CORE = ('fill-buffer', 'update-buffer', 'copy-buffer', 'copy-image-*', 'vadd',
        'grids', 'push-constants', 'mixed-params', 'reduce', 'gemm',
        'specialisation', 'control-flow', 'indirect', 'int64', 'float64',
        'atomics64', 'subgroups', 'storage-formats', 'sample-2d', 'in-flight',
        'timeline', 'events', 'timestamps')
# RC of the watchdog (ROBUST_CHANNEL_CTXSW_TIMEOUT_ERROR), and nouveau's own
# end of a job, 10 s after it was handed over.
WATCHDOG = re.compile(r'nouveau.* rc:? engn:.* type:109\b')
GIVEN_UP = re.compile(r'nouveau.* job timeout, channel \d+ killed')
CRASH = re.compile(r'WARNING:|BUG:|Oops|Call Trace')


def build():
    subprocess.run([os.path.join(lib.REPO, 'tests', 'guest', 'vk', 'build'),
                    os.path.dirname(SUITE)], check=True)
    return ('--add', f'{SUITE}:/vk-suite')


def command(*args):
    return '/vk-suite --device nvk ' + ' '.join(f"'{a}'" for a in args)


def results(out):
    """The suite's lines: (passed, name, reason of a skip, what went wrong)."""
    found = []
    for line in out.splitlines():
        m = re.fullmatch(r'(not )?ok \d+ - ([^#]*?)(?: # SKIP (.*))?', line)
        if m:
            found.append([not m[1], m[2], m[3], ''])
        elif found and not found[-1][0] and line.startswith('# '):
            found[-1][3] = found[-1][3] or line[2:]
    return found


def check(tap, what, out, why):
    """Passes the suite's results on; returns how many were good."""
    good = 0
    for passed, name, skipped, wrong in results(out):
        tap.ok(passed, f'{what}: {name}' +
               (f' # SKIP {skipped}' if skipped else ''), wrong)
        good += passed
    plan = re.search(r'^1\.\.(\d+)$', out, re.M)
    tap.ok(plan and int(plan[1]) == len(results(out)) > 0,
           f'{what}: the suite ends', why)
    return good


def check_watchdog(tap, mesa, log):
    """The device's watchdog ended the infinite loop, before nouveau did."""
    tap.ok(len(WATCHDOG.findall(log)) == 1 and not GIVEN_UP.search(log),
           f'Mesa of {mesa}: the watchdog ends an infinite loop', log)


def suite(tap, image, mesa, *commands, timeout=900):
    """Boots IMAGE with that Mesa; runs the suite once for each of COMMANDS,
    lists of its arguments. The log must be clean where none is hostile."""
    script = '; '.join(f'echo "== {n}"; {command(*args)}; dmesg -c >/log.{n}'
                       for n, args in enumerate(commands))
    script += ''.join(f'; echo "== log {n}"; cat /log.{n}'
                      for n in range(len(commands)))
    with lib.Guest(image, 'dmesg -c >/dev/null; ' + script, *build(),
                   timeout=timeout, stats=True, mesa=mesa) as guest:
        status = guest.wait()
        parts = dict(re.findall(r'^== (.*)\n((?:(?!== ).*\n)*)', guest.out,
                                re.M))
        for n, args in enumerate(commands):
            check(tap, f'Mesa of {mesa}', parts.get(str(n), ''),
                  guest.report())
            log = parts.get(f'log {n}', '')
            hostile = any(h in args for h in HOSTILE)
            bad = '\n'.join(line for line in log.splitlines()
                            if CRASH.search(line)) if hostile \
                else lib.complaints(log)
            if 'infinite-loop' in args:
                check_watchdog(tap, mesa, log)
            tap.ok(status == 0 and not bad, f'Mesa of {mesa}: ' +
                   ('the kernel is unharmed' if hostile else 'clean log'),
                   bad or guest.report())
        stats = guest.stats()
        tap.ok(stats.get('rm-refused') == 0, 'no RM control was refused',
               stats.get('rm-refused-names', stats))
        return stats
