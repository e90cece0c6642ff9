# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts that a cubin, NVIDIA's machine code in an ELF file, tells of its kernels."""

from __future__ import annotations

from struct import unpack_from

#: The attributes in the section `.nv.info` that have a symbol's number and a value, 4 bytes each.
_REGISTERS, _FRAME_BYTES = 0x2F, 0x11
_HAS_VALUE = 0x04
_SYMBOLS = 2  # the type of a section


def resources(cubin: bytes, name: str) -> tuple[int | None, int | None]:
    """The registers of a thread, and the bytes of its stack frame, in which registers are spilled,
    of a kernel; None where the cubin does not tell."""
    if not cubin.startswith(b"\x7fELF"):
        return None, None
    sections = _sections(cubin)
    symbols = {}
    for _, kind, start, size, link, _ in sections:
        if kind == _SYMBOLS:
            names = sections[link][2]
            for number in range(size // 24):
                (text,) = unpack_from("<I", cubin, start + 24 * number)
                symbols[number] = _text(cubin, names + text)
    found = {}
    for title, _, start, size, _, _ in sections:
        if title == ".nv.info":
            for attribute, payload in _attributes(cubin, start, size):
                if attribute in (_REGISTERS, _FRAME_BYTES):
                    symbol, value = unpack_from("<II", cubin, payload)
                    if symbols.get(symbol) == name:
                        found[attribute] = value
    return found.get(_REGISTERS), found.get(_FRAME_BYTES)


def _sections(cubin: bytes) -> list[tuple]:
    """Of each section its name, type, start, size, link and flags."""
    (table,) = unpack_from("<Q", cubin, 40)
    each, count, names = unpack_from("<HHH", cubin, 58)
    heads = [unpack_from("<IIQQQQI", cubin, table + number * each) for number in range(count)]
    titles = heads[names][4]
    return [
        (_text(cubin, titles + name), kind, start, size, link, flags)
        for name, kind, flags, _, start, size, link in heads
    ]


def _attributes(cubin: bytes, start: int, size: int):
    """The attributes in a section `.nv.info` with a payload, each with its place."""
    place, end = start, start + size
    while place + 4 <= end:
        form, attribute, length = unpack_from("<BBH", cubin, place)
        if form == _HAS_VALUE:
            yield attribute, place + 4
            place += length
        place += 4


def _text(cubin: bytes, start: int) -> str:
    return cubin[start : cubin.index(b"\0", start)].decode()
