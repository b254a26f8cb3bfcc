"""The fast way into a kernel from Python, for one state and for small batches. Imported only to compile.

`gate` is what CPython calls for a public function (PEP 590, vectorcall). It looks at the arguments as they lie in
memory (`engine/gate_arguments.py`). If they are what a kernel can take as it is, it runs the kernel; anything else,
also anything wrong, goes the ordinary way, to the Python function. So it explains nothing, and has no state.

What it reads: objects by `engine/layout.py`, and the words of `engine/words.py`, `process` for those of the process and
`words` for those of the function.
"""

from __future__ import annotations

from typing import Any

from numba.core import types

from . import layout
from . import words as w
from .compiler import INTEGERS, implement, integers_at, to_llvm
from .gate_arguments import OPTIONS, READABLE, batch_of, choose, collect, entries_of, is_checked, size_of, take_inputs
from .kernel import HEADER, PER_OPERAND, RESULT
from .memory import address_of, as_int, at, call, float_at, stack

COUNT = (1 << 63) - 1  # the rest of `flags` is an offer of the caller's that is not needed
WRITEABLE = READABLE | layout.WRITEABLE
BLOCK = OPTIONS + w.MOST_OPTIONS
WORK_OF_KERNEL = 1  # the word of a kernel's cell behind its address
ON_STACK = 2**11  # entries of work memory that are not asked from the heap; a thread's stack may be small
MOST_WORK = 2**17  # entries of work memory; with more, or
MOST_TOGETHER = 2**19  # with more over all states, the ordinary way is taken: it lets other threads run meanwhile
CACHE_LINE = 64


def inputs_of(words: Any) -> int:
    """How many operands are inputs; the results come behind them."""
    return words[w.OPERANDS] - words[w.RESULTS]


def overlaps(block: Any, operand: int) -> bool:
    """Whether this result would be written over an input, or over a result before it."""
    together = block[2] if block[2] > 0 else 1
    here = HEADER + PER_OPERAND * operand
    start, end = block[here], block[here] + 8 * block[here + 4] * together
    for k in range(operand):
        place = HEADER + PER_OPERAND * k
        states = together if block[place + 2] > 0 else 1
        if block[place] < end and start < block[place] + 8 * block[place + 4] * states:
            return True
    return False


def place_results(process: Any, words: Any, packed: Any, values: Any, block: Any, check: int, results: Any) -> bool:
    """Fill the block with the places of all results, and `results` with their objects, if all can be had."""
    for k in range(words[w.RESULTS]):
        results[k] = place_result(process, words, packed, values, block, check, inputs_of(words) + k)
        if results[k] == 0:
            give_back(process, results, k)
            return False
    return True


def give_back(process: Any, results: Any, count: int) -> None:
    """Let go of some results; 1 stands for a number, which is no object yet."""
    for k in range(count):
        if results[k] != 1:
            call(process[w.DECREF], (results[k],))


def place_result(process: Any, words: Any, packed: Any, values: Any, block: Any, check: int, operand: int) -> int:
    """Fill the block with a result's place and return the object: the caller's, a new array, or 1 for a number.

    0 if the caller's array cannot be taken. The number is written where `values[0]` was.
    """
    row = w.TABLES + w.PER_PARAMETER * words[w.PARAMETERS] + w.PER_OPERAND * operand
    place = HEADER + PER_OPERAND * operand
    count, batch = entries_of(packed, words, row), block[2]
    if count == 0:
        return 0
    block[place + 1], block[place + 2], block[place + 3] = 0, 8 * count if batch > 0 else 0, 8
    block[place + 4], block[place + 5] = count, check
    if words[w.SCALAR] != 0 and batch == 0:
        block[place] = address_of(values)
        return 1
    given = given_result(process, words, values, operand - inputs_of(words))
    if given < 0:
        return 0
    if given != 0:
        block[place] = at(given)[layout.DATA]
        if batch_of(process, packed, words, row, given, WRITEABLE) != batch or overlaps(block, operand):
            return 0
        call(process[w.INCREF], (given,))
        return given
    made = new_array(process, packed, words, row, batch)
    if made == 0:
        call(process[w.CLEAR_ERROR], ())  # no memory: the ordinary way says so
        return 0
    block[place] = at(made)[layout.DATA]
    return made


def given_result(process: Any, words: Any, values: Any, result: int) -> int:
    """The object that the caller wants a result in, 0 if none was given, -1 if there is no tuple of as many."""
    given = 0
    for k in range(1, words[w.PARAMETERS]):
        if words[w.TABLES + w.PER_PARAMETER * k + 1] == w.OUT:
            given = values[k]
    if given == 0 or words[w.RESULTS] == 1:
        return given
    size = call(process[w.TUPLE_SIZE], (given,))
    if size < 0:
        call(process[w.CLEAR_ERROR], ())
    return call(process[w.TUPLE_ITEM], (given, result)) if size == words[w.RESULTS] else -1


