#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fuzzer of tables of variants: whatever a file says, origin sweep makes jobs of it or says one line. The first byte of an input says whether it is
TOML or YAML.
Usage: fuzz_sweep.py N SEED SECONDS, in the repository's root, with ORIGIN_LAUNCHER set"""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys
import tempfile

import mutate

loader = importlib.machinery.SourceFileLoader("sweep", "launcher/sweep")
sweep = importlib.util.module_from_spec(importlib.util.spec_from_loader("sweep", loader))
loader.exec_module(sweep)
options = sweep.Options()
sweep.Options = lambda: options  # the launcher's table, which is the same each time
place = tempfile.TemporaryDirectory(dir="/dev/shm")


def one(data):
    path = os.path.join(place.name, "t.yaml" if data[:1] == b"Y" else "t.toml")
    with open(path, "wb") as f:
        f.write(data[1:])
    err = io.StringIO()
    try:
        with contextlib.redirect_stderr(err):
            table = sweep.Table(path)
            sweep.jobs_of(table, table.variants, "commit", place.name, True)
    except SystemExit as e:
        text = err.getvalue()
        assert e.code in (1, 2) and text.startswith("origin: sweep: ") and text.count("\n") == 1 and text.endswith("\n"), (e.code, text)
        return
    assert not err.getvalue(), err.getvalue()


words = [b"command", b"axes", b"variant", b"[[variant]]\n", b"name", b"env", b"roi-env", b"until-roi", b"share", b"metrics", b"machine", b"true", b"2001-01-01",
         b"nan", b"inf", b"{n}", b"{machine}", b"[]", b"{}", b'"', b"\n", b"- ", b": ", b"\\u0000", b"\\n", b"&a", b"*a", b"<<: *a", b"!!python/object:os.system", b"'"]
table, variant = sweep.Table, sweep.Variant
mutate.run(mutate.corpus("tests/fuzz/corpus/sweep"), words, one, [sweep.load, sweep.text_of, table.__init__, table.part, table.expand, variant.__init__,
           variant.words, variant.fill, variant.row, variant.start, sweep.jobs_of])
