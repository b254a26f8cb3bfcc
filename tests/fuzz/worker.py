"""What is done with one input, in a process of its own: whatever it does to that process, the program goes on."""

from __future__ import annotations

import multiprocessing
import resource
import time
import traceback
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np

import featherstone as fs

MEMORY = 4 * 2**30  # bytes of address space; what is compiled and MuJoCo's library take about one of them
READERS: dict[str, Callable[..., fs.Model]] = {"urdf": fs.load_urdf, "sdf": fs.load_sdf, "mjcf": fs.load_mjcf}


class Outcome(NamedTuple):
    """What became of an input, the CPU seconds, and what there is to say about it.

    The kind is "loads", "too large" (for torques), "refused", or an offence.
    """

    kind: str
    seconds: float = 0.0
    detail: str = ""

    @property
    def offends(self) -> bool:
        """Whether the promise is broken."""
        return self.kind not in ("loads", "too large", "refused")


def judge(format: str, data: bytes, options: dict[str, Any]) -> Outcome:
    """Load, and if that works compute the torques of a robot at rest."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", fs.ModelWarning)
        kind, detail = "loads", ""
        try:
            model = fs.Model.from_json(data) if format == "json" else READERS[format](data, **options)
            kind = _use(model)
        except (fs.ModelError, fs.ParseError) as error:
            right = fs.ModelError if format == "json" else fs.ParseError
            kind = "refused" if isinstance(error, right) else type(error).__name__
            detail = str(error)[:300]
        except BaseException as error:
            kind, detail = type(error).__name__, traceback.format_exc()[-1500:]
    return Outcome(kind, time.process_time() - start, detail)


def _use(model: fs.Model) -> str:
    """Compute the torques of a robot at rest, if its numbers are not too large for that."""
    rest = np.zeros(model.nv)
    try:
        torques = fs.rnea(model, model.neutral(), rest, rest)
    except OverflowError:
        return "too large"
    return "loads" if torques.shape == rest.shape and np.isfinite(torques).all() else "wrong torques"


class Worker:
    """A process that judges inputs; a new one takes its place when it dies or hangs."""

    def __init__(self, make: Callable[..., tuple[str, bytes, dict[str, Any]]], memory: int = MEMORY) -> None:
        self._make = make
        self._memory = memory
        self._process: multiprocessing.Process | None = None
        self._pipe: Connection | None = None
        self.peak = 0.0  # MB of memory that any of the processes has had

    def judge(self, *arguments: Any, limit: float) -> Outcome:
        """What becomes of the input `make(*arguments)`; a hang if no answer comes within so many seconds."""
        pipe = self._running()
        pipe.send(arguments)
        try:
            if pipe.poll(limit):
                outcome, peak = pipe.recv()
                self.peak = max(self.peak, peak)
                return outcome
        except (EOFError, ConnectionError):
            process = self._process
            self._end()
            return Outcome("crash", 0.0, f"exit code {process.exitcode if process else None}")
        self._end()
        return Outcome("hang", limit)

    def close(self) -> None:
        """End the process."""
        self._end()

    def _running(self) -> Connection:
        if self._pipe is None:
            context = multiprocessing.get_context("spawn")
            self._pipe, other = context.Pipe()
            process = context.Process(target=_serve, args=(other, self._make, self._memory), daemon=True)
            process.start()
            other.close()
            self._process = process  # type: ignore[assignment]  # a process of the context "spawn"
            self._pipe.recv()  # it is ready: what is imported and compiled counts for no input
        return self._pipe

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._pipe = None


def _serve(pipe: Connection, make: Callable[..., tuple[str, bytes, dict[str, Any]]], memory: int) -> None:
    pendulum = fs.models.load("pendulum")
    fs.rnea(pendulum, pendulum.neutral(), np.zeros(1), np.zeros(1))
    fs.load_mjcf("<mujoco/>")
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    pipe.send("ready")
    while True:
        outcome = judge(*make(*pipe.recv()))
        pipe.send((outcome, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000.0))