def new_array(process: Any, packed: Any, words: Any, row: int, batch: int) -> int:
    """A new array for an operand; 0 with an error set if there is no memory."""
    shape = stack(4)
    dimensions = words[row + 2]
    more = 1 if batch > 0 else 0
    shape[0] = batch
    for d in range(dimensions):
        shape[d + more] = size_of(packed, words[row + 3 + d])
    dtype, none = process[w.FLOAT64], as_int(0)
    call(process[w.INCREF], (dtype,))  # the array takes over a reference
    return call(
        process[w.NEW_ARRAY],
        (process[w.NDARRAY], dtype, as_int(dimensions + more), address_of(shape), 0, 0, none, 0),
    )


def entries_of_state(words: Any, packed: Any, block: Any, cell: Any) -> int:
    """Entries of work memory for one state, alone or in a lane, where its operands are kept too."""
    entries = call(cell[WORK_OF_KERNEL], (address_of(packed),))
    if block[2] > 0:
        inputs = inputs_of(words)
        for k in range(inputs):
            entries += block[HEADER + PER_OPERAND * k + 4]
        for k in range(inputs, words[w.OPERANDS]):
            row = w.TABLES + w.PER_PARAMETER * words[w.PARAMETERS] + w.PER_OPERAND * k
            entries += entries_of(packed, words, row)
    return entries


def run(kernel: int, packed: Any, block: Any, work: Any) -> int:
    """Run a kernel with some work memory; returns its status."""
    states = block[2] if block[2] > 0 else 1
    start = (address_of(work) + CACHE_LINE - 1) & -CACHE_LINE if block[2] > 0 else address_of(work)
    block[0], block[1], block[2], block[3], block[4] = address_of(packed), 0, states, states, start
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
    second = choose(process, words, owner, packed, values, block)
    checked = is_checked(process, stack(1))
    if second < 0 or not take_inputs(process, words, packed, values, block, checked):
        return 0
    cell = integers_at(words, (w.KERNELS if block[2] == 0 else w.BATCH_KERNELS) + second)
    if cell[0] == 0:  # not loaded
        return 0
    alone, entries = block[2] == 0, entries_of_state(words, packed, block, cell)
    if entries > MOST_WORK or entries * block[2] > MOST_TOGETHER:
        return 0
    if not alone:
        entries = entries * process[w.LANES] + CACHE_LINE // 8
    results = stack(w.MOST_RESULTS)
    if not place_results(process, words, packed, values, block, RESULT if checked else 0, results):
        return 0
    status = 1
    if entries <= ON_STACK:
        status = run(cell[0], packed, block, stack(entries))
    else:
        memory = call(process[w.ALLOCATE], (8 * entries,))
        if memory != 0:
            status = run(cell[0], packed, block, at(memory))
            call(process[w.RELEASE], (memory,))
    if words[w.SCALAR] != 0 and alone:
        if status != 0:
            return 0
        number = call(process[w.NEW_FLOAT], (float_at(values),))
        if number == 0:
            call(process[w.CLEAR_ERROR], ())
        return number
    if status != 0:
        give_back(process, results, words[w.RESULTS])
        return 0
    return results[0] if words[w.RESULTS] == 1 else in_tuple(process, results, words[w.RESULTS])


def in_tuple(process: Any, results: Any, count: int) -> int:
    """A new tuple that takes over the results; 0 if there is no memory."""
    made = call(process[w.NEW_TUPLE], (count,))
    if made == 0:
        call(process[w.CLEAR_ERROR], ())
        give_back(process, results, count)
        return 0
    for k in range(count):
        call(process[w.SET_ITEM], (made, k, results[k]))
    return made


def gate(function: Any, arguments: Any, flags: int, names: int) -> int:
    """Call a public function: `arguments` are `flags & COUNT` by position, then those that the tuple `names` names."""
    way_in = at(function[layout.TYPE])[layout.VECTORCALL_OFFSET]
    words = at(at(address_of(function) + way_in)[1])  # behind the word that led here
    process = integers_at(words, w.PROCESS)
    result = attempt(process, words, arguments, flags & COUNT, names)
    if result != 0:
        return result
    return call(process[w.VECTORCALL], (words[w.ORDINARY], address_of(arguments), flags, names))


def compile_gate(symbol: str) -> Any:
    """The gate as an LLVM module."""
    implement(gate, __name__.partition(".")[0])
    return to_llvm({symbol: gate}, (INTEGERS, INTEGERS, types.int64, types.int64))
