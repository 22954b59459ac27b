# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Seals: a checksum within a file that Takt writes and reads back, so that no damage to it is taken for data.

A seal is a line of text that any format has a place for, as metadata or behind its end. It has a label, which says what
the file is, and the SHA-256 of all bytes of the file but its own digits. So every damaged byte is noticed, also one of
the label, and other programs read the file as if it had none.

When not to use it: against people. A program that can write the file can seal it.
"""

from __future__ import annotations

import hashlib
import re

_BLANK = "0" * 64
_SEAL = re.compile(rb"takt-seal ([ -~]{1,200}?) sha256 ([0-9a-f]{64})\b")


def blank(label: str) -> str:
    """Return a seal without its digits, to be written into a file once; the label is ASCII."""
    return f"takt-seal {label} sha256 {_BLANK}"


def sealed(data: bytes) -> bytes:
    """Return the content of a file with the digits of its blank seal."""
    begin, end = _digits_of(data)
    return data[:begin] + _checksum(data, begin, end) + data[end:]


def label_of(data: bytes) -> str:
    """Return what a file says it is.

    Raises:
        ValueError: it has no seal, or not that of its bytes.
    """
    begin, end = _digits_of(data)
    if data[begin:end] != _checksum(data, begin, end):
        raise ValueError("its checksum is wrong")
    return _only_seal(data)[1].decode()


def _digits_of(data: bytes) -> tuple[int, int]:
    """Return the digits of a seal."""
    return _only_seal(data).span(2)


def _only_seal(data: bytes) -> re.Match[bytes]:
    found = list(_SEAL.finditer(data))
    if len(found) != 1:
        raise ValueError("it has no checksum" if not found else "it has two checksums")
    return found[0]


def _checksum(data: bytes, begin: int, end: int) -> bytes:
    """Return the digits of the bytes around a seal's own."""
    digest = hashlib.sha256(data[:begin])
    digest.update(data[end:])
    return digest.hexdigest().encode()
