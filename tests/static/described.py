# SPDX-License-Identifier: GPL-2.0-or-later
"""C that compiles only if descriptions for a fuzzer of system calls (tests/soak/hostile/*.txt) have the structures and requests of our headers.

Reads descriptions from standard input and writes assertions: each field's place and size, each structure's size, and for requests that encode
the size and direction of their argument, these. Knows the types that the descriptions use, and stops at others.
"""
import re
import sys

structs = {}


def width(kind):
    """Bytes and alignment of a type."""
    m = re.fullmatch(r"(?:int|ptr|vma)(8|16|32|64)(?:\[.*\])?", kind)
    if m:
        return (int(m[1]) // 8,) * 2
    m = re.fullmatch(r"(?:const|flags)\[\w+, (int\d+)\]", kind)
    if m:
        return width(m[1])
    m = re.fullmatch(r"array\[(.*), (\d+)\]", kind)
    if m:
        size, align = width(m[1])
        return size * int(m[2]), align
    if kind not in structs:
        sys.exit(f"unknown type: {kind}")
    return layout(structs[kind])[1:]


def layout(fields):
    """Places and sizes of fields, size and alignment of their structure."""
    at, most, places = 0, 1, []
    for name, kind in fields:
        size, align = width(kind)
        at = -(-at // align) * align
        places.append((name, at, size))
        at += size
        most = max(most, align)
    return places, -(-at // most) * most, most


text = sys.stdin.read()
for block in re.finditer(r"^(\w+) \{\n(.*?)^\}", text, re.M | re.S):
    structs[block[1]] = [line.split(None, 1) for line in block[2].splitlines()]
for name, fields in structs.items():
    places, size, _ = layout(fields)
    for field, at, bytes_ in places:
        place = f"offsetof({name}_t, {field}) == {at} && sizeof((({name}_t *)0)->{field}) == {bytes_}"
        print(f'_Static_assert({place}, "{name}.{field}");')
    print(f'_Static_assert(sizeof({name}_t) == {size}, "size of {name}");')
for request, direction, kind in re.findall(r"const\[(SNPC_\w+)\], arg ptr\[(in|out|inout), (\w+)\]", text):
    way = {"in": "_IOC_WRITE", "out": "_IOC_READ", "inout": "_IOC_READ | _IOC_WRITE"}[direction]
    print(f'_Static_assert(_IOC_SIZE({request}) == {width(kind)[0]} && _IOC_DIR({request}) == ({way}), "{request}");')
