# SPDX-License-Identifier: GPL-2.0-or-later
"""Inputs for programs in Python: mutations of a corpus, and how much of the program they reach."""
import os
import random
import sys
import time


def corpus(directory):
    return [open(os.path.join(directory, name), "rb").read() for name in sorted(os.listdir(directory))]


def mutate(rnd, seeds, words):
    """Some changes of one of the seeds: bytes, pieces of it or of another one, words."""
    data = bytearray(rnd.choice(seeds))
    for _ in range(rnd.randint(1, 6)):
        at = rnd.randint(0, len(data))
        to = min(len(data), at + rnd.choice([0, 1, 1, 2, 5, 20, 100]))
        kind = rnd.randrange(6)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << rnd.randrange(8)
        elif kind == 1:
            del data[at:to]
        elif kind == 2:
            data[at:at] = data[at:to] * rnd.randint(1, 3)
        elif kind == 3:
            other = rnd.choice(seeds)
            begin = rnd.randint(0, len(other))
            data[at:to] = other[begin : begin + rnd.randint(0, 60)]
        elif kind == 4:
            data[at:to] = rnd.choice(words)
        else:
            data[at:at] = bytes(rnd.randrange(256) for _ in range(rnd.randint(1, 4)))
    return bytes(data)


def lines_of(code):
    """The lines that a code object and those in it have."""
    out = {line for _, _, line in code.co_lines() if line}
    for const in code.co_consts:
        if hasattr(const, "co_lines"):
            out |= lines_of(const)
    return out


def run(seeds, words, one, functions):
    """N inputs from seed SEED, or so many as there is time for, as the command line says; the corpus as it is comes first. Prints how many, and the lines
    of @functions that were reached."""
    n, seed, end = int(sys.argv[1]), int(sys.argv[2]), time.monotonic() + float(sys.argv[3])
    rnd = random.Random(seed)
    codes = [f.__code__ for f in functions]
    files = {c.co_filename for c in codes}
    want = set().union(*map(lines_of, codes)) - {c.co_firstlineno for c in codes}
    seen = set()

    def trace(frame, event, _):
        if frame.f_code.co_filename not in files:
            return None
        seen.add(frame.f_lineno)
        return trace

    for i in range(n):
        if time.monotonic() > end:
            n = i
            break
        data = seeds[i] if i < len(seeds) else mutate(rnd, seeds, words)
        if i % 50 == 0 or i < len(seeds):  # tracing costs much
            sys.settrace(trace)
        try:
            one(data)
        except BaseException:
            sys.settrace(None)
            with open("build/fuzz/crash", "wb") as f:
                f.write(data)
            print(f"ERROR: input {i} of seed {seed}, which is in build/fuzz/crash", flush=True)
            raise
        sys.settrace(None)
    print(f"Done {n} runs, {len(seen & want)} of {len(want)} lines")
