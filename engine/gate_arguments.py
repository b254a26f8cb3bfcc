"""How the gate reads a call's arguments into a kernel's block. Imported only to compile.

`process` and `words` are those of `engine/words.py`, `packed` a record's sizes and addresses, `values` the addresses of
the arguments by parameter. Of the block, `block[2]` is how many states there are, 0 as long as no array has a batch.
"""

from __future__ import annotations

from typing import Any

from . import layout
from . import words as w
from .kernel import HEADER, PER_OPERAND
from .memory import address_of, at, call

READABLE = layout.C_CONTIGUOUS | layout.ALIGNED
OPTIONS = HEADER + PER_OPERAND * w.MOST_OPERANDS  # behind the block's operands, options of this call alone


def collect(process: Any, words: Any, arguments: Any, count: int, names: int, values: Any) -> bool:
    """Put the objects given by position and by name into the order of the parameters, 0 where there is none."""
    if count < 1 or count > words[w.POSITIONAL]:
        return False
    for k in range(words[w.PARAMETERS]):
        values[k] = arguments[k] if k < count else 0
    if names != 0:
        for j in range(call(process[w.TUPLE_SIZE], (names,))):
            name = call(process[w.TUPLE_ITEM], (names, j))
            found = 0
            for k in range(1, words[w.PARAMETERS]):
                if words[w.TABLES + w.PER_PARAMETER * k] == name:
                    found = k
            if found == 0 or values[found] != 0:
                return False
            values[found] = arguments[count + j]
    return True


def choose(process: Any, words: Any, owner: Any, packed: Any, values: Any, block: Any) -> int:
    """Look at the parameters that are not arrays. Returns which kernel, or -1."""
    second, chosen = 0, 0
    if words[w.SECOND_IF] >= 0 and packed[words[w.SECOND_IF]] != 0:
        second = 1
    block[5] = process[w.NO_OPTIONS] if words[w.OPTION] == 0 else process[w.LOSSES_OPTION]
    for k in range(1, words[w.PARAMETERS]):
        row = w.TABLES + w.PER_PARAMETER * k
        kind, value = words[row + 1], values[k]
        if kind == w.WORD:
            chosen += 1
            block[OPTIONS + chosen] = number_of(words, row, value)
            if block[OPTIONS + chosen] < 0:
                return -1
        elif value == process[w.NONE] and (kind == w.OPTIONAL or kind == w.OUT or kind == w.ABSENT):
            values[k] = 0
        elif value == 0:
            if kind == w.INPUT or kind == w.NAME:
                return -1
        elif kind == w.ABSENT:
            return -1
        elif kind == w.LOSSES:
            if value == process[w.TRUE]:
                block[5] = process[w.LOSSES_OPTION]
            elif value != process[w.FALSE]:
                return -1
        elif kind == w.CHOICE:
            if value == words[row + 3]:
                second = 1
            elif value != words[row + 2]:
                return -1
        elif kind == w.NAME:
            if at(value)[layout.TYPE] != process[w.STR]:
                return -1
            found = call(process[w.DICT_ITEM], (owner[words[w.NAMED]], value))
            if found == 0:
                call(process[w.CLEAR_ERROR], ())
                return -1
            if at(found)[layout.TYPE] != process[w.NDARRAY]:
                return -1
            block[5] = at(found)[layout.DATA]
            values[k] = block[5] + 8
    if chosen > 0:
        block[OPTIONS] = at(block[5])[0]
        for k in range(chosen + 1, w.MOST_OPTIONS):
            block[OPTIONS + k] = 0
        block[5] = address_of(block) + 8 * OPTIONS
    return second


def number_of(words: Any, row: int, value: int) -> int:
    """Which of the values of a choice an object is: the first if it was not given, -1 if none."""
    if value == 0:
        return 0
    for j in range(w.MOST_VALUES):
        if words[row + 2 + j] == value:
            return j
    return -1


def size_of(packed: Any, code: int) -> int:
    """A size as the tables tell it."""
    return packed[code] if code >= 0 else -code


def entries_of(packed: Any, words: Any, row: int) -> int:
    """How many entries one state's part of an operand has."""
    count = 1
    for d in range(words[row + 2]):
        count *= size_of(packed, words[row + 3 + d])
    return count


def batch_of(process: Any, packed: Any, words: Any, row: int, array: int, flags: int) -> int:
    """The length of an array's batch, 0 if it is of one state; -1 if it is not as the operand must be."""
    x = at(array)
    if x[layout.TYPE] != process[w.NDARRAY] or x[layout.DTYPE] != process[w.FLOAT64]:
        return -1
    more = (x[layout.NDIM] & layout.INT) - words[row + 2]
    if x[layout.FLAGS] & flags != flags or more < 0 or more > 1:
        return -1
    shape = at(x[layout.DIMENSIONS])
    for d in range(words[row + 2]):
        if shape[d + more] != size_of(packed, words[row + 3 + d]):
            return -1
    if more == 0:
        return 0
    return shape[0] if shape[0] > 0 else -1


def take_inputs(process: Any, words: Any, packed: Any, values: Any, block: Any, checked: bool) -> bool:
    """Fill the block with the inputs, if all of them can be taken; batches must be of one length."""
    block[2] = 0
    table = w.TABLES + w.PER_PARAMETER * words[w.PARAMETERS]
    for k in range(words[w.OPERANDS] - words[w.RESULTS]):
        row, place = table + w.PER_OPERAND * k, HEADER + PER_OPERAND * k
        source = words[row]
        address, step, count = 0, 0, entries_of(packed, words, row)
        if count == 0:
            return False
        if source <= w.FIELD:
            address = packed[w.FIELD - source]
        elif source == w.NOTHING or values[source] == 0:
            count = 0
        elif words[w.TABLES + w.PER_PARAMETER * source + 1] == w.NAME:
            address = values[source]
        else:
            length = batch_of(process, packed, words, row, values[source], READABLE)
            if length < 0 or (length > 0 and block[2] > 0 and length != block[2]):
                return False
            if length > 0:
                block[2], step = length, 8 * count
            address = at(values[source])[layout.DATA]
        block[place], block[place + 1], block[place + 2], block[place + 3] = address, 0, step, 8
        block[place + 4], block[place + 5] = count, words[row + 1] if checked else 0
    return True


def is_checked(process: Any, value: Any) -> bool:
    """Whether inputs are to be checked, as Python's context says; `value` is room for an object."""
    if process[w.EVER_UNCHECKED] == 0:
        return True
    value[0] = 0
    call(process[w.CONTEXT_GET], (process[w.CHECKING], 0, address_of(value)))
    call(process[w.DECREF], (value[0],))
    return value[0] == process[w.TRUE]
