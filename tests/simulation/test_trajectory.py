"""Trajectories: kept, read again, written as a table, drawn."""

from __future__ import annotations

import csv
import dataclasses
import pickle
import sys

import numpy as np
import pytest

import featherstone as fs
from featherstone.simulation.trajectory import KEPT

from ..random_trees import ALL, random_tree
from .robots import floating_tree, start


@pytest.fixture(scope="module")
def run():
    tree = floating_tree(losses=True)
    return fs.simulate(tree, *start(tree), tau=np.ones(tree.nv), duration=0.02, dt=1e-3)


@pytest.fixture(scope="module")
def batch():
    arm = fs.models.load("planar_2r")
    return fs.simulate(arm, np.zeros((2, 3, 2)), [0, 0], duration=0.02, dt=1e-3)


def equal(a: fs.Trajectory, b: fs.Trajectory) -> None:
    for name in KEPT:
        x, y = getattr(a, name), getattr(b, name)
        assert type(x) is type(y)
        np.testing.assert_array_equal(x, y, err_msg=name)


def test_shapes_and_names(run):
    tree = floating_tree()
    assert run.t.shape == (21,)
    assert run.q.shape == (21, tree.nq)
    assert run.qd.shape == run.qdd.shape == run.tau.shape == (21, tree.nv)
    assert run.energy.shape == run.work.shape == run.lost.shape == (21,)
    assert len(run.coordinate_names) == tree.nq
    assert len(run.velocity_names) == tree.nv
    assert run.coordinate_names[:7] == tuple(f"root_joint.{x}" for x in ("x", "y", "z", "qx", "qy", "qz", "qw"))
    assert run.velocity_names[:6] == tuple(f"root_joint.{x}" for x in ("wx", "wy", "wz", "vx", "vy", "vz"))
    np.testing.assert_array_equal(run.t, np.arange(21) * 1e-3)


def test_names_follow_the_indices_of_the_model():
    tree = floating_tree(mimic=True)
    run = fs.simulate(tree, *start(tree), duration=0, dt=1)
    for joint, leader in zip(tree.joint_names, tree.leaders):
        if leader is None:
            assert np.atleast_1d(np.array(run.coordinate_names)[tree.q_index(joint)])[0].split(".")[0] == joint
            assert np.atleast_1d(np.array(run.velocity_names)[tree.qd_index(joint)])[0].split(".")[0] == joint
        else:
            assert not any(joint == name.split(".")[0] for name in run.coordinate_names)


@pytest.mark.parametrize("kind", ALL)
def test_each_coordinate_and_velocity_has_a_name(kind):
    model = random_tree(0, 1, (kind,))
    run = fs.simulate(model, model.neutral(), np.zeros(model.nv), duration=0, dt=1)
    for names, count in ((run.coordinate_names, model.nq), (run.velocity_names, model.nv)):
        assert len(set(names)) == len(names) == count


def test_repr(run, batch):
    assert repr(run) == "<Trajectory of 'random tree': 21 times, 0.02 s>"
    assert repr(batch) == "<Trajectory of 'planar_2r': 21 times, 0.02 s, batch (2, 3)>"


@pytest.mark.parametrize("which", ["run", "batch"])
def test_npz_keeps_everything(which, request, tmp_path):
    trajectory = request.getfixturevalue(which)
    path = tmp_path / "run.npz"
    trajectory.save(path)
    equal(fs.Trajectory.load(path), trajectory)
    trajectory.save(str(path))
    equal(fs.Trajectory.load(str(path)), trajectory)
    equal(pickle.loads(pickle.dumps(trajectory)), trajectory)


def test_csv_has_a_row_a_time_that_reads_back_exactly(run, tmp_path):
    run.save(tmp_path / "run.csv")
    with (tmp_path / "run.csv").open(newline="", encoding="utf-8") as file:
        heads, *rows = csv.reader(file)
    assert len(rows) == 21
    table = dict(zip(heads, np.array(rows, float).T))
    assert len(table) == len(heads)
    np.testing.assert_array_equal(table["t"], run.t)
    for k, name in enumerate(run.coordinate_names):
        np.testing.assert_array_equal(table[f"q:{name}"], run.q[:, k])
    for kind in ("qd", "qdd", "tau"):
        for k, name in enumerate(run.velocity_names):
            np.testing.assert_array_equal(table[f"{kind}:{name}"], getattr(run, kind)[:, k])
    for kind in ("energy", "work", "lost"):
        np.testing.assert_array_equal(table[kind], getattr(run, kind))


def test_what_cannot_be_saved(run, batch, tmp_path):
    with pytest.raises(ValueError, match=r"path: expected a name that ends in \.npz or \.csv, got .*run\.txt"):
        run.save(tmp_path / "run.txt")
    with pytest.raises(ValueError, match=r"a batch \(2, 3\) does not fit into \.csv"):
        batch.save(tmp_path / "run.csv")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError, match="No such file"):
        run.save(tmp_path / "missing" / "run.npz")


@pytest.mark.parametrize("content", [b"", b"junk", b"PK\x03\x04 broken", b"t,q\n0,1\n"])
def test_what_is_no_trajectory(content, tmp_path):
    path = tmp_path / "run.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"run\.npz: expected a trajectory written by save"):
        fs.Trajectory.load(path)


def test_other_arrays_are_no_trajectory(tmp_path):
    np.savez(tmp_path / "other.npz", t=[0.0])
    np.save(tmp_path / "array.npy", np.zeros(3))
    np.savez(tmp_path / "pickled.npz", t=np.array([{}], dtype=object))
    for name in ("other.npz", "array.npy", "pickled.npz"):
        with pytest.raises(ValueError, match="expected a trajectory written by save"):
            fs.Trajectory.load(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        fs.Trajectory.load(tmp_path / "missing.npz")


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_plot_writes_a_picture(run, ending, tmp_path):
    path = tmp_path / f"run.{ending}"
    figure = run.plot(path)
    start = {"png": b"\x89PNG\r\n", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert path.read_bytes().startswith(start)
    assert len(figure.axes) == 3
    positions, velocities, energy = figure.axes
    assert len(positions.lines) == run.q.shape[1]
    assert len(velocities.lines) == run.qd.shape[1]
    assert [line.get_label() for line in energy.lines] == ["energy", "start + work - losses"]


def test_plot_without_a_path_and_of_a_single_time():
    arm = fs.models.load("planar_2r")
    figure = fs.simulate(arm, [0, 0], [0, 0], duration=0, dt=1).plot()
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["shoulder", "elbow"]


def test_a_batch_is_not_drawn(batch):
    with pytest.raises(ValueError, match=r"trajectory: expected a single one to draw, got a batch \(2, 3\)"):
        batch.plot()


def test_plot_without_matplotlib_says_how_to_get_it(run, monkeypatch):
    for name in [x for x in sys.modules if x.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"drawing needs Matplotlib: pip install 'featherstone\[plot\]'"):
        run.plot()


def test_immutable(run):
    with pytest.raises(dataclasses.FrozenInstanceError):
        run.q = None
