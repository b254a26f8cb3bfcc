"""The reader of MJCF, MuJoCo's model format: MuJoCo compiles the source, and we read the result."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.builder import ModelBuilder
from ..model.description import Options
from ..model.errors import ModelError
from ..model.findings import Finding, examine
from .errors import ParseError
from .loading import finish
from .mjcf_actuators import Drive, drive_of
from .mjcf_left_out import left_out, never_modelled
from .mjcf_limits import refuse_large_numbers
from .mujoco_model import body_names, compile_mjcf, import_mujoco, joint_names, model_name, switched_off, unique

if TYPE_CHECKING:
    from ..model.model import Model


def load_mjcf(source: Any, *, strict: bool = False, merge_fixed: bool = True) -> Model:
    """Read a robot from MJCF, through MuJoCo (`pip install "featherstone[mujoco]"`).

    MuJoCo itself reads and compiles the source, so defaults, includes, angle units and inertia from geometry mean what
    they mean there. Files that the source names are opened by MuJoCo.

    Parameters
    ----------
    source : a path, the XML text as str or bytes (a str is a text if it begins with "<"), or an `mujoco.MjModel`.
    strict : make every warning a ParseError.
    merge_fixed : bodies without joints become part of the body that carries them, their frames are kept.

    Returns
    -------
    model : q of a hinge or slide is MuJoCo's qpos, also where `ref` is not 0. Links are called after the bodies, and
        their frames are the bodies' frames; "world" is the root link. A model whose only body on the world has a free
        joint gets a floating base; any other free joint becomes a joint "floating".

    Raises
    ------
    ParseError
        The source cannot be read, or MuJoCo refuses it; with MuJoCo's message.
    ImportError
        MuJoCo is not installed.

    Warns
    -----
    ModelWarning
        One that lists all that is left out: contacts, equality constraints, tendons, springs, control laws of actuators
        and more. And one for each body that looks mistaken, and for each warning of MuJoCo.

    Notes
    -----
    Joints keep their names. Several joints on one body, and joints away from the body's origin, stand on links without
    mass in between, called "<body>_at_<joint>". What has no name is called body3 after its index, or after its body:
    <body>_joint. `frictionloss` becomes friction. Actuators give limits of effort, see docs/notation.md.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.load_mjcf('''
    ... <mujoco model="wheel">
    ...   <worldbody>
    ...     <body name="disc">
    ...       <joint name="spin" axis="0 0 1" damping="0.1"/> <geom type="cylinder" size="0.1 0.02" mass="2"/>
    ...     </body>
    ...   </worldbody>
    ... </mujoco>''')
    <Model 'wheel': 1 moving body, nq 1, nv 1, fixed base, 2 kg>
    """
    return finish(MjcfReading(source), strict, True, merge_fixed=merge_fixed)


class MjcfReading:
    """One MJCF, compiled and read: a builder with its links and joints, whether its base floats, and its gravity."""

    def __init__(self, source: Any) -> None:
        self.mj, self.file, self._said = compile_mjcf(source)
        refuse_large_numbers(self.mj, self.file)
        self.lines: dict[tuple[str, str], int] = {}  # MuJoCo does not tell where the parts of a model stand
        self.builder = ModelBuilder(model_name(self.mj))
        self._types = import_mujoco().mjtJoint
        self._bodies, self._joints = body_names(self.mj), joint_names(self.mj)
        self._links, self._taken = set(self._bodies), set(self._joints)
        self.between: list[str] = []  # links that MuJoCo does not have
        self.floating_base = self._has_floating_base()
        mj = self.mj
        self.gravity = (0.0, 0.0, 0.0) if switched_off(mj, "GRAVITY") else tuple(mj.opt.gravity.tolist())
        for b in range(1 if self.floating_base else 0, mj.nbody):
            self._read_link(b)
        for b in range(2 if self.floating_base else 1, mj.nbody):
            self._read_joints(b)

    def build(self, **options: Any) -> Model:
        """The model, with options of the builder."""
        return self.builder.build(floating_base=self.floating_base, gravity=self.gravity, **options)

    def findings(self, options: Options) -> list[Finding]:
        """What MuJoCo warns of, what is left out, as one finding, and what no robot is like."""
        name, dynamics, outside = self.builder.name, left_out(self.mj), never_modelled(self.mj)
        remedy = "MuJoCo says so when it compiles the model"
        found = [Finding("mujoco-warning", "model", name, text, remedy, self.file) for text in self._said]
        if dynamics or outside:
            message = f"model {name!r}: left out: {'; '.join(dynamics + outside)}"
            remedy = "results are those of the bodies and joints without them"
            severity = "warning" if dynamics else "note"
            found.append(Finding("left-out", "model", name, message, remedy, self.file, severity=severity))
        physical = examine(self.builder.describe(), options)
        return found + [dataclasses.replace(x, file=self.file) for x in physical]

    def located(self, error: ModelError) -> ParseError:
        """What the model says is wrong, with the file."""
        kind, name = error.element or ("model", self.builder.name)
        return ParseError(" ".join(str(error).split()), self.file, None, kind, name)

    def _has_floating_base(self) -> bool:
        """Whether the only body on the world has a free joint, without losses and armature, which a base has not."""
        mj = self.mj
        if np.count_nonzero(mj.body_parentid[1:] == 0) != 1 or not self._is_free(1):
            return False
        first = int(mj.jnt_dofadr[mj.body_jntadr[1]])
        return not (mj.dof_damping[first] or mj.dof_frictionloss[first] or mj.dof_armature[first])

    def _is_free(self, b: int) -> bool:
        mj = self.mj
        return mj.body_jntnum[b] == 1 and mj.jnt_type[mj.body_jntadr[b]] == int(self._types.mjJNT_FREE)

    def _add(self, add: Callable[..., None], *arguments: Any, **options: Any) -> None:
        try:
            add(*arguments, **options)
        except ModelError as error:
            raise self.located(error) from None

    def _read_link(self, b: int) -> None:
        mj = self.mj
        R = rotation(mj.body_iquat[b])
        tensor = R @ np.diag(mj.body_inertia[b]) @ R.T
        com = mj.body_ipos[b] if mj.body_mass[b] else np.zeros(3)
        self._add(self.builder.add_link, self._bodies[b], float(mj.body_mass[b]), com, (tensor + tensor.T) / 2)

    def _read_joints(self, b: int) -> None:
        """The joints of a body in turn: J1 J2 ... behind its pose, each about a point and axis in the body's axes."""
        mj, body, parent = self.mj, self._bodies[b], self._bodies[self.mj.body_parentid[b]]
        R, p = rotation(mj.body_quat[b]), np.array(mj.body_pos[b])
        if self._is_free(b):  # qpos is the pose in the world, wherever the file puts the body
            R, p = np.eye(3), np.zeros(3)
        reached = np.zeros(3)  # the point in the body's axes at which the next link stands
        joints = range(mj.body_jntadr[b], mj.body_jntadr[b] + mj.body_jntnum[b])
        for j in joints:
            at = np.array(mj.jnt_pos[j]) if self._turns(j) else reached
            last = j == joints[-1] and not at.any()
            child = body if last else unique(f"{body}_at_{self._joints[j]}", self._links)
            if child != body:
                self._add(self.builder.add_link, child)
                self.between.append(child)
            self._add_joint(j, parent, child, R, p + R @ (at - reached))
            parent, R, p, reached = child, np.eye(3), np.zeros(3), at
        if parent != body:
            name = unique(f"{body}_fixed", self._taken)
            self._add(self.builder.add_joint, name, "fixed", parent, body, rotation=R, position=p - R @ reached)

    def _turns(self, j: int) -> bool:
        return self.mj.jnt_type[j] in (int(self._types.mjJNT_HINGE), int(self._types.mjJNT_BALL))

    def _add_joint(self, j: int, parent: str, child: str, R: np.ndarray, p: np.ndarray) -> None:
        """One joint. `ref` is the coordinate at the pose of the file: the frame is put where it is 0."""
        mj, kind = self.mj, int(self.mj.jnt_type[j])
        options: dict[str, Any] = {}
        if kind in (int(self._types.mjJNT_HINGE), int(self._types.mjJNT_SLIDE)):
            axis, ref = np.array(mj.jnt_axis[j]), float(mj.qpos0[mj.jnt_qposadr[j]])
            limited, drive = bool(mj.jnt_limited[j]), drive_of(mj, j)
            options = {"axis": axis, "effort": drive.effort}
            if limited:
                options |= {"lower": float(mj.jnt_range[j, 0]), "upper": float(mj.jnt_range[j, 1])}
            slides = kind == int(self._types.mjJNT_SLIDE)
            name = "prismatic" if slides else "revolute" if limited else "continuous"
            if ref and slides:
                p = p - R @ (ref * axis)
            elif ref:
                R = R @ about(axis, -ref)
        else:
            name, drive = "spherical" if kind == int(self._types.mjJNT_BALL) else "floating", Drive()
            if mj.jnt_limited[j]:
                options["upper"] = float(mj.jnt_range[j, 1])
        options |= self._losses(j, drive)
        self._add(self.builder.add_joint, self._joints[j], name, parent, child, rotation=R, position=p, **options)

    def _losses(self, j: int, drive: Drive) -> dict[str, float]:
        mj, k = self.mj, int(self.mj.jnt_dofadr[j])
        damped = not switched_off(mj, "DAMPER")
        rubs = not switched_off(mj, "CONSTRAINT", "FRICTIONLOSS")
        return {
            "armature": float(mj.dof_armature[k]) + drive.armature,
            "damping": float(np.ravel(mj.dof_damping[k])[0]) + drive.damping if damped else 0.0,
            "friction": float(mj.dof_frictionloss[k]) if rubs else 0.0,
        }


def rotation(quaternion: Any) -> np.ndarray:
    """The matrix of MuJoCo's quaternion, its real part first."""
    w, x, y, z = (float(c) for c in quaternion)
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return np.array(
        [
            [1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)],
        ]
    )


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """The rotation about a unit axis, by Rodrigues' formula."""
    x, y, z = axis
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k)
