"""What the words that the gate reads stand for. Those of the process are the same for all functions."""

from __future__ import annotations

# of the process: types and objects, functions of the C API and of NumPy, and what Python tells the gate
(
    NDARRAY,
    FLOAT64,
    STR,
    NONE,
    TRUE,
    FALSE,
    VECTORCALL,
    NEW_ARRAY,
    NEW_FLOAT,
    INCREF,
    DECREF,
    TUPLE_SIZE,
    TUPLE_ITEM,
    NEW_TUPLE,
    SET_ITEM,
    DICT_ITEM,
    ALLOCATE,
    RELEASE,
    CLEAR_ERROR,
    CONTEXT_GET,
    CHECKING,  # the context variable
    EVER_UNCHECKED,  # whether its value must be asked
    NO_OPTIONS,  # addresses of a kernel's options
    LOSSES_OPTION,
    LANES,  # how many states a kernel over lanes takes at a time
    PROCESS_WORDS,
) = range(26)

# of a function; behind them its table of parameters and its table of operands
(
    PROCESS,  # address of the above
    ORDINARY,  # the Python function
    OWNER,  # the type of the first argument
    PACKED,  # the word of the owner with its packed record
    NAMED,  # the word of the owner with its dictionary of names
    PARAMETERS,  # how many
    POSITIONAL,  # how many of them may be given by position
    OPERANDS,  # how many, the results among them
    RESULTS,  # how many
    SECOND_IF,  # the integer of the record that asks for the second kernel, or -1
    KERNELS,  # addresses of the two kernels' cells, for one state
    KERNELS_SECOND,
    BATCH_KERNELS,  # and over lanes
    BATCH_KERNELS_SECOND,
    SCALAR,  # whether the result of one state is a number
    OPTION,  # the kernel's option
    TABLES,
) = range(17)
PER_PARAMETER = 5  # name, kind, the values of a choice
PER_OPERAND = 6  # source, check, number of dimensions, three sizes: a record's integer, or minus a number
MOST_PARAMETERS, MOST_OPERANDS, MOST_RESULTS, MOST_OPTIONS, MOST_VALUES = 12, 9, 4, 4, 3

INPUT, OPTIONAL, OUT, LOSSES, CHOICE, NAME, OWNER_ITSELF, ABSENT, WORD = range(9)  # kinds of parameters
NOTHING, OUTPUT, FIELD = -1, -2, -10  # sources of operands that are not parameters; FIELD - k is field k of the record
