"""The reader of SDFormat, the description format of Gazebo and Drake, versions 1.4 and later.

Sources: the specification at sdformat.org (`joint`, `link`, `inertial`, `pose`, `mimic`, `model`, `world` of versions
1.4 to 1.12), its documents "Pose frame semantics" and "Model composition", and the conversions between versions that
libsdformat ships.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model.builder import ModelBuilder
from ..model.description import Options
from ..model.findings import Finding
from .loading import finish, raise_first
from .sdf_reading import SdfReading
from .sources import Readable

if TYPE_CHECKING:
    from ..model.model import Model


def load_sdf(
    source: Readable,
    *,
    model: str | None = None,
    floating_base: bool | None = None,
    mimic: bool = True,
    strict: bool = False,
    merge_fixed: bool = True,
) -> Model:
    """Read a robot from SDFormat.

    Only what the dynamics needs is read: meshes, sensors and plugins are never opened, and nothing is ever fetched.

    Parameters
    ----------
    source : a path, or the XML text as str or bytes (a str is a text if it begins with "<").
    model : the name of the model, if the file has several: of `<sdf><model>` and `<sdf><world><model>`.
    floating_base : None follows the file: what no joint ties to the world floats, unless the model is <static>. True
        lets a static model float too, or if all is tied to the world, the link "world" itself. False fixes everything
        to the world, at its pose in the file.
    mimic : apply <mimic>: followers leave q, qd and tau. False makes them free joints.
    strict : make every warning a ParseError.
    merge_fixed : links behind fixed joints become part of the body that carries them, their frames are kept.

    Raises
    ------
    ParseError
        The source cannot be read, is no SDFormat, is no tree of links, or has to be completed from elsewhere
        (<include>, inertias computed from shapes); with file, line, element, name and value.

    Warns
    -----
    ModelWarning
        One for each thing that loads but looks mistaken, and one that lists all that SDFormat says and a model cannot,
        such as springs.

    Notes
    -----
    The links of a nested model are called `model::link`. Each <frame> becomes a frame of the model. A joint whose axis
    does not pass through the origin of its child has a frame of its own, called as the joint. What is tied to the world
    hangs on a link "world". If one piece floats, its joint is "root_joint"; if several do, `link::root_joint`. Their q
    is the pose in the world: the pose in the file is where a simulation may begin, and no part of the model.

    A joint's pose is relative to its child and its axis in its own frame, unless the file says otherwise; before
    version 1.5 axes are in the model's frame. Negative limits of effort and velocity are none, as are limits of 1e16 or
    more. A link without <inertial> has 1 kg and 1 kg m^2 about each axis, as SDFormat says; a warning says so too. The
    gravity is that of the <world> if it gives one. In a <static> model all joints are held. A joint whose child is
    nearer to the root is turned round: its coordinate stays as it is, but that of a ball joint is then the rotation of
    its parent in its child.

    Examples
    --------
    >>> import featherstone as fs
    >>> fs.load_sdf('''
    ... <sdf version="1.9">
    ...   <model name="wheel">
    ...     <link name="disc">
    ...       <inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>2</izz></inertia></inertial>
    ...     </link>
    ...     <joint name="spin" type="continuous">
    ...       <parent>world</parent> <child>disc</child> <axis><xyz>0 0 1</xyz></axis>
    ...     </joint>
    ...   </model>
    ... </sdf>''')
    <Model 'wheel': 1 moving body, nq 1, nv 1, fixed base, 2 kg>
    """
    reading = SdfReading(source, model, floating_base)
    return finish(reading, strict, mimic, merge_fixed=merge_fixed)


def read_sdf(
    source: Readable, *, model: str | None = None, floating_base: bool | None = None, strict: bool = False
) -> tuple[ModelBuilder, list[Finding]]:
    """The links and joints of a model in SDFormat, not yet built, and all findings about them in the order of lines.

    Raises
    ------
    ParseError
        The source cannot be read or is no SDFormat; with strict=True also the first finding.
    """
    reading = SdfReading(source, model, floating_base)
    findings = reading.findings(Options())
    if strict:
        raise_first(findings)
    return reading.builder, findings
