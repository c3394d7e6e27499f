# SPDX-License-Identifier: GPL-2.0-or-later
"""The slow paths of check_line, check_byte and check_eq in a log of -d out_asm: how many registers each saves.

stack.py LOG prints a line for each number: REGISTERS SLOW-PATHS. The host's ABI wants the stack at a multiple of 16 bytes in a call,
and generated code has it there, so the number must be even: each push takes 8 bytes.
"""
import collections
import re
import sys

# x86-64: push them; mov %rbp,%rdi; mov $address,%rsi; mov $argument,%edx; call; pop them; jmp back.
SLOW = re.compile(rb"((?:\x41?[\x50-\x57])*)"
                  rb"\x48\x8b\xfd(?:\xbe.{4}|\x48\xbe.{8}|\x48\xc7\xc6.{4}|\x48\x8d\x35.{4}|\x33\xf6)"
                  rb"(?:\xba.{4}|\x33\xd2)"
                  rb"(?:\xff\x15|\xe8).{4}((?:\x41?[\x58-\x5f])*)\xe9", re.S)
REGISTER = re.compile(rb"\x41?[\x50-\x5f]")


def blocks(log):
    """The code of each translated block."""
    code = bytearray()
    for line in log:
        if line.startswith("OUT:"):
            yield bytes(code)
            code.clear()
        elif line.startswith("OBJD-H: "):
            code += bytes.fromhex(line.split()[1])
    yield bytes(code)


def main():
    saved = collections.Counter()
    with open(sys.argv[1]) as log:
        for code in blocks(log):
            for slow in SLOW.finditer(code):
                pushed, popped = (len(REGISTER.findall(part)) for part in slow.groups())
                if pushed != popped:
                    sys.exit("%d registers pushed, %d popped" % (pushed, popped))
                saved[pushed] += 1
    for registers, paths in sorted(saved.items()):
        print(registers, paths)


main()
