"""The answers of slurmrestd in a bundle, told apart by what they hold and by the version that they say."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gateway.simulator.documents import Document, Problem, documents, text_of
from gateway.simulator.store import Json

_HOLDS = {
    "nodes": "nodes",
    "jobs": "jobs",
    "partitions": "partitions",
    "pings": "ping",
    "ping": "ping",
    "statistics": "diag",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    file: str
    text: bytes
    entries: int


@dataclass(slots=True, kw_only=True)
class RecordedAnswers:
    """What the files of one Slurm hold."""

    root: Path
    """The bundle's directory: problems name files below it."""
    problems: list[Problem] = field(default_factory=list)
    _answers: dict[tuple[str, str], _Answer] = field(default_factory=dict)

    @property
    def bodies(self) -> dict[tuple[str, str], bytes]:
        """The text of each answer, untouched, by version and what it holds."""
        return {key: answer.text for key, answer in self._answers.items()}

    def read(self, file: Path) -> None:
        """Take in one file."""
        name = file.relative_to(self.root).as_posix()
        found = list(documents(file))
        only = found[-1]
        if not isinstance(only, Document):
            self.problems.append(Problem(file=name, path=only.path, problem=only.problem))
        elif len(found) > 1 or not isinstance(only.value, Mapping):
            self._leave_out(name, "is not one answer of slurmrestd")
        else:
            self._take(name, text_of(file), only.value)

    def _take(self, name: str, text: str, value: Mapping[str, Json]) -> None:
        key = next((key for key in _HOLDS if key in value), None)
        version = _version(value)
        if key is None:
            self._leave_out(name, f"holds none of {', '.join(_HOLDS)}")
        elif version is None:
            self._leave_out(name, "does not say its version in meta.plugin.data_parser, nor openapi/v0.0.NN")
        else:
            answer = _Answer(file=name, text=text.encode(), entries=_entries(value[key]))
            self._prefer((version, _HOLDS[key]), answer)

    def _prefer(self, key: tuple[str, str], answer: _Answer) -> None:
        """Keep the longer of two answers: the shorter is that of a single node or job."""
        known = self._answers.get(key, answer)
        kept, other = (answer, known) if answer.entries > known.entries else (known, answer)
        self._answers[key] = kept
        if kept is not other:
            self._leave_out(other.file, f"is left out: {kept.file} holds the {key[1]} of {key[0]} too")

    def _leave_out(self, file: str, problem: str) -> None:
        self.problems.append(Problem(file=file, path="", problem=problem))


def _entries(held: Json) -> int:
    return len(held) if isinstance(held, list) else 0


def _version(value: Mapping[str, Json]) -> str | None:
    meta = value.get("meta")
    plugin = meta.get("plugin") if isinstance(meta, Mapping) else None
    if not isinstance(plugin, Mapping):
        return None
    # v0.0.37 and v0.0.38 say openapi/v0.0.NN as their type; later ones say openapi/slurmctld there.
    said = str(plugin.get("data_parser") or plugin.get("type") or "").rpartition("/")[2]
    return said if said.startswith("v0.0.") else None
