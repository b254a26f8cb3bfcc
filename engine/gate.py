"""The fast way into a kernel from Python, for one state. Imported only to compile.

`gate` is what CPython calls for a public function (PEP 590, vectorcall). It looks at the arguments as they lie in
memory. If they are what a kernel can take as it is, it runs the kernel; anything else, also anything wrong, goes the
ordinary way, to the Python function. So it explains nothing, and needs no memory but the stack and the result.

What it reads: objects by `engine/layout.py`, and the words of `engine/words.py`, `process` for those of the process and
`words` for those of the function.
"""

from __future__ import annotations

from typing import Any

from numba.core import types

from . import layout
from . import words as w
from .compiler import INTEGERS, implement, integers_at, to_llvm
from .function import WAY_IN
from .kernel import HEADER, PER_OPERAND, RESULT
from .memory import address_of, as_int, at, call, float_at, stack

COUNT = (1 << 63) - 1  # the rest of `flags` is an offer of the caller's that is not needed
READABLE = layout.C_CONTIGUOUS | layout.ALIGNED
WRITEABLE = READABLE | layout.WRITEABLE
BLOCK = HEADER + PER_OPERAND * w.MOST_OPERANDS
ON_STACK, MOST_WORK = 2**13, 2**17  # entries of work memory; with more, the ordinary way lets other threads run
WORK_OF_KERNEL = 1  # the word of a kernel's cell behind its address


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
    """Look at the parameters that are not arrays. Returns the word of the kernel's cell, or -1."""
    kernel = w.FIRST_KERNEL
    if words[w.SECOND_IF] >= 0 and packed[words[w.SECOND_IF]] != 0:
        kernel = w.SECOND_KERNEL
    block[0], block[1], block[2], block[3], block[5] = address_of(packed), 0, 1, 1, process[w.NO_OPTIONS]
    for k in range(1, words[w.PARAMETERS]):
        row = w.TABLES + w.PER_PARAMETER * k
        kind, value = words[row + 1], values[k]
        if value == process[w.NONE] and (kind == w.OPTIONAL or kind == w.OUT):
            values[k] = 0
        elif value == 0:
            if kind == w.INPUT or kind == w.NAME:
                return -1
        elif kind == w.LOSSES:
            if value == process[w.TRUE]:
                block[5] = process[w.LOSSES_OPTION]
            elif value != process[w.FALSE]:
                return -1
        elif kind == w.CHOICE:
            if value == words[row + 3]:
                kernel = w.SECOND_KERNEL
            elif value != words[row + 2]:
                return -1
        elif kind == w.NAME:
            if at(value)[layout.TYPE] != process[w.STR]:
                return -1
            found = call(process[w.DICT_ITEM], (owner[words[w.NAMED]], value))
            if found == 0:
                return -1
            block[5] = at(found)[layout.DATA]
            values[k] = block[5] + 8
    return kernel


def size_of(packed: Any, code: int) -> int:
    """A size as the tables tell it."""
    return packed[code] if code >= 0 else -code


def data_of(process: Any, packed: Any, words: Any, row: int, array: int, flags: int) -> int:
    """The address of an array's data if it has the type and the shape of an operand, else 0."""
    x = at(array)
    if x[layout.TYPE] != process[w.NDARRAY] or x[layout.DTYPE] != process[w.FLOAT64]:
        return 0
    if x[layout.FLAGS] & flags != flags:
        return 0
    dimensions = words[row + 2]
    if x[layout.NDIM] & layout.INT != dimensions:
        return 0
    shape = at(x[layout.DIMENSIONS])
    for d in range(dimensions):
        if shape[d] != size_of(packed, words[row + 3 + d]):
            return 0
    return x[layout.DATA]


def entries_of(packed: Any, words: Any, row: int) -> int:
    """How many entries an operand has."""
    count = 1
    for d in range(words[row + 2]):
        count *= size_of(packed, words[row + 3 + d])
    return count


def take_inputs(process: Any, words: Any, packed: Any, values: Any, block: Any, checked: bool) -> bool:
    """Fill the block with the inputs, if all of them can be taken."""
    table = w.TABLES + w.PER_PARAMETER * words[w.PARAMETERS]
    for k in range(words[w.OPERANDS] - 1):
        row, place = table + w.PER_OPERAND * k, HEADER + PER_OPERAND * k
        source = words[row]
        address, count = 0, 0
        if source == w.FIELD:
            address = packed[words[row + 3]]
        elif source != w.NOTHING and values[source] != 0:
            if words[w.TABLES + w.PER_PARAMETER * source + 1] == w.NAME:
                address = values[source]
            else:
                count = entries_of(packed, words, row)
                address = data_of(process, packed, words, row, values[source], READABLE)
                if address == 0 or count == 0:
                    return False
        block[place], block[place + 1], block[place + 2], block[place + 3] = address, 0, 0, 8
        block[place + 4], block[place + 5] = count, words[row + 1] if checked else 0
    return True


