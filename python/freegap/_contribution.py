"""Contribution bounds: which items a unit keeps that brings more than the bound allows.

Each pair of a unit and an item has a rank: the SHA-256 of a key and both names. A unit keeps the items of the smallest ranks. The key is
drawn afresh for each call, in C++, from the secure stream; so the choice is uniform, and units are independent of each other. What a unit
keeps is a function of the key and of its own items, whatever the key: docs/proofs/setting.md, "Contribution bounds". Engines compute the
same ranks in SQL, and the program in C++ (src/sources/contribution.hpp).
"""

from __future__ import annotations

import hashlib
from typing import Any, Sequence


def rank(key: str, unit: str, item: str) -> bytes:
    """The rank of an item of a unit: the key, and both names, each after its length in bytes and a colon."""
    text = key.encode()
    for name in (unit, item):
        written = name.encode("utf-8", "surrogatepass")
        text += b"%d:%b" % (len(written), written)
    return hashlib.sha256(text).digest()


def sql_text(key: str, length: str, unit: str, item: str) -> str:
    """What is hashed, as an expression of SQL; `length` is the function that counts bytes."""
    parts = [key]
    for name in (unit, item):
        text = f"CAST({name} AS VARCHAR)"
        parts += [f"CAST({length}({text}) AS VARCHAR)", "':'", text]
    return " || ".join(parts)


def kept(key: str, most: int, unit: Any, items: Sequence[Any]) -> Sequence[Any]:
    """What stays of the distinct items of one unit."""
    if len(items) <= most:
        return items
    return sorted(items, key=lambda item: rank(key, str(unit), str(item)))[:most]
