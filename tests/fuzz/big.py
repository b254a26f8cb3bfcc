"""Huge files of a given number of bytes, in the shapes that readers are slow at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Shape = Callable[[int], bytes]


def filled(before: str, unit: str, after: str = "") -> Shape:
    """The unit again and again, with its number in place of each %d, between two texts."""

    def write(size: int) -> bytes:
        marks = unit.count("%d")
        length = len(unit) + 6 * marks
        return (before + "".join(unit % ((i,) * marks) for i in range(size // length)) + after).encode()

    return write


def nested(before: str, start: str, end: str, after: str, depth: int | None = None) -> Shape:
    """A thing in itself, as often as fits or so often."""

    def write(size: int) -> bytes:
        count = depth or size // (len(start) + len(end))
        return (before + start * count + end * count + after).encode()

    return write


def tree(before: str, first: str, link: str, joint: str, after: str, parent: int | None, count: int | None = None):
    """Links, and joints {parent} -> {child}: each link's parent is the one before, or one for all."""

    def write(size: int) -> bytes:
        n = count or size // (len(link) + len(joint) + 20)
        body = first + "".join(
            link.format(child=i) + joint.format(child=i, parent=i - 1 if parent is None else parent)
            for i in range(1, n)
        )
        return (before + body + after).encode()

    return write


def saved(parent: int | None, count: int | None = None, mimic: str = "null", end: str = "") -> Shape:
    """A saved model of links and joints."""
    link = '{{"name": "l{i}", "mass": 1, "com": [0, 0, 0], "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}'
    joint = (
        '{{"name": "j{i}", "type": "revolute", "parent": "l{p}", "child": "l{i}", "axis": [0, 0, 1], '
        '"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "position": [0, 0, 0], "lower": "-inf", "upper": "inf", '
        '"velocity": "inf", "effort": "inf", "damping": 0, "friction": 0, "armature": 0, "mimic": {m}, "pitch": 0, '
        '"axis2": [0, 1, 0], "screws": [], "stiction": 0, "stribeck_velocity": 0, "smoothing": 0, "rotor": null}}'
    )

    def write(size: int) -> bytes:
        n = count or size // (len(link) + len(joint))
        links = ", ".join(link.format(i=i) for i in range(n))
        joints = ", ".join(
            joint.format(
                i=i, p=i - 1 if parent is None else parent, m="null" if i == 1 else mimic.replace("#", str(i - 1))
            )
            for i in range(1, n)
        )
        return f'{HEAD}, "links": [{links}], "joints": [{joints}]{end}}}'.encode()

    return write


HEAD = (
    '{"format": "featherstone model", "version": 1, "name": "huge", '
    '"options": {"floating_base": false, "mimic": true, "merge_fixed": true, "gravity": [0, 0, -9.81]}'
)
FOLLOWS = '{"joint": "j#", "multiplier": 1, "offset": 0}'
MOST = 9_990  # links that a reader takes

ROBOT = ('<robot name="huge">', '<link name="l0"/>', '<link name="l{child}"/>')
JOINT = '<joint name="j{child}" type="%s"><parent link="l{parent}"/><child link="l{child}"/>%s</joint>'
_ONE = '<robot name="huge"><link name="l0">'


_LEAD = '<link name="a"/><joint name="lead" type="continuous"><parent link="l0"/><child link="a"/></joint>'


def _urdf(type: str, inside: str, parent: int | None, count: int | None = None, first: str = "") -> Shape:
    return tree(ROBOT[0], ROBOT[1] + first, ROBOT[2], JOINT % (type, inside), "</robot>", parent, count)


