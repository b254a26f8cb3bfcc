"""Robots for the benchmarks: large trees, real robots, and the same tree in Pinocchio and in MuJoCo.

Both are built from our tree's own numbers, body by body, so that all three number joints alike. Only joints of one
degree of freedom, and a floating base.
"""

from __future__ import annotations

import warnings

import mujoco
import numpy as np
import pinocchio as pin
from harness import MODELS, ROBOTS

import featherstone as fs


def real(name: str, floating_base: bool = False) -> fs.Model:
    """A robot of example-robot-data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fs.load_urdf(ROBOTS / MODELS[name], mimic=False, floating_base=floating_base)


def random_robot(parents: list[int], seed: int = 0) -> fs.Model:
    """Boxes of a few cm on revolute joints about random axes; body k hangs on body parents[k], -1 is the base."""
    rng = np.random.default_rng(seed)
    builder = fs.ModelBuilder(f"{len(parents)} bodies")
    builder.add_link("base")
    for k, parent in enumerate(parents):
        mass, sides = rng.uniform(0.5, 2.0), rng.uniform(0.03, 0.1, 3) ** 2
        builder.add_link(f"link{k}", mass, rng.uniform(-0.05, 0.05, 3), np.diag(mass / 12 * (sides.sum() - sides)))
        R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        builder.add_joint(
            f"joint{k}",
            "revolute",
            "base" if parent < 0 else f"link{parent}",
            f"link{k}",
            rotation=R * np.linalg.det(R),
            position=rng.uniform(-0.1, 0.1, 3),
            axis=rng.normal(size=3),
        )
    return builder.build()


def chain(n: int) -> fs.Model:
    """Each body on the one before."""
    return random_robot(list(range(-1, n - 1)))


def binary_tree(n: int) -> fs.Model:
    """Two bodies on each."""
    return random_robot([(k + 1) // 2 - 1 for k in range(n)])


def bodies(model: fs.Model):
    """Parent, joint type, pose in the parent, mass, centre of mass and inertia about it, in canonical frames."""
    tree = model.tree
    for i in range(1, tree.nb + 1):
        R, p = tree.placement[12 * i : 12 * i + 9].reshape(3, 3), tree.placement[12 * i + 9 : 12 * i + 12]
        m, *h = tree.inertia[10 * i : 10 * i + 4]
        xx, xy, yy, xz, yz, zz = tree.inertia[10 * i + 4 : 10 * i + 10]
        c = np.array(h) / m if m else np.zeros(3)
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * (c @ c * np.eye(3) - np.outer(c, c))
        yield int(tree.parent[i]), kind(tree.joint_type[i]), R, p, m, c, I


def kind(code: int) -> str:
    """The joint types that are wanted here."""
    return {1: "revolute", 2: "prismatic", 5: "floating"}[int(code)]


def in_pinocchio(model: fs.Model) -> pin.Model:
    """The same tree of revolute and prismatic joints in Pinocchio."""
    joints = {"revolute": pin.JointModelRZ, "prismatic": pin.JointModelPZ}
    theirs = pin.Model()
    for k, (parent, joint, R, p, m, c, I) in enumerate(bodies(model)):
        i = theirs.addJoint(parent, joints[joint](), pin.SE3(R, p), f"joint{k}")
        theirs.appendBodyToJoint(i, pin.Inertia(m, c, I), pin.SE3.Identity())
    return theirs


def in_mujoco(model: fs.Model, dt: float = 0.001) -> mujoco.MjModel:
    """The same tree in MuJoCo: no geometry, so no contacts; no limits, no damping; semi-implicit Euler."""
    joints = {
        "revolute": mujoco.mjtJoint.mjJNT_HINGE,
        "prismatic": mujoco.mjtJoint.mjJNT_SLIDE,
        "floating": mujoco.mjtJoint.mjJNT_FREE,
    }
    spec = mujoco.MjSpec()
    spec.option.timestep = dt
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.option.gravity = model.tree.gravity
    for flag in ("CONSTRAINT", "CONTACT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "ACTUATION", "SENSOR", "AUTORESET"):
        spec.option.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
    made = [spec.worldbody]
    for parent, joint, R, p, m, c, I in bodies(model):
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(R).ravel())
        body = made[parent].add_body(pos=p, quat=quaternion)
        body.explicitinertial, body.mass, body.ipos = True, m, c
        body.fullinertia = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
        body.add_joint(type=joints[joint], axis=[0, 0, 1])
        made.append(body)
    return spec.compile()
