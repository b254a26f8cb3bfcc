"""A million states and 10,000 rollouts on a Dask cluster, bit for bit what one process computes.

    python examples/cluster.py                                 # two worker processes on this machine
    python examples/cluster.py --address tcp://scheduler:8786  # a cluster that is there
    python examples/cluster.py --lose-a-worker                 # kill a worker midway: its parts are computed again

It needs `pip install "featherstone[dask]"`. docs/cluster.md explains why it is written like this.
"""

import argparse
import contextlib
import logging
import os
import pickle
import signal

import numpy as np
from distributed import Client, LocalCluster, WorkerPlugin, as_completed

import featherstone as fs

SEED = 7
DT, DURATION, HOLD = 0.001, 1.0, 0.1  # s; a rollout's torques are held for HOLD
TORQUE = np.array([40.0, 10.0])  # N m, of the planar arm


class OneThread(WorkerPlugin):
    """Every worker, also one that starts later, runs its batches on one thread: Dask has a worker for each core."""

    def setup(self, worker):
        """Called on each worker when it starts."""
        fs.set_num_threads(1)


def sizes(total, size):
    """`total` states in parts of `size` and a rest."""
    return [min(size, total - first) for first in range(0, total, size)]


def generator(job, part):
    """Random numbers that depend on the job and the part's number alone, not on who computes it or when."""
    return np.random.default_rng([SEED, job, part])


def largest_gravity_torque(part, count, model):
    """The largest gravity torque of each joint over `count` random configurations, (nv,)."""
    q = model.random_configuration(generator(0, part), count)
    return np.abs(fs.gravity_torque(model, q)).max(axis=0)


def highest_points(part, count, model):
    """How high the tip gets in each of `count` rollouts from hanging at rest under random torques, (count,) m."""
    rng = generator(1, part)
    torques = rng.uniform(-TORQUE, TORQUE, (count, round(DURATION / HOLD), model.nv))
    run = fs.simulate(
        model,
        np.broadcast_to([-np.pi / 2, 0.0], (count, model.nq)),
        model.zero_rate,
        tau=np.repeat(torques, round(HOLD / DT), axis=1),
        duration=DURATION,
        dt=DT,
        save_every=20,
    )
    return fs.frame_pose(model, run.q, "tip")[..., 1, 3].max(axis=-1)


def submit(client, function, model, counts):
    """A future for each part; the model, which all share, is pickled and sent once.

    As a task's result Dask has it again if all workers that hold it die; what `client.scatter` sends would be gone.
    """
    sent = client.submit(pickle.loads, pickle.dumps(model))
    return client.map(function, range(len(counts)), counts, model=sent, pure=False)


def lose_a_worker(client, futures):
    """Kill a worker process as soon as it has some results, which are lost with it; return its address.

    Only for a LocalCluster: its worker processes are of this machine and our own.
    """
    for future in as_completed(futures):
        holders = client.who_has([future])[future.key]
        if holders:
            break
    (pid,) = client.run(os.getpid, workers=[holders[0]]).values()
    os.kill(pid, signal.SIGKILL)
    return holders[0]


def compute(client, function, model, counts, lose=False):
    """The parts' results in their order, from the cluster, or in this process if there is none."""
    if client is None:
        return [function(part, count, model) for part, count in enumerate(counts)]
    futures = submit(client, function, model, counts)
    if lose:
        lose_a_worker(client, futures)
    return client.gather(futures)


def local_cluster():
    """Two worker processes, reached over loopback only, without a dashboard."""
    return LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        scheduler_kwargs={"dashboard": False},
        silence_logs=logging.CRITICAL,
    )


@contextlib.contextmanager
def connected(address=None):
    """A client of the cluster at an address, or of a new local one that ends with it."""
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(Client(address or stack.enter_context(local_cluster())))
        client.register_plugin(OneThread())
        yield client


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--address", help="of a scheduler, such as tcp://scheduler:8786; default: two local workers")
    parser.add_argument("--states", type=int, default=1_000_000)
    parser.add_argument("--rollouts", type=int, default=10_000)
    parser.add_argument("--parts", type=int, default=40, help="that each job is cut into")
    parser.add_argument("--lose-a-worker", action="store_true", help="kill a local worker process in each job")
    options = parser.parse_args()
    if options.address and options.lose_a_worker:
        parser.error("--lose-a-worker is for local workers, not for those at an address")

    arm, planar = fs.models.load("seven_axis"), fs.models.load("planar_2r")
    states, rollouts = (sizes(total, -(-total // options.parts)) for total in (options.states, options.rollouts))

    with connected(options.address) as client:
        torques = compute(client, largest_gravity_torque, arm, states, options.lose_a_worker)
        heights = compute(client, highest_points, planar, rollouts, options.lose_a_worker)

    print(f"{arm.name}: {options.states} random configurations in {len(states)} parts")
    for name, torque in zip(arm.joint_names, np.max(torques, axis=0)):
        print(f"  largest gravity torque of {name:<8} {torque:8.4f}")
    height = np.concatenate(heights)
    print(f"{planar.name}: {options.rollouts} rollouts of {DURATION:g} s in {len(rollouts)} parts")
    print(f"  the tip's highest point is at {height.mean():.4f} m on average, at {height.max():.4f} m at most")
    print(f"  it gets above the shoulder, at 0 m, in {(height > 0.0).mean():.2%} of them")

    alone = compute(None, largest_gravity_torque, arm, states), compute(None, highest_points, planar, rollouts)
    same = np.array_equal(torques, alone[0]) and np.array_equal(height, np.concatenate(alone[1]))
    print("the same bits as from one process:", same)


if __name__ == "__main__":
    main()
