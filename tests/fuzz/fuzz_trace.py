# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Fuzzer of trace files: bytes are replayed; nothing but takt.InputError may come out.

A third of the mutations are libFuzzer's; another overwrites, repeats or drops whole records; the last puts another
number into a word of the image, or another value into the names, which stay JSON.

Usage: fuzz_trace.py [libFuzzer's options] CORPUS... or, to repeat one input, its file
"""

from __future__ import annotations

import json
import random
import struct
import sys
import zlib
from collections.abc import Iterator
from typing import Any

import atheris

with atheris.instrument_imports(include=["takt"]):
    # By name: what is imported at its first use would not be instrumented.
    from takt import replay

import only_input_errors

PREAMBLE = struct.Struct("<8sHHI")
RECORD = struct.Struct("<QQIIBBHI")
STEP = 5
END = 27
MOST_STEPS = 4096
VALUES: tuple[Any, ...] = (
    0,
    1,
    2,
    3,
    7,
    255,
    2**32,
    2**62,
    2**63,
    2**64 - 1,
    2**70,
    -1,
    0.5,
    True,
    None,
    "",
    "0",
    "enter",
    "edf",
    [],
    {},
)
FIELDS = ((0, 8), (8, 8), (16, 4), (20, 4), (24, 1), (25, 1), (26, 2), (28, 4))


def begin_of_records(data: bytes) -> int:
    """Return where the records begin, or would if the file were long enough."""
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


def with_right_end(data: bytes) -> bytes:
    """End a trace with the closing record that fits it; without one nothing of it is replayed."""
    begin = begin_of_records(data)
    if len(data) < begin:
        return data
    count = (len(data) - begin) // RECORD.size
    last = begin + RECORD.size * (count - 1)
    if count > 0 and RECORD.unpack_from(data, last)[4] == END:
        count -= 1
    return data[: begin + RECORD.size * count] + RECORD.pack(0, count, 2**32 - 1, 0, END, 0, 0, 0)


def test_one_input(data: bytes) -> None:
    """Try one trace; most get a closing record, which mutations destroy."""
    is_left_alone = zlib.crc32(data) % 8 == 0
    trace = with_bounded_steps(data)
    only_input_errors.refuses_or_takes(replay, trace if is_left_alone else with_right_end(trace))


def places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield all lists and objects of a JSON value, each with every index or key of it."""
    if isinstance(value, dict | list):
        for place in value if isinstance(value, dict) else range(len(value)):
            yield value, place
            yield from places_in(value[place])


def change_value(header: Any, choice: random.Random) -> None:
    """Replace, repeat or drop one value of a header."""
    places = list(places_in(header))
    if not places:
        return
    holder, place = choice.choice(places)
    kind = choice.randrange(10)
    if kind == 0:
        del holder[place]
    elif kind == 1 and isinstance(holder, list):
        holder.append(holder[place])
    else:
        holder[place] = choice.choice(VALUES)


def with_another_word(image: bytes, choice: random.Random) -> bytes:
    """Return the trace with another number in a word behind the length of the image."""
    at = 8 * choice.randrange(3, max(4, len(image) // 8))
    word = choice.choice([value for value in VALUES if type(value) is int and 0 <= value < 2**64])
    return image[:at] + word.to_bytes(8, "little") + image[at + 8 :]


def with_other_names(text: bytes, choice: random.Random) -> bytes:
    """Change one value of the names."""
    try:
        names = json.loads(text)
    except (ValueError, RecursionError):
        return text
    change_value(names, choice)
    return json.dumps(names).encode()


def with_another_header(data: bytes, choice: random.Random) -> bytes:
    """Change one value of the header; records stay where they are read."""
    magic, version, size, length = PREAMBLE.unpack_from(data)
    header = data[PREAMBLE.size : PREAMBLE.size + length]
    end = 8 * int.from_bytes(header[16:24], "little")
    image, text = header[:end], header[end:]
    if choice.randrange(4) > 0:
        image = with_another_word(image, choice)
    else:
        text = with_other_names(text, choice)
    start = PREAMBLE.pack(magic, version, size, len(image) + len(text)) + image + text
    return start + bytes(-len(start) % RECORD.size) + data[begin_of_records(data) :]


def change_record(record: bytes, choice: random.Random) -> bytes:
    """Overwrite one field with a number that is small, or near its limit."""
    offset, size = choice.choice(FIELDS)
    value = choice.choice((choice.randrange(64), -1 - choice.randrange(4)))
    field = (value % (1 << 8 * size)).to_bytes(size, "little")
    return record[:offset] + field + record[offset + size :]


def with_other_records(data: bytes, choice: random.Random) -> bytes:
    """Overwrite, repeat or drop one record."""
    begin = begin_of_records(data)
    count = (len(data) - begin) // RECORD.size
    if count <= 0:
        return data
    at = begin + RECORD.size * choice.randrange(count)
    record = data[at : at + RECORD.size]
    replaced = choice.choice((b"", record + record, change_record(record, choice), change_record(record, choice)))
    return data[:at] + replaced + data[at + RECORD.size :]


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Change bytes, a record or the header."""
    choice = random.Random(seed)
    change = choice.choice((None, with_other_records, with_another_header))
    if change is None or len(data) < PREAMBLE.size:
        return bytes(atheris.Mutate(data, max_size))
    return change(data, choice)[:max_size]


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one_input, custom_mutator=mutate)
    atheris.Fuzz()
