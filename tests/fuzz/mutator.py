"""Random changes of bytes: what damage, carelessness and malice do to a file."""

from __future__ import annotations

import re

import numpy as np

#: Pieces that readers stumble over.
PIECES = [
    b"",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n\n",
    b'"',
    b"'",
    b",",
    b";",
    b"{",
    b"}",
    b"[",
    b"<",
    b"&a;",
    b"<!DOCTYPE a>",
    b"%",
    b"\\ud800",
    b"NaN",
    b"inf",
    b"-1",
    b"1e400",
    b"9" * 25,
    b"9" * 5000,
    b"0",
    b"18446744073709551616",
    b"\xe2\x80\xae",
    b"\x1b]0;x\x07",
    b"\xed\xa0\x80",
    b"x" * 3000,
]


def mutate(content: bytes, rng: np.random.Generator) -> bytes:
    """Return the content after one to four random changes."""
    for _ in range(int(rng.integers(1, 5))):
        content = CHANGES[int(rng.integers(len(CHANGES)))](content, rng)
    return content


def overwrite(content: bytes, rng: np.random.Generator) -> bytes:
    """Return the content with one to four bytes replaced: in binary files, all offsets stay what they were."""
    if rng.random() < 0.3:
        return mutate(content, rng)
    changed = bytearray(content)
    for _ in range(int(rng.integers(1, 5))):
        changed[int(rng.integers(len(changed)))] = [0, 1, 127, 128, 255, int(rng.integers(256))][int(rng.integers(6))]
    return bytes(changed)


def _place(content: bytes, rng: np.random.Generator) -> int:
    return int(rng.integers(len(content) + 1))


def _flip_bit(content: bytes, rng: np.random.Generator) -> bytes:
    if not content:
        return content
    changed, at = bytearray(content), int(rng.integers(len(content)))
    changed[at] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def _insert_piece(content: bytes, rng: np.random.Generator) -> bytes:
    at = _place(content, rng)
    return content[:at] + PIECES[int(rng.integers(len(PIECES)))] + content[at:]


def _cut(content: bytes, rng: np.random.Generator) -> bytes:
    start, end = sorted((_place(content, rng), _place(content, rng)))
    return content[:start] + content[end:]


def _truncate(content: bytes, rng: np.random.Generator) -> bytes:
    return content[: _place(content, rng)]


def _repeat(content: bytes, rng: np.random.Generator) -> bytes:
    start = _place(content, rng)
    part = content[start : start + int(rng.integers(1, 60))]
    return content[:start] + part * int(rng.integers(2, 5)) + content[start:]


def _change_number(content: bytes, rng: np.random.Generator) -> bytes:
    numbers = list(re.finditer(rb"\d+", content))
    if not numbers:
        return content
    at = numbers[int(rng.integers(len(numbers)))]
    new = [b"0", b"-1", b"2", b"99999999", b"9" * 30, b"1.5", b"NaN", b"1e999"][int(rng.integers(8))]
    return content[: at.start()] + new + content[at.end() :]


CHANGES = [_flip_bit, _insert_piece, _cut, _truncate, _repeat, _change_number]
