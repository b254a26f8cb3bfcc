"""A model and the same robot in another engine: which joint is which, and what mimic followers mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..model.description import Joint
from ..model.model import Model

FOLLOWS = 1e-9  # how well a follower's coordinate must be that of its leader, relative to max(1, |coordinate|)


class StructureError(ValueError):
    """The two models do not have the same joints or links."""


class Matched(NamedTuple):
    """A joint of the other engine's, or several that are one of its kind here: places among all coordinates.

    `q` and `v` are the places among the coordinates and degrees of freedom of all joints, followers included; `their_q`
    and `their_v` are the indices in the other engine's vectors. `owner` is our joint that it is, or of which it is the
    part with the coordinate `first`; a part that `travels` is `scale` times that coordinate, and none of its own.
    """

    name: str
    type: str
    link: str
    q: int
    v: int
    nq: int
    nv: int
    their_q: np.ndarray
    their_v: np.ndarray
    owner: str
    first: int = 0
    scale: float = 1.0
    travels: bool = False


class Pair:
    """The mapping between a model and the same robot in another engine; arrays have any leading batch dimensions.

    With followers, q_all = G q + o for all joints, so that tau = G^T tau_all and H = G^T H_all G.
    """

    engine = "the other engine"

    def __init__(self, model: Model, joints: list[Matched], nq: int, nv: int) -> None:
        self.model, self.joints, self.nq, self.nv = model, joints, nq, nv
        self.nq_all, self.nv_all = sum(x.nq for x in joints), sum(x.nv for x in joints)
        self.G_q, self.o, self.G = self._coupling()
        self.followers = [x for x in joints if x.travels or self._leader(x.owner) is not None]
        self.coupled = bool(self.followers)
        self.own_q, self.own_v = np.zeros(model.nq, int), np.zeros(model.nv, int)
        for x in joints:
            if not x.travels and self._leader(x.owner) is None:
                for own, index, place, n in (
                    (self.own_q, model.q_index(x.owner), x.q, x.nq),
                    (self.own_v, model.qd_index(x.owner), x.v, x.nv),
                ):
                    start = _start(index) + x.first
                    own[start : start + n] = np.arange(place, place + n)

    def _leader(self, name: str) -> str | None:
        return self.model.leaders[self.model.joint_names.index(name)]

    def _followed(self, x: Matched) -> str:
        return self._leader(x.owner) or x.owner

    def _coupling(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """G for coordinates, o, and G for rates, from the description's mimic relations followed to their end."""
        model = self.model
        described = {joint.name: joint for joint in model.joints}
        G_q, o, G = np.zeros((self.nq_all, model.nq)), np.zeros(self.nq_all), np.zeros((self.nv_all, model.nv))
        for x in self.joints:
            joint, scale, offset = described[x.owner], x.scale, 0.0
            while model.options.mimic and joint.mimic is not None:
                offset += scale * joint.mimic.offset
                scale *= joint.mimic.multiplier
                joint = described[joint.mimic.joint]
            q, v = _start(model.q_index(joint.name)) + x.first, _start(model.qd_index(joint.name)) + x.first
            G_q[x.q : x.q + x.nq, q : q + x.nq] = scale * np.eye(x.nq)
            G[x.v : x.v + x.nv, v : v + x.nv] = scale * np.eye(x.nv)
            o[x.q] = offset
        return G_q, o, G

    # arrays

    def ours(self, name: str, x: Any, *tail: int) -> np.ndarray:
        """An argument as float64 of the shape (..., *tail)."""
        array = np.asarray(x)
        if array.dtype.kind not in "iuf":
            raise TypeError(f"{name}: expected an array of numbers, got {x!r}")
        if array.shape[array.ndim - len(tail) :] != tail or array.ndim < len(tail):
            expected = ", ".join(map(str, ("...", *tail)))
            raise ValueError(f"{name}: expected the shape ({expected}) for {self.engine}, got {array.shape}")
        return array.astype(np.float64)

    def all_q(self, q: Any) -> np.ndarray:
        """The coordinates of all joints, followers included, of our q."""
        return self.ours("q", q, self.model.nq) @ self.G_q.T + self.o

    def rates_of_leaders(self, all_v: np.ndarray) -> np.ndarray:
        """Our velocities or accelerations of those of all joints; followers must go with their leaders."""
        v = all_v[..., self.own_v]
        self._check_followers(all_v, v @ self.G.T, lambda x: slice(x.v, x.v + x.nv))
        return v

    def coordinates_of_leaders(self, all_q: np.ndarray) -> np.ndarray:
        """Our q of the coordinates of all joints; followers must be where their leaders take them."""
        q = all_q[..., self.own_q]
        self._check_followers(all_q, q @ self.G_q.T + self.o, lambda x: slice(x.q, x.q + x.nq))
        return q

    def _check_followers(self, found: np.ndarray, expected: np.ndarray, place: Callable[[Matched], slice]) -> None:
        for x in self.followers:
            theirs, right = found[..., place(x)], expected[..., place(x)]
            if np.any(np.abs(theirs - right) > FOLLOWS * np.maximum(1.0, np.abs(right))):
                leader = self._followed(x)
                raise ValueError(
                    f"joint {x.name!r} follows {leader!r} in featherstone, and does not in these numbers of"
                    f" {self.engine}"
                )

    def forces_of_leaders(self, tau: Any) -> np.ndarray:
        """Forces of all joints that do what ours do: leaders and free joints have them, followers none."""
        tau = self.ours("tau", tau, self.model.nv)
        tau_all = np.zeros((*tau.shape[:-1], self.nv_all))
        tau_all[..., self.own_v] = tau
        return tau_all

    def refuse_followers(self, what: str) -> None:
        """Raise StructureError where mimic followers leave the other engine's numbers undetermined."""
        if self.coupled:
            x = self.followers[0]
            raise StructureError(
                f"joint {x.name!r} follows {self._followed(x)!r}: {what} of all joints cannot be known from that of"
                " the free ones; load the model with mimic=False"
            )


def _start(index: int | slice) -> int:
    return index.start if isinstance(index, slice) else index


def moving(model: Model) -> list[Joint]:
    """The joints of a model that have coordinates."""
    return [joint for joint in model.joints if joint.type != "fixed"]


def refuse_unmatched(ours: Iterable[str], theirs: Iterable[str], engine: str) -> None:
    """Raise StructureError if the other engine lacks a joint of ours, or has one more."""
    ours, theirs = list(ours), list(theirs)
    for name in ours:
        if name not in theirs:
            raise StructureError(f"joint {name!r} moves in featherstone's model and is not in {engine}'s")
    extra = sorted(set(theirs) - set(ours))
    if extra:
        raise StructureError(f"joint {extra[0]!r} moves in {engine}'s model and not in featherstone's")
