"""A fork while another thread compiles: the child loads what is cached, and does not wait for a thread it has not."""

from __future__ import annotations

from .processes import run_python

CODE = """
import json, os, sys, threading, time, warnings
import featherstone as fs
from featherstone.engine import loader
warnings.simplefilter("ignore", DeprecationWarning)  # of forks with threads
arm = fs.models.load("planar_2r")
expected = fs.potential_energy(arm, [0.6, -0.9])
held, done = threading.Event(), threading.Event()
def compiling():
    with loader._lock:
        held.set()
        done.wait(60)
thread = threading.Thread(target=compiling)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    loader._addresses.clear()
    os._exit(0 if fs.potential_energy(arm, [0.6, -0.9]) == expected else 1)
status = None
for _ in range(300):
    pid, status = os.waitpid(child, os.WNOHANG)
    if pid:
        break
    time.sleep(0.1)
else:
    os.kill(child, 9)
    status = None
done.set()
thread.join()
print(json.dumps(status))
"""


def test_a_child_does_not_wait_for_a_thread_that_it_has_not():
    assert run_python(CODE) == 0