def overlaps(words: Any, block: Any, address: int, count: int) -> bool:
    """Whether the result would be written over an input."""
    for k in range(words[w.OPERANDS] - 1):
        place = HEADER + PER_OPERAND * k
        if block[place] < address + 8 * count and address < block[place] + 8 * block[place + 4]:
            return True
    return False


def is_checked(process: Any, value: Any) -> bool:
    """Whether inputs are to be checked, as Python's context says; `value` is room for an object."""
    if process[w.EVER_UNCHECKED] == 0:
        return True
    value[0] = 0
    call(process[w.CONTEXT_GET], (process[w.CHECKING], 0, address_of(value)))
    call(process[w.DECREF], (value[0],))
    return value[0] == process[w.TRUE]


def place_result(process: Any, words: Any, packed: Any, values: Any, block: Any, check: int) -> int:
    """Fill the block with the result's place and return the object: the caller's, a new array, or 1 for a number.

    0 if the caller's array cannot be taken. The number is written where `values[0]` was.
    """
    last = words[w.OPERANDS] - 1
    row = w.TABLES + w.PER_PARAMETER * words[w.PARAMETERS] + w.PER_OPERAND * last
    place = HEADER + PER_OPERAND * last
    count, dimensions = entries_of(packed, words, row), words[row + 2]
    if count == 0:
        return 0
    block[place + 1], block[place + 2], block[place + 3], block[place + 4], block[place + 5] = 0, 0, 8, count, check
    if words[w.SCALAR] != 0:
        block[place] = address_of(values)
        return 1
    given = given_result(words, values)
    if given != 0:
        block[place] = data_of(process, packed, words, row, given, WRITEABLE)
        if block[place] == 0 or overlaps(words, block, block[place], count):
            return 0
        call(process[w.INCREF], (given,))
        return given
    shape = stack(3)
    for d in range(dimensions):
        shape[d] = size_of(packed, words[row + 3 + d])
    dtype, none = process[w.FLOAT64], as_int(0)
    call(process[w.INCREF], (dtype,))  # the new array takes over a reference
    made = call(process[w.NEW_ARRAY], (process[w.NDARRAY], dtype, as_int(dimensions), address_of(shape), 0, 0, none, 0))
    if made == 0:
        call(process[w.CLEAR_ERROR], (0,))  # no memory: the ordinary way says so
        return 0
    block[place] = at(made)[layout.DATA]
    return made


def given_result(words: Any, values: Any) -> int:
    """The array that the caller wants the result in, or 0."""
    for k in range(1, words[w.PARAMETERS]):
        if words[w.TABLES + w.PER_PARAMETER * k + 1] == w.OUT:
            return values[k]
    return 0


def run(kernel: int, block: Any, work: Any) -> int:
    """Run a kernel with some work memory; returns its status."""
    block[4] = address_of(work)
    return call(kernel, (address_of(block),))


def attempt(process: Any, words: Any, arguments: Any, count: int, names: int) -> int:
    """The result as a new reference, or 0 if the call must go the ordinary way."""
    values, block = stack(w.MOST_PARAMETERS), stack(BLOCK)
    if not collect(process, words, arguments, count, names, values):
        return 0
    owner = at(values[0])
    if owner[layout.TYPE] != words[w.OWNER] or owner[words[w.PACKED]] == 0 or owner[words[w.NAMED]] == 0:
        return 0
    packed = integers_at(at(owner[words[w.PACKED]]), layout.DATA)
    chosen = choose(process, words, owner, packed, values, block)
    checked = is_checked(process, stack(1))
    if chosen < 0 or not take_inputs(process, words, packed, values, block, checked):
        return 0
    cell = integers_at(words, chosen)
    if cell[0] == 0:  # not loaded
        return 0
    entries = call(cell[WORK_OF_KERNEL], (address_of(packed),))
    if entries > MOST_WORK:
        return 0
    result = place_result(process, words, packed, values, block, RESULT if checked else 0)
    if result == 0:
        return 0
    if entries <= ON_STACK:
        status = run(cell[0], block, stack(entries))
    else:
        memory = call(process[w.ALLOCATE], (8 * entries,))
        status = run(cell[0], block, at(memory)) if memory != 0 else 1
        call(process[w.RELEASE], (memory,))
    if words[w.SCALAR] != 0:
        return call(process[w.NEW_FLOAT], (float_at(values),)) if status == 0 else 0
    if status != 0:
        call(process[w.DECREF], (result,))
        return 0
    return result


def gate(function: Any, arguments: Any, flags: int, names: int) -> int:
    """Call a public function: `arguments` are `flags & COUNT` by position, then those that the tuple `names` names."""
    words = integers_at(function, WAY_IN + 1)
    process = integers_at(words, w.PROCESS)
    result = attempt(process, words, arguments, flags & COUNT, names)
    if result != 0:
        return result
    return call(process[w.VECTORCALL], (words[w.ORDINARY], address_of(arguments), flags, names))


def compile_gate(symbol: str) -> Any:
    """The gate as an LLVM module."""
    implement(gate, __name__.partition(".")[0])
    return to_llvm({symbol: gate}, (INTEGERS, INTEGERS, types.int64, types.int64))
