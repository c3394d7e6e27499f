#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fuzzer of origin exec: a guest that writes what it likes to the agent's port. NAME in an input stands for the four bytes that name the request.
Usage: fuzz_exec.py N SEED SECONDS, in the repository's root"""
import importlib.machinery
import importlib.util
import os
import sys

import mutate

os.environ["ORIGIN_FRAME"] = "16384"
loader = importlib.machinery.SourceFileLoader("enter", "launcher/enter")
enter = importlib.util.module_from_spec(importlib.util.spec_from_loader("enter", loader))
loader.exec_module(enter)
written = 0
readable, other = os.pipe()
os.close(other)


def count(fd, data):
    global written
    assert fd in (1, 2)
    written += len(data)


class Machine:
    """A machine that says @data, in pieces."""

    def __init__(self, data):
        self.data, self.name, self.asked = data, b"", 0

    def sendall(self, data):
        if data[:1] == b"R":
            self.name = data[5:9]
            self.data = self.data.replace(b"NAME", self.name)

    def fileno(self):
        return readable  # it always has something to say

    def recv(self, most):
        self.asked += 1
        n = min(most, 1 + self.asked * 7 % 50)
        piece, self.data = self.data[:n], self.data[n:]
        return piece


def one(data):
    machine = Machine(data)
    try:
        status = enter.run(machine, b"true\0")
        assert 0 <= status <= 255
    except (enter.Gone, enter.Foreign):
        pass


enter.write = count
words = [b"B\0\0\0\4NAME", b"G\0\0\0\0", b"X\0\0\0\x03000", b"X\0\0\0\x03256", b"1\0\0\0\2hi", b"2\0\0\0\1x", b"\xff\xff\xff\xff", b"\0\0\x40\x01", b"NAME"]
mutate.run(mutate.corpus("tests/fuzz/corpus/exec"), words, one, [enter.run, enter.Frames.take, enter.Frames.whole, enter.Frames.length, enter.stdin_piece])
sys.exit(0 if written else 1)
