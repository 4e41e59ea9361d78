# SPDX-License-Identifier: GPL-2.0-or-later
"""A QMP client as small as the scripts and tests here need it."""
import json
import socket
import time


class QmpError(Exception):
    """QEMU answered a command with an error, or went away."""


class Qmp:
    """Speaks QMP over a connected socket, or one at a path."""

    def __init__(self, where, timeout=30):
        if isinstance(where, socket.socket):
            self.sock = where
        else:
            self.sock = self.connect(where, time.monotonic() + timeout)
        self.sock.settimeout(timeout)
        self.buf = b''
        self.events = []
        while 'QMP' not in self.message():
            pass
        self('qmp_capabilities')

    @staticmethod
    def connect(path, deadline):
        """QEMU makes the socket some time after it is started."""
        while True:
            s = socket.socket(socket.AF_UNIX)
            try:
                s.connect(path)
                return s
            except (FileNotFoundError, ConnectionRefusedError) as e:
                s.close()
                if time.monotonic() > deadline:
                    raise QmpError(f'no QMP server at {path}') from e
                time.sleep(0.05)

    def receive(self):
        try:
            data = self.sock.recv(1 << 16)
        except ConnectionResetError:
            data = b''
        if not data:
            raise QmpError('QEMU closed the connection')
        self.buf += data

    def message(self):
        while b'\n' not in self.buf:
            self.receive()
        line, self.buf = self.buf.split(b'\n', 1)
        return json.loads(line)

    def __call__(self, command, **arguments):
        """Runs a command; returns its result."""
        self.sock.sendall(json.dumps({'execute': command, 'arguments':
                                      arguments}).encode() + b'\n')
        while True:
            m = self.message()
            if 'event' in m:
                self.events.append(m)
            elif 'error' in m:
                raise QmpError(f"{command}: {m['error']['desc']}")
            elif 'return' in m:
                return m['return']

    def poll(self):
        """Takes the events of a socket that has something to read."""
        self.receive()
        while b'\n' in self.buf:
            self.events.append(self.message())

    def take_events(self):
        """The events so far, which are then forgotten."""
        events, self.events = self.events, []
        return events

    def wait_event(self, name, timeout):
        """Returns the next event of that name; older ones are dropped."""
        deadline = time.monotonic() + timeout
        while True:
            while self.events:
                m = self.events.pop(0)
                if m['event'] == name:
                    return m
            left = deadline - time.monotonic()
            if left <= 0:
                raise QmpError(f'no {name} event within {timeout} s')
            old = self.sock.gettimeout()
            self.sock.settimeout(left)
            try:
                m = self.message()
                if 'event' in m:
                    self.events.append(m)
            except socket.timeout:
                pass
            finally:
                self.sock.settimeout(old)

    def stats(self):
        """The counters of every vgsp-gpu: {id: {name: value}}."""
        result = {}
        for dev in self('qom-list', path='/machine/peripheral'):
            if dev['type'] == 'child<vgsp-gpu>':
                path = '/machine/peripheral/' + dev['name']
                result[dev['name']] = {
                    p['name'].removeprefix('stats-'):
                    self('qom-get', path=path, property=p['name'])
                    for p in self('qom-list', path=path)
                    if p['name'].startswith('stats-')}
        return result
