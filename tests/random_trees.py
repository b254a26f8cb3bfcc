"""Random robots and states for tests of laws: every joint type, every shape of tree, every kind of link."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import featherstone as fs

ONE_DEGREE = ("revolute", "continuous", "prismatic", "helical")
ALL = (*ONE_DEGREE, "universal", "cylindrical", "composite", "planar", "spherical", "floating")
SHAPES = ("random", "chain", "star", "binary")
SPECIAL_ANGLES = (0.0, math.pi, -math.pi, 1e-7, -1e-7, math.pi - 1e-7, 1e-7 - math.pi, math.pi / 2)


@dataclass(frozen=True)
class Parts:
    """Links (the root first) and joints of a robot, before it is built."""

    links: tuple[fs.Link, ...]
    joints: tuple[fs.Joint, ...]

    def build(self, *, order: Any = None, gravity: Any = (0.0, 0.0, -9.81), **options: Any) -> fs.Model:
        """Build with the joints added in the given order; options as in `ModelBuilder.build`."""
        builder = fs.ModelBuilder("random tree")
        for link in self.links:
            builder.add_link(link.name, link.mass, link.com, link.inertia)
        for k in range(len(self.joints)) if order is None else order:
            fields = dict(vars(self.joints[k]))
            builder.add_joint(**fields)
        return builder.build(gravity=gravity, **options)


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """A rotation, uniform over all; one time in five a signed permutation of the axes, where entries are exact."""
    if rng.random() < 0.2:
        R = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)[:, None]
    else:
        R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return R * np.linalg.det(R)


def random_axis(rng: np.random.Generator) -> np.ndarray:
    """A direction of any length; one time in three along a coordinate axis, down as well as up."""
    if rng.random() < 1 / 3:
        return np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
    return rng.normal(size=3) * rng.uniform(0.5, 2.0)


def random_screws(rng: np.random.Generator) -> tuple[tuple[float, ...], ...]:
    """One to three screws: turns about lines off the origin, slides, and both at once; no two along one line."""
    screws = []
    for axis in np.linalg.qr(rng.normal(size=(3, 3)))[0][: rng.integers(1, 4)]:
        kind, moment = rng.integers(3), np.cross(rng.uniform(-0.3, 0.3, 3), axis)
        pitched = moment + rng.uniform(0.05, 0.4) * axis
        screws.append((*axis, *moment) if kind == 0 else (*axis, *pitched) if kind == 1 else (0.0, 0.0, 0.0, *axis))
    return tuple(tuple(float(x) for x in screw) for screw in screws)


def random_link(name: str, rng: np.random.Generator) -> fs.Link:
    """A link whose inertia is that of a solid box, turned and moved: it satisfies the triangle rule."""
    mass, sides, R = rng.uniform(0.3, 4.0), rng.uniform(0.1, 0.7, 3) ** 2, random_rotation(rng)
    moments = mass / 12 * (sides.sum() - sides)
    inertia = R @ np.diag(moments) @ R.T
    inertia = (inertia + inertia.T) / 2
    return fs.Link(name, mass, tuple(rng.uniform(-0.3, 0.3, 3).tolist()), tuple(map(tuple, inertia.tolist())))


def random_parts(
    seed: Any,
    n: int,
    joints: tuple[str, ...] = ALL,
    shape: str = "random",
    *,
    mimic: bool = False,
    fixed: bool = False,
    massless: bool = True,
    losses: bool = True,
    armature: bool = True,
    rotors: bool | None = None,
) -> Parts:
    """Links and joints of a robot with n moving bodies; each joint type occurs before one is used again.

    `shape`: "chain", "star" (all bodies on the base), "binary" or "random" (any parent). `mimic` makes some joints of
    one degree follow others, also followers and joints on other branches; where it is on, or `rotors` is, some joints
    have a rotor that spins. `fixed` adds links behind fixed joints, in between too. `massless` leaves some inner links
    without mass, where the mass matrix stays positive definite.
    """
    rng = np.random.default_rng(seed)
    types = [joints[k % len(joints)] for k in range(n)]
    rng.shuffle(types)
    if mimic:
        types[:2] = [t if t in ONE_DEGREE else "revolute" for t in types[:2]]
    links = [random_link("base", rng)]
    made: list[fs.Joint] = []
    for k in range(n):
        carrier = {
            "chain": k,
            "star": 0,
            "binary": (k + 1) // 2,
            "random": int(rng.integers(k + 1)),
        }[shape]
        parent = f"link{carrier}" if carrier else "base"
        if fixed and (k % 3 == 0 or rng.random() < 0.3):
            # a bracket on the parent; the next joint starts from it or from the parent itself
            bracket = random_link(f"bracket{k}", rng)
            links.append(bracket)
            made.append(_joint(f"bolt{k}", "fixed", parent, bracket.name, rng))
            parent = bracket.name if rng.random() < 0.6 else parent
        links.append(random_link(f"link{k + 1}", rng))
        extra: dict[str, Any] = {}
        if losses and rng.random() < 0.7:
            extra |= {"damping": rng.uniform(0.0, 2.0), "friction": rng.uniform(0.0, 1.0)}
            if rng.random() < 0.4:
                extra |= {"stiction": extra["friction"] + rng.uniform(0.0, 1.0), "stribeck_velocity": 0.3}
            if rng.random() < 0.4:
                extra["smoothing"] = rng.uniform(0.01, 0.2)
        if armature and rng.random() < 0.5:
            extra["armature"] = rng.uniform(0.01, 1.0)
        if armature and types[k] in ONE_DEGREE and rng.random() < 0.3:
            axis = tuple(random_axis(rng)) if rng.random() < 0.5 else None
            spins = mimic if rotors is None else rotors
            extra["rotor"] = fs.Rotor(rng.uniform(0.0, 0.01), rng.uniform(-9.0, 9.0), spins, axis)
        made.append(_joint(f"joint{k + 1}", types[k], parent, f"link{k + 1}", rng, **extra))
    if massless:
        links = _without_some_masses(links, made, rng)
    if mimic:
        made = _with_followers(made, rng)
    return Parts(tuple(links), tuple(made))


def random_tree(
    seed: Any,
    n: int,
    joints: tuple[str, ...] = ALL,
    shape: str = "random",
    *,
    floating_base: bool = False,
    gravity: Any = (0.0, 0.0, -9.81),
    **kinds: Any,
) -> fs.Model:
    """A random model; arguments as of `random_parts` and `ModelBuilder.build`."""
    return random_parts(seed, n, joints, shape, **kinds).build(floating_base=floating_base, gravity=gravity)


def _joint(name: str, type: str, parent: str, child: str, rng: np.random.Generator, **extra: Any) -> fs.Joint:
    rotation = np.eye(3) if rng.random() < 0.1 else random_rotation(rng)
    position = np.zeros(3) if rng.random() < 0.1 else rng.uniform(-0.5, 0.5, 3)
    axis = random_axis(rng)
    if type == "helical":
        extra["pitch"] = float(rng.choice([-1.0, 1.0]) * rng.uniform(0.02, 0.6))
    if type == "universal":
        across = np.linalg.svd(axis[None, :])[2][1:]
        extra["axis2"] = tuple(rng.normal(size=2) @ across + rng.uniform(-0.5, 0.5) * axis)
    if type == "composite":
        extra["screws"] = random_screws(rng)
    if type in ("universal", "cylindrical", "planar", "spherical") and rng.random() < 0.5:
        # another number for each degree of freedom
        counts = {"universal": 2, "cylindrical": 2}
        extra |= {
            key: tuple(value * rng.uniform(0.5, 1.0, counts.get(type, 3)))
            for key, value in extra.items()
            if key in ("damping", "armature")
        }
    return fs.Joint(
        name,
        type,
        parent,
        child,
        tuple(map(tuple, rotation.tolist())),
        tuple(position.tolist()),
        tuple(axis.tolist()),
        **extra,
    )


def _without_some_masses(links: list[fs.Link], joints: list[fs.Joint], rng: np.random.Generator) -> list[fs.Link]:
    """Take the mass of links that one degree moves and that carry a heavy link on a joint of one other degree."""
    heavy = {link.name for link in links}
    into = {joint.child: joint for joint in joints}
    for link in links[1:]:
        joint = into[link.name]
        carried = [
            x
            for x in joints
            if x.parent == link.name and x.child in heavy and x.type in ONE_DEGREE and joint.type != x.type
        ]
        above = into.get(joint.parent)
        massless_above = above is not None and above.parent not in heavy
        if joint.type in ONE_DEGREE and carried and not massless_above and rng.random() < 0.5:
            heavy.discard(link.name)
    return [link if link.name in heavy else fs.Link(link.name) for link in links]


def _with_followers(joints: list[fs.Joint], rng: np.random.Generator) -> list[fs.Joint]:
    """Let about half of the joints of one degree, but never the first of a random order, follow one before them."""
    candidates = [k for k, joint in enumerate(joints) if joint.type in ONE_DEGREE]
    order = rng.permutation(candidates)
    result = list(joints)
    for place, k in enumerate(order):
        if place == 1 or (place > 1 and rng.random() < 0.5):
            leader = joints[order[rng.integers(place)]].name
            multiplier = rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 1.5)
            result[k] = replace(joints[k], mimic=fs.Mimic(leader, float(multiplier), float(rng.uniform(-1.0, 1.0))))
    return result


def random_q(model: fs.Model, rng: Any, shape: tuple[int, ...] = ()) -> np.ndarray:
    """Configurations (*shape, nq) where about one coordinate in three is 0, +-pi, or 1e-7 off these.

    The same for the angles of rotations; planar and floating positions are random.
    """
    rng = np.random.default_rng(rng)
    q = rng.uniform(-3.0, 3.0, (*shape, model.nq))
    special = rng.choice(SPECIAL_ANGLES, (*shape, model.nq))
    q = np.where(rng.random((*shape, model.nq)) < 1 / 3, special, q)
    for k in model.quaternion_indices:
        axis = rng.normal(size=(*shape, 3))
        half = rng.uniform(0.0, math.pi, shape) / 2
        half = np.where(rng.random(shape) < 1 / 3, rng.choice(SPECIAL_ANGLES, shape) / 2, half)[..., None]
        axis /= np.linalg.norm(axis, axis=-1, keepdims=True)
        x = np.concatenate([np.sin(half) * axis, np.cos(half)], axis=-1) * rng.choice([-1.0, 1.0], (*shape, 1))
        q[..., k : k + 4] = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return q


def random_v(model: fs.Model, rng: Any, shape: tuple[int, ...] = ()) -> np.ndarray:
    """Vectors (*shape, nv) over degrees of freedom, in which about one entry in ten is zero."""
    rng = np.random.default_rng(rng)
    v = rng.normal(size=(*shape, model.nv))
    return np.where(rng.random(v.shape) < 0.1, 0.0, v)


def random_forces(model: fs.Model, rng: Any, shape: tuple[int, ...] = ()) -> np.ndarray:
    """External forces (*shape, nb, 6)."""
    return np.random.default_rng(rng).normal(size=(*shape, model.nb, 6))


def joint_of_each_dof(model: fs.Model) -> np.ndarray:
    """(nv,) the number of the joint that a degree of freedom belongs to."""
    return np.array([model.joint_names.index(model.joint_of_dof(k)) for k in range(model.nv)], int)
