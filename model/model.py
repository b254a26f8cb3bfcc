"""The immutable robot model: what is known about it, edited copies, and saved ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .arguments import flag
from .assembly import assemble
from .description import vector
from .robot import Robot


class Model(Robot):
    """A robot: bodies joined in a tree, immutable, safe to share between threads, picklable.

    Made by `load_urdf`, `ModelBuilder.build` and the functions that edit models; never directly.

    Attributes
    ----------
    name : the robot's name.
    nb, nq, nv : numbers of moving bodies, of configuration coordinates, of degrees of freedom. Mimic followers are
        bodies (they count in nb) but have no part in nq and nv.
    joint_names, body_names : the moving joints and the links that they move, (nb,), depth first in the source's order.
    frame_names : every link, merged ones and the root included.
    joints : `Joint` of each body.
    leaders : for each joint the one that it follows in the end, or None.
    parent : (nb,) int, index of the parent body, -1 for the fixed base.
    mass : total mass in kg, a fixed base included.
    body_mass : (nb,) kg, what moves with each body.
    gravity : (3,) m/s^2 in world axes.
    q_lower, q_upper : (nq,) limits in rad or m; infinite where there is none.
    qd_limit, tau_limit : (nv,).
    damping, friction, armature : (nv,), those of followers included as they act on the joint followed; the friction is
        Coulomb's, the armature contains the reflected inertia of rotors but for those that are gyroscopic, which are
        bodies.
    elements : of each joint the first and the last body of `tree` that it moves; most joints move one.
    """

    # edited copies

    def with_gravity(self, gravity: Any) -> Model:
        """The same robot under another gravity (3,) m/s^2, in world axes.

        Raises
        ------
        ValueError
            Not three finite numbers.
        """
        try:
            g = vector(gravity)
        except ValueError:
            raise ValueError(f"gravity: expected three finite numbers (m/s^2, world axes), got {gravity!r}") from None
        return assemble(self.description, self.options.changed(gravity=g))

    def with_payload(self, frame: str, mass: float, com: Any = (0.0, 0.0, 0.0), inertia: Any = None) -> Model:
        """The same robot with a rigid payload fixed to a frame.

        Parameters
        ----------
        frame : the link that carries it.
        mass : kg.
        com : (3,) m, the payload's centre of mass in the frame's axes.
        inertia : (3, 3) kg m^2 about the payload's own centre of mass, in the frame's axes; zero if not given.

        Raises
        ------
        UnknownNameError, ModelError
            An unknown frame, or numbers that make no sense.
        """
        from .editing import loaded

        return assemble(loaded(self, frame, mass, com, inertia), self.options)

    def with_joint(self, name: str, **fields: Any) -> Model:
        """The same robot with other fields of a joint: limits, losses, armature, rotor, axis and all else of `Joint`.

        Parameters
        ----------
        name : the joint, a fixed one too.
        fields : as in `ModelBuilder.add_joint`.

        Raises
        ------
        UnknownNameError, ModelError, TypeError
            An unknown joint or field, or numbers that make no sense.

        Examples
        --------
        >>> import featherstone as fs
        >>> arm = fs.models.load("six_axis").with_joint("joint_1", rotor=fs.Rotor(2e-5, 120.0), friction=3.0)
        >>> round(float(arm.armature[0]), 3)
        0.288
        """
        from .editing import with_fields

        return assemble(with_fields(self.description, name, fields), self.options)

    def lock(self, joint_names: Any, values: Any = None) -> Model:
        """The same robot with some joints fixed; what follows them is fixed as well.

        Parameters
        ----------
        joint_names : a name, several, or a mapping of names to values.
        values : the coordinates at which they are locked, one for each joint: a number, or as many as the joint has
            coordinates. Without values, all zero and no rotation.

        Returns
        -------
        model : its other joints keep their names, order, limits, losses and armature; the armature and the losses of a
            locked joint are gone with its motion.

        Raises
        ------
        UnknownNameError, ModelError, ValueError
            An unknown joint, one that follows another, or values that do not fit.
        TypeError
            No names, or a mapping of values beside names.

        Examples
        --------
        >>> import featherstone as fs
        >>> fs.models.load("six_axis").lock(["joint_4", "joint_5"], [0.5, -1.0]).nv
        4
        """
        from .editing import locked

        return assemble(*locked(self, joint_names, values))

    def attach(self, other: Model, frame: str, *, prefix: str = "", pose: Any = None) -> Model:
        """The same robot with another one fixed to a frame by its root.

        Parameters
        ----------
        other : a robot; its own gravity and floating base are left out.
        frame : the link that carries it.
        prefix : put before the names of its links and joints.
        pose : (4, 4) of the other's root in the frame, m; the identity if not given.

        Raises
        ------
        UnknownNameError, ModelError, ValueError
            An unknown frame, names that both robots have, a matrix that is no pose, or mimic relations that one of the
            two options `mimic` applies and the other does not.
        """
        from .editing import attached

        if not isinstance(other, Model):
            raise TypeError(f"other: expected a Model, got {type(other).__name__}")
        return assemble(attached(self, other, frame, prefix, pose), self.options)

    def subtree(self, link: str, *, floating_base: bool = False) -> Model:
        """A link and all that it carries, as a robot with that link as its root.

        Raises
        ------
        UnknownNameError, ModelError
            An unknown link, or a joint that follows one that is left out.
        """
        from .editing import part

        return assemble(part(self, link), self.options.changed(floating_base=flag("floating_base", floating_base)))

    def reroot(self, link: str) -> Model:
        """The same floating robot with another link as its root.

        Parameters
        ----------
        link : the new root: `root_joint` then has its pose and velocity.

        Returns
        -------
        model : its joints keep their names, coordinates, limits, losses and armature, and its links their frames.
            Joints between the old and the new root are reversed, with the opposite axis; such a joint moves a link
            without mass, called after it with "_reversed", to which what was its parent is fixed.

        Raises
        ------
        UnknownNameError, ModelError
            An unknown link; a robot without a floating base; a joint on the way that is not fixed and has not one axis,
            or has a gyroscopic rotor.

        Examples
        --------
        >>> import featherstone as fs
        >>> fs.models.load("quadruped").reroot("front_left_foot").joints[0].child
        'front_left_foot'
        """
        from .rerooting import rerooted

        return assemble(rerooted(self, link), self.options)

    def rename(self, *, links: Any = None, joints: Any = None, name: str | None = None) -> Model:
        """The same robot with other names.

        Parameters
        ----------
        links, joints : mappings of old names to new ones.
        name : of the robot.

        Raises
        ------
        UnknownNameError, ModelError
            An unknown name, or a name that two would have.
        TypeError
            `links` or `joints` is no mapping.
        """
        from .editing import renamed

        description = renamed(self.description, links or {}, joints or {})
        return assemble(description if name is None else replace(description, name=str(name)), self.options)

    def scale(self, factor: float, links: Any = None) -> Model:
        """The same robot with masses and inertias multiplied, those of some links (names) or of all.

        Raises
        ------
        UnknownNameError, ValueError
            An unknown link, or a factor that is not a finite number >= 0.
        """
        from .editing import scaled

        return assemble(scaled(self, factor, links), self.options)

    # identification

    def parameters(self, drives: Any = None) -> np.ndarray:
        """What the dynamics is linear in, (10 nb + drives,): of each body the ten numbers of its inertia.

        Parameters
        ----------
        drives : which kinds of parameters of drives stand behind those of the bodies: "armature", "rotor", "damping",
            "friction", "stiction", some of them, or "all"; they are always in this order.

        Returns
        -------
        pi : of each body, with the links that are fixed to it, m (kg), m c (3) (kg m), and Ixx, Ixy, Iyy, Ixz, Iyz, Izz
            (kg m^2) about the origin of its link frame, in the link's axes. Then for each kind of drives its values:
            armature with the reflected inertia of rotors; the inertia of each gyroscopic rotor; damping; Coulomb
            friction; by how much friction at rest is more. Rotors have one, the other kinds one for each degree of
            freedom of all joints, mimic followers included, a floating base apart.

        Raises
        ------
        ValueError
            An unknown kind of drives.

        Examples
        --------
        >>> import featherstone as fs
        >>> arm = fs.models.load("planar_2r")
        >>> arm.parameters("damping").shape, arm.parameter_names("damping")[-1]
        ((22,), 'elbow: damping')
        """
        from .parameters import parameters

        return parameters(self, drives)

    def parameter_names(self, drives: Any = None) -> tuple[str, ...]:
        """What each entry of `parameters` is, such as "forearm: m c_x" and "elbow: friction"."""
        from .parameters import parameter_names

        return parameter_names(self, drives)

    def with_parameters(self, pi: Any, drives: Any = None) -> Model:
        """The same robot with other parameters.

        Parameters
        ----------
        pi : (10 nb + drives,) as `parameters` gives them.
        drives : the kinds of parameters of drives in pi; what is not in it stays.

        Returns
        -------
        model : a body whose numbers change has all of them on the link that its joint moves, and links that are fixed
            to it have no mass then. An armature that changes contains the reflected inertia of what was a rotor. A
            stiction of joints without a Stribeck velocity, which is as much at any speed, is part of their friction.

        Raises
        ------
        ValueError
            Not as many finite numbers, or an unknown kind of drives.
        ModelError
            A negative mass, a first moment without mass, or a negative armature, damping or friction.

        Examples
        --------
        >>> import featherstone as fs
        >>> arm = fs.models.load("planar_2r")
        >>> pi = arm.parameters()
        >>> fs.models.load("planar_2r").with_parameters(2.0 * pi).mass / arm.mass
        2.0
        """
        from .parameters import with_parameters

        return assemble(with_parameters(self, pi, drives), self.options)

    # saving

    def to_json(self) -> str:
        """The model as JSON; `from_json` makes the same model of it, every number bit for bit.

        Notes
        -----
        An object with "format", "version", "name", "options", "links" and "joints", with the fields of `Link`, `Joint`
        and `Mimic`; an infinite limit, for which JSON has no number, is the text "inf" or "-inf".

        Examples
        --------
        >>> import featherstone as fs
        >>> arm = fs.models.load("planar_2r")
        >>> fs.Model.from_json(arm.to_json()).description == arm.description
        True
        """
        from .saving import to_json

        return to_json(self.description, self.options)

    @classmethod
    def from_json(cls, text: str | bytes | bytearray) -> Model:
        """The model that `to_json` has written.

        Parameters
        ----------
        text : the JSON itself, not a path; bytes are UTF-8, UTF-16 or UTF-32.

        Raises
        ------
        ModelError
            No JSON, another format or version, a field missing, unknown, given twice or of the wrong kind, or what
            `ModelBuilder` refuses.

        Examples
        --------
        >>> import featherstone as fs
        >>> fs.Model.from_json('{"format": "featherstone model", "version": 2}')
        Traceback (most recent call last):
        featherstone.model.errors.ModelError: version: expected 1, got 2; write the model with this release
        """
        from .saving import from_json

        return from_json(text)

    def to_urdf(self) -> str:
        """The model as URDF; `load_urdf` makes a model with the same dynamics of it.

        Raises
        ------
        ModelError
            A name with a character that XML cannot hold.

        Warns
        -----
        ModelWarning
            One that lists what URDF cannot say: armature, gravity, a floating base and the other options, and
            spherical joints, which the standard has not (Bullet, MuJoCo and `load_urdf` read them).

        Notes
        -----
        Numbers are exact but for the angles of rotations. Revolute joints without limits become continuous. Where
        other readers want a number for a limit that is infinite, it is the largest float64, which `load_urdf` takes for
        no limit.

        Examples
        --------
        >>> import featherstone as fs
        >>> arm = fs.models.load("six_axis")
        >>> fs.load_urdf(arm.to_urdf())
        <Model 'six_axis': 6 moving bodies, nq 6, nv 6, fixed base, 67 kg>
        """
        from .urdf_writer import to_urdf

        return to_urdf(self.description, self.options)