URDF: dict[str, Shape] = {
    "chain": _urdf("continuous", "", None),
    "star": _urdf("continuous", "", 0),
    "chain_of_fixed": _urdf("fixed", "", None),
    "longest_chain": _urdf("continuous", '<axis xyz="0 1 0"/>', None, MOST),
    "longest_chain_of_fixed": _urdf("fixed", "", None, MOST),
    "longest_star": _urdf("floating", "", 0, MOST),
    "longest_chain_of_floating": _urdf("floating", "", None, MOST),
    "mimic": _urdf("continuous", '<mimic joint="lead" multiplier="2"/>', 0, MOST, _LEAD),
    "chain_of_mimic": _urdf("continuous", '<mimic joint="j{parent}"/>', None, MOST, _LEAD.replace("lead", "j0")),
    "attributes": filled('<robot name="huge"><link name="l0" ', 'a%d="1" ', "/></robot>"),
    "children": filled(_ONE, "<a/>", "</link></robot>"),
    "unknown_elements": filled('<robot name="huge"><link name="l0"/>', '<a%d b="${x}"/>', "</robot>"),
    "inertials": filled(_ONE, "<inertial/>", "</link></robot>"),
    "names": filled('<robot name="huge">', "<link/>", "</robot>"),
    "comment": filled('<robot name="huge"><!--', "a comment ", '--><link name="l0"/></robot>'),
    "comments": filled('<robot name="huge"><link name="l0"/>', "<!---->", "</robot>"),
    "text": filled(_ONE, "text %d ", "</link></robot>"),
    "text_in_pieces": filled(_ONE, "a<b/>", "</link></robot>"),
    "references": filled(_ONE, "&#65;", "</link></robot>"),
    "left_over_xacro": filled(_ONE, "${", "</link></robot>"),
    "left_over_xacro_calls": filled(_ONE, "$(find x ", "</link></robot>"),
    "long_name": filled('<robot name="huge"><link name="', "x", '"/></robot>'),
    "long_number": filled(_ONE + '<inertial><mass value="', "1", '"/></inertial></link></robot>'),
    "long_vector": filled(_ONE + '<inertial><origin xyz="', "1 ", '"/></inertial></link></robot>'),
    "deep": nested("<robot>", "<a>", "</a>", "</robot>"),
    "deep_unclosed": nested("<robot>", "<a>", "", ""),
    "unclosed": filled('<robot name="huge"><link name="l0"/><', "a ", ""),
    "blanks": filled("", " ", '<robot name="huge"><link name="l0"/></robot>'),
    "lines": filled("", "\r\n", '<robot name="huge"><link name="l0"/></robot>'),
    "zeros": lambda size: bytes(size),
    "marks": lambda size: b"<" * size,
}

_SDF = ('<sdf version="1.9"><model name="huge">', '<link name="l0"/>', '<link name="l{child}"/>')
_SDF_JOINT = (
    '<joint name="j{child}" type="%s"><parent>l{parent}</parent><child>l{child}</child>'
    "<axis><xyz>0 0 1</xyz>%s</axis></joint>"
)
_SDF_END = "</model></sdf>"
_SDF_FIRST = "".join(_SDF[:2])
_SDF_ONE = '<sdf version="1.9"><model name="huge"><link name="l0">'


_SDF_LEAD = (
    '<link name="a"/><joint name="lead" type="revolute"><parent>l0</parent><child>a</child>'
    "<axis><xyz>0 0 1</xyz></axis></joint>"
)


def _sdf(inside: str, parent: int | None, count: int | None = None, type: str = "revolute", first: str = "") -> Shape:
    return tree(_SDF[0], _SDF[1] + first, _SDF[2], _SDF_JOINT % (type, inside), _SDF_END, parent, count)


SDF: dict[str, Shape] = {
    "chain": _sdf("", None),
    "star": _sdf("", 0),
    "longest_chain": _sdf("", None, MOST),
    "longest_star": _sdf("", 0, MOST),
    "longest_chain_of_balls": _sdf("", None, MOST, "ball"),
    "mimic": _sdf('<mimic joint="lead"><multiplier>2</multiplier></mimic>', 0, MOST, first=_SDF_LEAD),
    "chain_of_mimic": _sdf('<mimic joint="j{parent}"/>', None, MOST, first=_SDF_LEAD.replace("lead", "j0")),
    "loose_links": filled(_SDF_FIRST, '<link name="m%d"/>', _SDF_END),
    "most_loose_links": lambda size: filled(_SDF_FIRST, '<link name="m%d"/>', _SDF_END)(min(size, 27 * MOST)),
    "chain_of_frames": tree(*_SDF[:2], '<frame name="l{child}" attached_to="l', '{parent}"/>', _SDF_END, None),
    "longest_chain_of_frames": tree(
        *_SDF[:2], '<frame name="l{child}" attached_to="l', '{parent}"/>', _SDF_END, None, MOST
    ),
    "chain_of_poses": tree(
        *_SDF[:2], '<link name="l{child}"><pose relative_to="l', '{parent}"/></link>', _SDF_END, None, MOST
    ),
    "models": filled('<sdf version="1.9">', '<model name="m%d"/>', "</sdf>"),
    "worlds": filled('<sdf version="1.9">', '<world name="w%d"/>', "</sdf>"),
    "nested_models": filled(_SDF_FIRST, '<model name="m%d"><link name="a"/></model>', _SDF_END),
    "deep_models": nested(_SDF[0], '<model name="m">', "</model>", _SDF_END),
    "attributes": filled('<sdf version="1.9"><model name="huge"><link name="l0" ', 'a%d="1" ', "/></model></sdf>"),
    "children": filled(_SDF_ONE, "<a/>", "</link></model></sdf>"),
    "text": filled(_SDF_ONE, "text %d ", "</link></model></sdf>"),
    "comment": filled(_SDF[0] + "<!--", "a comment ", '--><link name="l0"/></model></sdf>'),
    "long_pose": filled(_SDF_ONE + "<pose>", "1 ", "</pose></link></model></sdf>"),
    "long_scope": filled(_SDF[0] + '<link name="l0"/><frame name="f" attached_to="', "a::", '"/></model></sdf>'),
    "deep": nested('<sdf version="1.9">', "<a>", "</a>", "</sdf>"),
}

