"""Fuzzer of trace files: bytes are replayed; nothing but takt.InputError may come out.

Half of the mutations are libFuzzer's; the other half overwrites, swaps or repeats whole records, which keeps the
header readable.

Usage: fuzz_trace.py [libFuzzer's options] CORPUS... or, to repeat one input, its file
"""

from __future__ import annotations

import random
import struct
import sys

import atheris

with atheris.instrument_imports(include=["takt"]):
    import takt

import only_input_errors

PREAMBLE = struct.Struct("<8sHHI")
RECORD = struct.Struct("<QQIIBBHI")
STEP = 5
MOST_STEPS = 4096
FIELDS = ((0, 8), (8, 8), (16, 4), (20, 4), (24, 1), (25, 1), (26, 2), (28, 4))


def begin_of_records(data: bytes) -> int:
    """Where the records begin, or would if the file were long enough."""
    length = PREAMBLE.unpack_from(data)[3] if len(data) >= PREAMBLE.size else 0
    return int(-(-(PREAMBLE.size + length) // RECORD.size) * RECORD.size)


def with_bounded_steps(data: bytes) -> bytes:
    """Bound the numbers of steps: replay makes as many as a trace says, and nobody waits for 2^60."""
    bounded = bytearray(data)
    for at in range(begin_of_records(data), len(data) - RECORD.size + 1, RECORD.size):
        now, value, *others = RECORD.unpack_from(data, at)
        if others[2] == STEP:
            RECORD.pack_into(bounded, at, now, value % MOST_STEPS, *others)
    return bytes(bounded)


def test_one_input(data: bytes) -> None:
    """Try one trace."""
    only_input_errors.refuses_or_takes(takt.replay, with_bounded_steps(data))


def change_record(record: bytes, choice: random.Random) -> bytes:
    """Overwrite one field with a number that is small, or near its limit."""
    offset, size = choice.choice(FIELDS)
    value = choice.choice((choice.randrange(64), -1 - choice.randrange(4)))
    field = (value % (1 << 8 * size)).to_bytes(size, "little")
    return record[:offset] + field + record[offset + size :]


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Change bytes, or one record, or repeat or drop one."""
    choice = random.Random(seed)
    begin = begin_of_records(data)
    count = (len(data) - begin) // RECORD.size
    if count <= 0 or choice.random() < 0.5:
        return bytes(atheris.Mutate(data, max_size))
    at = begin + RECORD.size * choice.randrange(count)
    record = data[at : at + RECORD.size]
    replaced = choice.choice((b"", record + record, change_record(record, choice), change_record(record, choice)))
    return (data[:at] + replaced + data[at + RECORD.size :])[:max_size]


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one_input, custom_mutator=mutate)
    atheris.Fuzz()
