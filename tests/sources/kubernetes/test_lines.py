import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.sources.kubernetes.lines import CutLine, Lines, LongLine


@given(st.lists(st.binary(min_size=1, max_size=9).filter(lambda line: b"\n" not in line)), st.data())
def test_lines_come_out_whole_however_they_are_chunked(written, data):
    stream = b"".join(line + b"\n" for line in written)
    cuts = sorted(data.draw(st.lists(st.integers(min_value=0, max_value=len(stream)))))
    lines, read = Lines(100), []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        read += lines.feed(stream[start:end])
    lines.end()
    assert read == written


def test_blank_lines_are_left_out():
    assert list(Lines(10).feed(b"a\n\nb\n")) == [b"a", b"b"]


def test_an_end_within_a_line_is_a_cut():
    lines = Lines(10)
    assert list(lines.feed(b"a\nbc")) == [b"a"]
    with pytest.raises(CutLine, match="after 2 bytes"):
        lines.end()


@pytest.mark.parametrize("chunk", [b"a\n" + b"x" * 11 + b"\n", b"a\n" + b"x" * 11])
def test_a_line_that_is_too_long_is_told_as_soon_as_it_is_seen(chunk):
    read = []
    with pytest.raises(LongLine, match="over 10 bytes"):
        read.extend(Lines(10).feed(chunk))
