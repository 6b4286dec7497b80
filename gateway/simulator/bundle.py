"""Bundles: a fleet in a directory, as dumps of kubectl and slurmrestd.

kubernetes/ and slurm/ hold the dumps, a folder inside them a further cluster; bundle.yaml and platform.yaml
are optional. What cannot be read is a problem beside the rest. What was never recorded is never empty: the
cluster, the kind or the Slurm answers as one that cannot be reached.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from gateway.simulator.bundle_file import BundleError, BundleFile, read_bundle_file, rfc3339
from gateway.simulator.documents import Problem, text_of
from gateway.simulator.kinds import NODES, PODS
from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.kubernetes_faults import KubernetesFault
from gateway.simulator.recorded_answers import RecordedAnswers
from gateway.simulator.recorded_objects import SUFFIXES, RecordedObjects
from gateway.simulator.slurmrestd import Recorded, Slurmrestd
from gateway.simulator.world import SimulatedSlurm, World

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")


class NothingReadError(BundleError):
    """Nothing in the directory could be read."""


def load_bundle(directory: Path) -> World:
    """The world that the directory describes."""
    if not directory.is_dir():
        raise BundleError(
            f"{directory}: is not a directory: give the directory that holds kubernetes/ and slurm/"
        )
    said = read_bundle_file(directory)
    dumps = {
        name: _objects(directory, files) for name, files in _folders(directory / "kubernetes", said.cluster)
    }
    slurms = {name: _answers(directory, files) for name, files in _folders(directory / "slurm", "slurm")}
    problems = [problem for dump in dumps.values() for problem in dump.problems]
    problems += [problem for dump in slurms.values() for problem in dump.problems]
    platform_file = directory / "platform.yaml"
    read = [dump.kinds for dump in dumps.values()] + [len(dump.bodies) for dump in slurms.values()]
    if not any(read) and not platform_file.exists():
        raise NothingReadError(_nothing(directory, problems))
    clusters = {name: _cluster(dump, said) for name, dump in dumps.items()} or {said.cluster: _silent(said)}
    return World(
        clusters=clusters,
        slurms={name: _slurm(name, dump, list(clusters)) for name, dump in slurms.items()},
        platform_file=platform_file if platform_file.exists() else None,
        now=said.captured_at or _newest_time(directory),
        problems=tuple(problems),
    )


def _folders(directory: Path, name: str) -> Iterator[tuple[str, list[Path]]]:
    """The files that stand in the directory, under the name given, and those of each folder under its own."""
    if not directory.is_dir():
        return
    inside = sorted(directory.iterdir())
    folders = [folder for folder in inside if folder.is_dir()]
    files = [file for file in inside if file.is_file() and file.suffix in SUFFIXES]
    if files or not folders:
        yield name, files
    for folder in folders:
        yield folder.name, sorted(file for file in folder.iterdir() if file.suffix in SUFFIXES)


def _objects(root: Path, files: list[Path]) -> RecordedObjects:
    dump = RecordedObjects(root=root)
    for file in files:
        dump.read(file)
    return dump


def _answers(root: Path, files: list[Path]) -> RecordedAnswers:
    dump = RecordedAnswers(root=root)
    for file in files:
        if file.suffix == ".json":
            dump.read(file)
    return dump


def _cluster(dump: RecordedObjects, said: BundleFile) -> KubernetesApi:
    api = KubernetesApi(dump.store, version=said.kubernetes_version)
    for resource in (NODES, PODS):
        if dump.store.collection(resource.api_version, resource.plural) is None:
            api.faults[resource.plural] = KubernetesFault.UNAVAILABLE
    return api


def _silent(said: BundleFile) -> KubernetesApi:
    api = KubernetesApi(version=said.kubernetes_version)
    api.fault = KubernetesFault.UNAVAILABLE
    return api


def _slurm(name: str, dump: RecordedAnswers, clusters: list[str]) -> SimulatedSlurm:
    api = Slurmrestd(Recorded(dump.bodies))
    return SimulatedSlurm(api=api, cluster=name if name in clusters else clusters[0])


def _newest_time(directory: Path) -> datetime | None:
    """The newest time that any dump mentions; where none does, when the newest of them was written."""
    files = [
        file for part in ("kubernetes", "slurm") for file in (directory / part).rglob("*") if file.is_file()
    ]
    moments = [moment for file in files for moment in _times(file)]
    written = [datetime.fromtimestamp(file.stat().st_mtime, UTC) for file in files]
    return max(moments or written, default=None)


def _times(file: Path) -> Iterator[datetime]:
    try:
        text = text_of(file)
    except (OSError, UnicodeDecodeError):
        return
    for found in set(_TIME.findall(text)):
        moment = rfc3339(found)
        if moment is not None:
            yield moment


def _nothing(directory: Path, problems: list[Problem]) -> str:
    fix = "put what `kubectl get nodes -o json` prints into kubernetes/nodes.json"
    return "\n".join([f"{directory}: nothing could be read: {fix}", *map(str, problems)])
