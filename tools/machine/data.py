#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The data of docs/machine.html as JSON: the programs (build/wasm) in base64, the presets with what they include, the rows of the protocol as text."""
import base64
import glob
import json
import os


def text(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def programs(folder):
    for name in ("machine", "dtc", "dtinfo"):
        with open(os.path.join(folder, name + ".wasm"), "rb") as f:
            yield name, base64.b64encode(f.read()).decode()


data = {
    "wasm": dict(programs("build/wasm")),
    "files": {os.path.basename(p): text(p) for p in sorted(glob.glob("qemu-origin/machines/*.dts*"))},
    "protocol": text("qemu-origin/engine/proto/proto.h.inc"),
}
print(json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("</", "<\\/"))
