# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/soak.md: what ran for how long at which commit, added up.

A row is "| commit | what | date | planned | done | remark |"."""
import datetime
import os
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path.insert(0, os.path.join(TESTS, 'guest'))
import lib  # noqa: E402

RECORD = os.path.join(lib.REPO, 'docs', 'soak.md')
# What a boot depends on.
BOOT = ('common', 'hw-vgsp', 'qemu-patches', 'scripts/guest',
        'scripts/guest-init')


def git(*args):
    return subprocess.run(['git', '-C', lib.REPO, *args], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False)


def earlier(what, sources):
    """(planned, done) on record for WHAT, of these very sources."""
    planned = done = 0.0
    for line in lib.read(RECORD).splitlines():
        cells = [c.strip() for c in line.strip().strip('|').split('|')]
        if len(cells) == 6 and cells[1] == what and git(
                'diff', '--quiet', cells[0], '--', *sources).returncode == 0:
            planned += float(cells[3])
            done += float(cells[4])
    return planned, done


def add(tap, what, sources, planned, done, remark):
    """Prints the row of a run; with $VGSP_SOAK_RECORD, adds it to the file."""
    commit = git('rev-parse', '--short=12', 'HEAD').stdout.strip()
    row = (f'| {commit} | {what} | {datetime.date.today()} | {planned:g} | '
           f'{done:g} | {remark} |')
    tap.note(row)
    if os.environ.get('VGSP_SOAK_RECORD'):
        if git('status', '--porcelain', '--', *sources).stdout:
            tap.note('not recorded: the sources are not as committed')
            return
        with open(RECORD, 'a', encoding='utf-8') as f:
            f.write(row + '\n')