_MJCF, _MJCF_END = "<mujoco><worldbody>", "</worldbody></mujoco>"
_BODY = '<body><joint/><geom size="1"/></body>'

MJCF: dict[str, Shape] = {
    "star": filled(_MJCF, _BODY, _MJCF_END),
    "most_bodies": lambda size: (_MJCF + _BODY * 4000 + _MJCF_END).encode(),
    "longest_chain": nested(_MJCF, '<body><joint/><geom size="1"/>', "</body>", _MJCF_END, 240),
    "chain": nested(_MJCF, '<body><joint/><geom size="1"/>', "</body>", _MJCF_END),
    "geoms": filled(_MJCF, '<geom size="1"/>', _MJCF_END),
    "sites": filled(_MJCF, "<site/>", _MJCF_END),
    "frames": filled(_MJCF, "<frame/>", _MJCF_END),
    "joints": filled(_MJCF + '<body><geom size="1"/>', "<joint/>", "</body>" + _MJCF_END),
    "defaults": filled("<mujoco><default>", '<default class="c%d"/>', "</default></mujoco>"),
    "motors": filled(
        "<mujoco><worldbody>" + '<body><joint name="j"/><geom size="1"/></body>' + "</worldbody><actuator>",
        '<motor joint="j"/>',
        "</actuator></mujoco>",
    ),
    "exclusions": filled("<mujoco><contact>", '<exclude body1="world" body2="world"/>', "</contact></mujoco>"),
    "numbers": filled("<mujoco><custom>", '<numeric name="n%d" data="1"/>', "</custom></mujoco>"),
    "replicates": lambda size: (
        _MJCF + '<replicate count="300">' * 3 + _BODY + "</replicate>" * 3 + _MJCF_END
    ).encode(),
    "attributes": filled("<mujoco ", 'a%d="1" ', "/>"),
    "same_attributes": filled("<mujoco ", 'model="1" ', "/>"),
    "children": filled("<mujoco>", "<a/>", "</mujoco>"),
    "comment": filled("<mujoco><!--", "a comment ", "--></mujoco>"),
    "comments": filled("<mujoco>", "<!---->", "</mujoco>"),
    "text": filled("<mujoco>", "text %d ", "</mujoco>"),
    "text_in_pieces": filled("<mujoco>", "a<option/>", "</mujoco>"),
    "vertices": filled('<mujoco><asset><mesh name="m" vertex="', "%d 1 0 ", '"/></asset></mujoco>'),
    "heights": filled(
        '<mujoco><asset><hfield name="h" size="1 1 1 1" nrow="2" ncol="2" elevation="', "1 ", '"/></asset></mujoco>'
    ),
    "long_vector": filled('<mujoco><option gravity="', "1 ", '"/></mujoco>'),
    "long_name": filled('<mujoco><worldbody><body name="', "x", '"/></worldbody></mujoco>'),
    "deep": nested("<mujoco>", "<a>", "</a>", "</mujoco>"),
    "marks": lambda size: b"<" * size,
}

JSON: dict[str, Shape] = {
    "chain": saved(None),
    "star": saved(0),
    "longest_chain": saved(None, MOST),
    "longest_star": saved(0, MOST),
    "mimic": saved(0, MOST, FOLLOWS.replace("#", "1")),
    "chain_of_mimic": saved(None, MOST, FOLLOWS),
    "links_only": filled(HEAD + ', "joints": [], "links": [', "0, ", "0]}"),
    "numbers": filled(HEAD + ', "links": [], "joints": [', "1, ", "0]}"),
    "fields": filled(HEAD + ', "links": [], "joints": []', ', "a%d": 0', "}"),
    "screws": filled(HEAD + ', "links": [{"name": "a", "mass": 1, "com": [', "0, ", "0]}]}"),
    "text": filled('{"format": "', "x", '"}'),
    "long_name": filled(HEAD[:45] + ' "name": "', "x", '"}'),
    "long_number": filled('{"version": ', "1", "}"),
    "deep_lists": lambda size: b"[" * size,
    "deep_objects": nested("", '{"a":', "", ""),
    "blanks": lambda size: b" " * size,
    "zeros": lambda size: bytes(size),
}

SHAPES = {"urdf": URDF, "sdf": SDF, "mjcf": MJCF, "json": JSON}


def huge(format: str, shape: str, megabytes: float) -> tuple[str, bytes, dict[str, Any]]:
    """What the worker judges of a shape."""
    return format, SHAPES[format][shape](int(megabytes * 1e6)), {}
