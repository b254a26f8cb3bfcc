"""The tree of elements, apart from any format."""

import pytest

from featherstone.parsers.errors import ParseError
from featherstone.parsers.sources import open_source
from featherstone.parsers.xml import MAX_DEPTH, parse_xml


def parse(text):
    return parse_xml(open_source(text))


def test_elements_know_tag_attributes_text_children_and_line():
    root = parse("<a x='1'>one\n  <b/>two<c>&lt;&#65;</c>\n</a>")
    assert (root.tag, root.attributes, root.line) == ("a", {"x": "1"}, 1)
    assert root.text == "one\n  two\n"
    assert [(x.tag, x.text, x.line) for x in root.children] == [("b", "", 2), ("c", "<A", 2)]


def test_the_line_is_that_of_the_start_tag():
    root = parse("<a\n x='1'\n>\n\n<b\n/></a>")
    assert (root.line, root.children[0].line) == (1, 5)


def test_comments_instructions_and_cdata():
    root = parse("<!-- x --><a><?go now?><!-- <b/> --><![CDATA[<c/>]]></a><!-- y -->")
    assert root.children == []
    assert root.text == "<c/>"


def test_the_roots_prefix_is_dropped_and_others_are_kept():
    root = parse("<u:a xmlns:u='x'><u:b/><c/><v:d/></u:a>")
    assert [root.tag] + [x.tag for x in root.children] == ["a", "b", "c", "v:d"]
    assert parse("<a><u:b/></a>").children[0].tag == "u:b"


def test_depth_is_limited_at_its_number():
    assert parse("<a>" * MAX_DEPTH + "</a>" * MAX_DEPTH).tag == "a"
    with pytest.raises(ParseError, match="nested at most 64 deep"):
        parse("<a>" * (MAX_DEPTH + 1) + "</a>" * (MAX_DEPTH + 1))


def test_text_in_many_pieces_is_joined():
    pieces = 20_000
    root = parse("<a>" + "x<b/>" * pieces + "</a>")
    assert root.text == "x" * pieces
    assert len(root.children) == pieces


@pytest.mark.parametrize("doctype", ["<!DOCTYPE a>", "<!DOCTYPE a [<!ELEMENT a ANY>]>", "<!DOCTYPE a PUBLIC 'p' 's'>"])
def test_a_document_type_is_refused(doctype):
    with pytest.raises(ParseError, match=r"^<string>:2: expected no <!DOCTYPE>"):
        parse(f"<?xml version='1.0'?>\n{doctype}<a/>")


@pytest.mark.parametrize(
    "text", ["<a", "<a>", "<a></b>", "<a x=1/>", "<a/><b/>", "<>", "<?xml?>", "<!-- --", "<a>&b;</a>"]
)
def test_what_is_not_well_formed_is_refused(text):
    with pytest.raises(ParseError, match=r"^<string>:1: not well-formed XML: "):
        parse(text)


def test_a_lone_surrogate_is_refused():
    with pytest.raises(ParseError, match=r"^<string>:2: .*surrogate"):
        parse("<a>\n\ud800</a>")
