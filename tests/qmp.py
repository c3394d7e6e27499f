# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU's machine protocol (QMP), for tests that query the machine from outside."""
import json
import socket
import sys
import time


class Qmp:
    def __init__(self, path, seconds=None):
        """Connects to the socket, which may take a minute to appear. SECONDS: how long that and an answer may take (then OSError)."""
        sock = socket.socket(socket.AF_UNIX)
        for _ in range(int(10 * (seconds or 60))):
            try:
                sock.connect(path)
                break
            except OSError:
                time.sleep(0.1)
        else:
            sys.exit("no QMP socket %s" % path)
        sock.settimeout(seconds)
        self.stream = sock.makefile("rw")
        self.events = []
        # What happens while QEMU accepts the connection may be told before its greeting.
        while "QMP" not in (greeting := json.loads(self.stream.readline())):
            self.events.append(greeting.get("event"))
        self.command("qmp_capabilities")

    def ask(self, name, **arguments):
        """Returns the answer: a dictionary with "return" or "error"."""
        self.stream.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self.stream.flush()
        while True:
            answer = json.loads(self.stream.readline())
            if "event" not in answer:
                return answer
            self.events.append(answer["event"])

    def command(self, name, **arguments):
        """Returns the value of "return"; an error ends the test."""
        answer = self.ask(name, **arguments)
        if "error" in answer:
            sys.exit("%s: %s" % (name, answer["error"]))
        return answer["return"]

    def wait(self, event):
        """Waits until the event has occurred once."""
        while event not in self.events:
            self.events.append(json.loads(self.stream.readline()).get("event"))

    def hmp(self, line):
        return self.command("human-monitor-command", **{"command-line": line})

    def get(self, what):
        """A property of the machine (docs/engine.md)."""
        return self.command("qom-get", path="/machine", property=what)
