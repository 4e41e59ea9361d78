# SPDX-License-Identifier: GPL-2.0-or-later
"""What the guest tests share: TAP output, running guests, judging logs."""
import contextlib
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback

REPO = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.realpath(__file__))))
GUEST = os.path.join(REPO, 'scripts', 'guest')
sys.path.insert(0, os.path.join(REPO, 'scripts'))
from qmp import Qmp, QmpError  # noqa: E402,F401  pylint: disable=W0611

# A driver's line that complains, or a kernel warning.
BAD = re.compile(r'WARNING:|BUG:|Oops|Call Trace|nouveau.*(?:[Ff]ail|FAIL|'
                 r'[Ee]rror|ERROR|[Tt]imeout|[Tt]imed out|stalled|'
                 r'Refused)')
DRIVER_LOG = 'dmesg | grep -E "nouveau|drm|WARNING:|BUG:|Oops|Call Trace"'
RENDER = 'test -c /dev/dri/renderD128'
# What check_up() and cold_boots() judge.
UP = f'ls /dev/dri; {DRIVER_LOG}; {RENDER}'

# Where the requests of a boot are traced, and what is compared of each: the
# function, the class or the command, and the answer.
SEQUENCE = {
    'vgsp_rpc_request': re.compile(r'(function \d+ \S+)'),
    'vgsp_rm_alloc': re.compile(r'(class \S+ \S+ status \S+)'),
    'vgsp_rm_control': re.compile(r'(cmd \S+ \S+ status \S+)'),
}


class Tap:
    """Test Anything Protocol: ok() lines as they come, the plan at the end."""

    def __init__(self):
        self.count = self.failures = 0

    def ok(self, good, what, detail=''):
        """Reports one check; DETAIL explains a failure."""
        self.count += 1
        if not good:
            self.failures += 1
        print(f"{'ok' if good else 'not ok'} {self.count} - {what}")
        if not good and detail:
            for line in str(detail).splitlines()[-30:]:
                print('# ' + line)
        sys.stdout.flush()
        return good

    @staticmethod
    def note(text):
        print(f'# {text}', flush=True)


def main(test):
    """Runs TEST(tap) and ends the program."""
    tap = Tap()
    start = time.monotonic()
    try:
        test(tap)
    except Exception:  # pylint: disable=W0718  any end is a failed test
        tap.ok(False, 'runs to its end', traceback.format_exc())
    tap.note(f'{time.monotonic() - start:.0f} s')
    print(f'1..{tap.count}')
    sys.exit(tap.failures != 0)


class Guest:
    """A guest that runs a shell command; a context manager.

    Paths in ".dir" live as long as the context."""

    def __init__(self, image, command, *options, timeout=200, qmp=False,
                 trace=False, stats=False, mesa='none'):
        self.tmp = tempfile.TemporaryDirectory(prefix='vgsp-')
        self.dir = self.tmp.name
        self.console = os.path.join(self.dir, 'console')
        self.trace = os.path.join(self.dir, 'trace')
        self.qmp_path = os.path.join(self.dir, 'qmp')
        self.stats_path = os.path.join(self.dir, 'stats')
        argv = [GUEST, 'run', image, '--timeout', str(timeout),
                '--console', self.console, '--mesa', mesa, *options]
        if qmp:
            argv += ['--qmp', self.qmp_path]
        if stats:
            argv += ['--stats', self.stats_path]
        if trace:
            argv += ['--trace', self.trace]
            for e in SEQUENCE if trace is True else trace:
                argv += ['--events', e]
        # A build may take longer than a QMP client waits.
        subprocess.run([GUEST, 'build', image], check=True)
        self.proc = subprocess.Popen(
            argv + ['--', 'sh', '-c', command], text=True, errors='replace',
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL)
        self.out = self.err = ''

    def wait(self):
        """Waits for the end; returns the command's exit status."""
        self.out, self.err = self.proc.communicate()
        return self.proc.returncode

    def qmp(self):
        return Qmp(self.qmp_path)

    def stats(self, device='gpu0'):
        """The device's counters at the end, if they were asked for."""
        return json.loads(read(self.stats_path) or '{}').get(device, {})

    def log(self):
        """The kernel's console so far."""
        return read(self.console)

    def report(self):
        """For a failed check: what the guest said."""
        return f'exit status {self.proc.returncode}\n{self.out}{self.err}'

    def wait_line(self, pattern, timeout=120, path=None):
        """Waits until the console (or PATH) has a line like PATTERN."""
        deadline = time.monotonic() + timeout
        while not re.search(pattern, read(path or self.console)):
            if time.monotonic() > deadline or self.proc.poll() is not None:
                raise TimeoutError(f'no line "{pattern}"\n' +
                                   read(path or self.console)[-2000:])
            time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.proc.poll() is None:
            self.proc.terminate()
            self.wait()
        self.tmp.cleanup()


def read(path):
    try:
        with open(path, encoding='utf-8', errors='replace') as f:
            return f.read()
    except FileNotFoundError:
        return ''


def complaints(log):
    """The bad lines of a kernel log."""
    return '\n'.join(line for line in log.splitlines() if BAD.search(line))


def check_up(tap, guest, what, version='570.144', nodes=1):
    """One clean boot with the driver bound: the command is UP."""
    status = guest.wait()
    tap.ok(status == 0, f'{what}: render node', guest.report())
    tap.ok(len(re.findall(r'^renderD\d+$', guest.out, re.M)) == nodes,
           f'{what}: {nodes} in /dev/dri', guest.out)
    tap.ok(version in guest.out, f'{what}: GSP-RM {version}', guest.out)
    bad = complaints(guest.out)
    tap.ok(status == 0 and not bad, f'{what}: clean log',
           bad or guest.report())


def sequence(path):
    """The requests in a trace, in order, one word group each."""
    result = []
    for line in read(path).splitlines():
        event, _, rest = line.partition(' ')
        # With time stamps the event's name follows "PID@SECONDS:".
        pattern = SEQUENCE.get(event.rpartition(':')[2])
        if pattern:
            found = pattern.search(rest)
            if not found:
                raise ValueError(f'unexpected trace line: {line}')
            result.append(found[1])
    return result


def difference(one, other):
    """Where two sequences part, or an empty string."""
    for n, (a, b) in enumerate(itertools.zip_longest(one, other)):
        if a != b:
            return f'request {n}: "{a}" against "{b}"; before it: ' + \
                '; '.join(one[max(0, n - 3):n])
    return ''


def cold_boots(tap, image, version, count, jobs=2):
    """Boots COUNT times, JOBS at a time; all must make the same requests.

    Returns how many were clean and the sequences found: {text: boots}."""
    clean, found = 0, {}
    first = []
    for start in range(0, count, jobs):
        numbers = range(start, min(start + jobs, count))
        with contextlib.ExitStack() as stack:
            guests = [stack.enter_context(Guest(image, UP, trace=True))
                      for _ in numbers]
            for n, guest in zip(numbers, guests):
                status = guest.wait()
                bad = complaints(guest.out)
                good = status == 0 and version in guest.out and not bad
                tap.ok(good, f'boot {n + 1} of {count}: {image} is up, '
                       'clean log', bad or guest.report())
                clean += good
                seq = sequence(guest.trace)
                first = first or seq
                found[tuple(seq)] = found.get(tuple(seq), 0) + 1
                apart = difference(first, seq)
                tap.ok(seq and not apart, f'boot {n + 1} of {count}: '
                       f'same {len(first)} requests as the first',
                       apart or 'the trace holds no request')
    return clean, found
