"""Attributes change at their places, whatever stands around them."""

import pytest

from featherstone.parsers.edits import Edits, declared_encoding
from featherstone.parsers.errors import ParseError
from featherstone.parsers.sources import open_source
from featherstone.parsers.xml import parse_xml


def edited(source, *changes):
    opened = open_source(source)
    root = parse_xml(opened)
    edits = Edits(opened)
    for child, attribute, text in changes:
        edits.value(root.children[child], attribute, text)
    return edits.data()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<a><b x='1'/></a>", "<a><b x='22'/></a>"),
        ('<a><b x="1"/></a>', '<a><b x="22"/></a>'),
        ('<a><b\n\ty=\'x="1" > /\'\r\n x\t=\n"1" z="&lt;">t</b></a>',) * 2,
        ("<a><!-- <b x='1'/> --><?b x='1'?><![CDATA[<b x='1'/>]]><b xx='1' x='1'/></a>",) * 2,
        ("<p:a xmlns:p='u'><p:b p:x='3' x='1'/></p:a>",) * 2,
        ("\ufeff \n<a>é<b x='1'/>é</a>",) * 2,
        ("<a><b-c.d x='1'></b-c.d></a>",) * 2,
    ],
)
@pytest.mark.parametrize("as_bytes", [False, True])
def test_one_value_changes_and_nothing_else(before, after, as_bytes):
    if before == after:  # only the last x='1' is the attribute
        at = max(before.rfind("'1'"), before.rfind('"1"'))
        after = before[: at + 1] + "22" + before[at + 2 :]
    source = before.encode() if as_bytes else before
    expected = after if as_bytes else after.lstrip("\ufeff")
    assert edited(source, (0, "x", "22")) == expected.encode()


def test_several_changes_of_other_lengths():
    source = "<a><b x='1' y='22'/><c x=''/></a>"
    expected = b"<a><b x='333' y=''/><c x='4'/></a>"
    assert edited(source, (1, "x", "4"), (0, "x", "333"), (0, "y", "")) == expected
    assert edited(source) == source.encode()


def test_a_name_changes():
    opened = open_source("<a><b x='1'  xx = '2'/></a>")
    edits = Edits(opened)
    edits.name(parse_xml(opened).children[0], "xx", "y")
    assert edits.data() == b"<a><b x='1'  y = '2'/></a>"


@pytest.mark.parametrize("encoding", ["windows-1251", "koi8-r", "iso-8859-5"])
def test_encodings_of_one_byte_a_character(encoding):
    text = f"<?xml version='1.0' encoding='{encoding}'?><a>\u0416<b n='\u0416' x='1'/></a>"
    assert edited(text.encode(encoding), (0, "x", "2")) == text.replace("x='1'", "x='2'").encode(encoding)
    assert edited(text, (0, "x", "2")) == text.replace("x='1'", "x='2'").encode(encoding)


def test_other_encodings_are_refused():
    for encoding in ("utf-16", "utf-16-be", "euc-jp", "big5"):
        text = f"<?xml version='1.0' encoding='{encoding}'?><a/>"
        with pytest.raises(ParseError, match="save it as UTF-8") as raised:
            edited(text.encode(encoding))
        assert raised.value.line == 1


def test_the_declared_encoding():
    assert declared_encoding(b"<a/>") == "utf-8"
    assert declared_encoding(b"\xef\xbb\xbf\n<?xml version='1.0' encoding = \"ISO_8859-1\"?><a/>") == "iso-8859-1"
    assert declared_encoding(b"<?xml version='1.0'?><a encoding='x'/>") == "utf-8"
