from gateway.fleet.layout_text import layout_name, layout_text, layouts_document
from gateway.fleet.layouts import LayoutRule
from gateway.sources.kubernetes.layouts import read_layouts

CUTS = ({"1g.10gb": 2, "3g.40gb": 1}, {}, {"3g.40gb": 1, "1g.10gb": 2}, {"1g.10gb+me": 1})


def test_cards_that_are_cut_alike_are_one_rule():
    assert (
        layout_text(CUTS)
        == """\
- devices:
  - 0
  - 2
  mig-enabled: true
  mig-devices:
    1g.10gb: 2
    3g.40gb: 1
- devices:
  - 1
  mig-enabled: false
- devices:
  - 3
  mig-enabled: true
  mig-devices:
    1g.10gb+me: 1
"""
    )


def test_one_rule_is_for_all_cards():
    assert layout_text([{}, {}]) == "- devices: all\n  mig-enabled: false\n"


def test_a_configuration_is_named_by_its_content():
    name = layout_name(layout_text([{"1g.10gb": 7}]))
    assert name == "gw-ca7e11fabde2"
    assert name != layout_name(layout_text([{"1g.10gb": 6}]))


def test_what_is_written_is_read_back_as_the_same_rules():
    document = layouts_document({"gw-2": layout_text(CUTS), "gw-1": layout_text([{"7g.80gb": 1}])})
    assert document.startswith("version: v1\nmig-configs:\n  gw-1:\n")
    assert read_layouts(document, "ours") == {
        "gw-1": (LayoutRule(boards=(), devices=None, slices={"7g.80gb": 1}),),
        "gw-2": (
            LayoutRule(boards=(), devices=(0, 2), slices={"1g.10gb": 2, "3g.40gb": 1}),
            LayoutRule(boards=(), devices=(1,), slices={}),
            LayoutRule(boards=(), devices=(3,), slices={"1g.10gb+me": 1}),
        ),
    }


def test_a_file_without_layouts_is_one_that_can_be_read():
    assert read_layouts(layouts_document({}), "ours") == {}
