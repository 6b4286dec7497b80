import pytest

from gateway.simulator.documents import Document, Unreadable, documents


@pytest.fixture
def read(tmp_path):
    """The documents of a file of that name and content."""

    def read_file(name, content):
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return list(documents(file))

    return read_file


def test_a_time_in_yaml_stays_the_text_that_it_is(read):
    [document] = read("a.yaml", "at: 2026-11-29T19:10:08Z\nday: 2026-11-29\n")

    assert document.value == {"at": "2026-11-29T19:10:08Z", "day": "2026-11-29"}


def test_a_document_says_its_line_where_it_is_not_the_first(read):
    assert [document.path for document in read("a.yaml", "a: 1\n---\nb: 2\n")] == ["", "line 2"]
    assert [document.path for document in read("a.json", '{"a": 1}\n\n{"b": 2}')] == ["", "line 3"]


def test_a_dash_inside_of_a_text_separates_nothing(read):
    [document] = read("a.yaml", "text: |\n  ---\n  ----\n")

    assert document.value == {"text": "---\n----\n"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_unicode_of_other_shells_is_read_too(read, encoding):
    assert read("a.json", '{"name": "größe"}'.encode(encoding)) == [
        Document(path="", value={"name": "größe"})
    ]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.json", "", "is empty"),
        ("a.json", "{} trailing", "is not JSON"),
        ("a.json", "[" * 100_000, "is nested too deeply"),
        ("a.json", b'{"name": "\xff\xfe"}', "cannot be read"),
        ("a.yaml", "a: [\n", "is not YAML"),
        ("a.yaml", "a: !!binary aGk=\n", "is not YAML that JSON can say"),
        ("a.yaml", "a: !!python/name:os.system\n", "is not YAML"),
    ],
)
def test_what_cannot_be_read_is_said_and_not_raised(read, name, content, problem):
    last = read(name, content)[-1]

    assert isinstance(last, Unreadable)
    assert last.problem.startswith(problem)
