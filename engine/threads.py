"""How many threads a batch runs on, and the pool that they come from."""

from __future__ import annotations

import operator
import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_lock = threading.Lock()
_chosen: int | None = None
_pool: ThreadPoolExecutor | None = None
_size = 0


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def set_num_threads(count: int | None) -> None:
    """Choose how many threads large batches run on.

    Parameters
    ----------
    count : at least 1; None for as many as there are processors, the default.

    Raises
    ------
    TypeError, ValueError
        Not an integer, or less than 1.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.set_num_threads(1)
    >>> fs.get_num_threads()
    1
    >>> fs.set_num_threads(None)
    """
    global _chosen
    if count is not None:
        if isinstance(count, bool) or not hasattr(count, "__index__"):
            raise TypeError(f"count: expected an integer or None, got {count!r}")
        count = operator.index(count)
        if count < 1:
            raise ValueError(f"count: expected at least 1, got {count}")
    _chosen = count


def get_num_threads() -> int:
    """How many threads large batches run on."""
    return _chosen or cores()


def pool(size: int) -> ThreadPoolExecutor:
    """A pool of at least `size` threads, made at the first use and anew in a forked process."""
    global _pool, _size
    from concurrent.futures import ThreadPoolExecutor

    with _lock:
        if _pool is None or _size < size:
            _pool, _size = ThreadPoolExecutor(size, thread_name_prefix="featherstone"), size
        return _pool


def _forget() -> None:
    """After a fork the threads are gone, and the lock may have been held."""
    global _pool, _lock
    _pool, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
