# SPDX-License-Identifier: GPL-2.0-or-later
"""The driver comes up, and again after each reload, without a complaint."""
import re

import lib

# What nouveau says on its way to a render node.
LANDMARKS = {
    'the chip': r'NVIDIA TU104 \(164000a1\)',
    'the VBIOS': r'bios: version [0-9a-f.]+',
    'its memory': r'VRAM: \d+ MiB',
    'buffer moves by the copy engine': r'MM: using COPY for buffer copies',
    'registration': r'Initialized nouveau',
}


def bring_up(tap, image, version, reloads):
    command = f'''
        ls /dev/dri
        {lib.DRIVER_LOG}
        {lib.RENDER} || exit 8
        i=0
        while [ $i -lt {reloads} ]; do
            dmesg -C
            rmmod nouveau || exit 9
            ! {lib.RENDER} || exit 10
            modprobe nouveau || exit 11
            {lib.RENDER} || exit 12
            i=$((i + 1))
            echo "RELOAD $i"
            {lib.DRIVER_LOG}
        done
    '''
    with lib.Guest(image, command, stats=True) as guest:
        status = guest.wait()
        first, *again = re.split(r'^RELOAD \d+$', guest.out, flags=re.M)
        tap.ok('renderD128' in first.split(), 'the render node exists',
               guest.report())
        tap.ok(version in first, f'the log names GSP-RM {version}', first)
        for what, pattern in LANDMARKS.items():
            tap.ok(re.search(pattern, first), f'the log shows {what}', first)
        bad = lib.complaints(first)
        tap.ok(first and not bad, 'no complaint in the log', bad)
        for n in range(reloads):
            part = again[n] if n < len(again) else ''
            bad = lib.complaints(part)
            tap.ok('Initialized nouveau' in part and not bad,
                   f'reload {n + 1}: up again, no complaint',
                   bad or guest.report())
        tap.ok(status == 0, 'the run ends well', guest.report())
        stats = guest.stats()
        tap.ok(stats.get('rpcs', 0) > 0 and stats.get('channels', 0) > 0,
               'the device counted RPCs and channels', stats)
        tap.ok(stats.get('rm-refused') == 0, 'no RM control was refused',
               stats)
