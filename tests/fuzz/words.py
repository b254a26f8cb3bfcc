"""What is put into damaged files: pieces of XML, values, texts and elements of each format, and odd numbers."""

NUMBERS = [
    b"0", b"-0.0", b"1", b"-1", b"1e-320", b"5e-324", b"1e-200", b"1e154", b"1e200", b"1e308", b"-1e308", b"1.8e308",
    b"1e999", b"-1e999", b"nan", b"-nan", b"inf", b"-inf", b"Infinity", b"1e16", b"0x10", b"1_0", b"1,5", b"1e", b".",
    b"+.5e+3", b"00", b"-", b"1e400 ", b"99999999", b"2147483648", b"-2147483649", b"9223372036854775808", b"1" * 400,
    b"0." + b"3" * 3000, b"1e" + b"9" * 30, b"\xef\xbc\x91", b"", b" ", b"true", b"null",
]  # fmt: skip

URDF_TOKENS = [
    b"<", b">", b'"', b"/>", b"&", b"\0", b"\xff", b"\xef\xbb\xbf", b"<!DOCTYPE a>", b"<!--", b"]]>", b"<robot>",
    b"</robot>", b"<link/>", b'<joint name="j"/>', b"<inertial>", b"${x}", b"<a>" * 70, b"\xd8\x00",
]  # fmt: skip
URDF_VALUES = [
    b"", b"0", b"-1", b"1e308", b"1e-320", b"1e999", b"nan", b"0 0 0", b"1e200 1e200 1e200", b"3 3", b"world", b"base",
    b"planar", b"floating", b"continuous", b"prismatic", b"fixed", b"ball", b"utf-16", b"cp037", b"${x}", b"&#48;",
]  # fmt: skip
URDF_PARTS = [
    b'<link name="new"/>', b'<mimic joint="elbow"/>', b'<axis xyz="0 0 0"/>', b'<limit lower="1" upper="-1"/>',
    b'<joint name="new" type="fixed"><parent link="base"/><child link="new"/></joint>', b"<inertial/>",
    b'<inertial><mass value="1e-300"/><inertia ixx="1e300" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>',
    b'<dynamics damping="-1" friction="1e308"/>', b"<gazebo/>", b'<origin rpy="1e308 1e308 1e308" xyz="1e308 0 0"/>',
]  # fmt: skip

SDF_WORDS = [
    b"", b"0", b"-1", b"1", b"1e16", b"inf", b"-inf", b"nan", b"1e308", b"1e-320", b"1e999", b"true", b"0 0 0",
    b"1 0 0", b"0 0 0 0 0 0", b"1e59 1e59 1e59 0 0 1e59", b"0 0 0 0 0 0 1", b"world", b"base", b"hull", b"arm",
    b"arm::inner", b"arm::inner::fore", b"inner", b"elbow", b"shoulder", b"tip", b"port", b"__model__", b"__root__",
    b"::", b"arm::", b"near", b"middle", b"far", b"round",
]  # fmt: skip
SDF_VALUES = [
    *SDF_WORDS, b"fixed", b"ball", b"universal", b"revolute2", b"screw", b"gearbox", b"prismatic", b"continuous",
    b"1.4", b"1.6", b"1.7", b"1.11", b"quat_xyzw", b"euler_rpy", b"${x}",
]  # fmt: skip
SDF_PARTS = [
    b"<static>true</static>", b'<link name="new"/>', b'<frame name="new" attached_to="tip"/>', b"<pose/>",
    b"<inertial/>", b'<pose relative_to="shoulder">1 0 0 0 0 0</pose>', b'<model name="new"><link name="l"/></model>',
    b"<axis/>", b"<axis2><xyz>0 1 0</xyz></axis2>", b"<include/>", b'<mimic joint="shoulder"/>',
    b"<thread_pitch>3</thread_pitch>",
    b'<joint name="new" type="fixed"><parent>world</parent><child>base</child></joint>', b"<gravity>false</gravity>",
]  # fmt: skip

MJCF_TOKENS = [
    b"<", b">", b'"', b"/>", b"&", b"\0", b"\xff", b"<!--", b"<body>", b"</body>", b"<joint/>", b"<freejoint/>",
    b'<geom size="1"/>', b'<include file="x.xml"/>', b"<default>", b"<body>" * 600, b"<frame>",
]  # fmt: skip
MJCF_VALUES = [
    b"", b"0", b"-1", b"1e308", b"1e-320", b"1e999", b"nan", b"inf", b"0 0 0", b"1e200 1e200 1e200", b"1 2 3 4 5 6 7",
    b"world", b"free", b"ball", b"slide", b"true", b"auto", b"x", b"99999999", b"\xc3\xa9",
]  # fmt: skip
MJCF_PARTS = [
    b'<replicate count="9"><body><geom size="1"/></body></replicate>', b'<replicate count="99999999"/>',
    b'<replicate count="30000"><replicate count="30000"><body><geom size="1"/></body></replicate></replicate>',
    b'<composite type="cable" count="99999 1 1" size="1"><geom size=".1"/></composite>',
    b'<flexcomp name="f" type="grid" count="9999 9999 9" spacing="1 1 1"/>', b'<joint type="ball"/>', b"<freejoint/>",
    b'<size nuserdata="2000000000"/>', b'<size nkey="2000000000"/>', b'<size memory="9999P"/>', b"<frame/>",
    b'<custom><numeric name="n" size="2000000000"/></custom>', b'<inertial mass="1" pos="0 0 0" diaginertia="1 1 9"/>',
    b'<asset><texture name="t" type="2d" builtin="flat" width="99999" height="99999"/></asset>',
    b'<asset><hfield name="h" nrow="99999" ncol="99999" size="1 1 1 1"/></asset>', b'<include file="x.xml"/>',
    b'<asset><mesh name="m" builtin="sphere" params="30"/></asset>', b'<compiler autolimits="false" angle="radian"/>',
    b'<actuator><motor joint="a"/></actuator>', b'<default class="new"/>', b'<attach model="m" prefix="p"/>',
]  # fmt: skip

JSON_TOKENS = [
    b"{", b"}", b"[", b"]", b'"', b",", b":", b"NaN", b"Infinity", b"1e999", b"\0", b"\xff", b"\xef\xbb\xbf", b"[" * 99,
    b"[" * 100000, b'{"a":' * 100000, b"\\ud800", b"null", b"true",
]  # fmt: skip
JSON_VALUES = [
    None, True, False, 0.0, -0.0, -1.0, 1e-320, 1e200, 1e308, -1e308, 10**400, "inf", "-inf", "nan", "", "\ud800", "\0",
    [], {}, [1.0, 0.0, 0.0], [0.0] * 3, [[1.0, 0.0, 0.0]] * 3, [[0.0] * 3] * 3, [[0.0] * 6] * 7, [1e308] * 3,
    "floating", "fixed", "revolute", "composite", "planar", "helical",
    {"joint": "joint_1", "multiplier": 1e308, "offset": -1e308},
    {"inertia": 1e308, "ratio": 1e308, "gyroscopic": True, "axis": None},
]  # fmt: skip
