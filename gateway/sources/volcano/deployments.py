"""Reads Deployments of Volcano's scheduler: which image runs, and where its configuration stands."""

from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec

_FLAG = "--scheduler-conf"


class Installed(NamedTuple):
    """A scheduler as its Deployment installs it."""

    namespace: str
    name: str
    image: str
    config_file: str | None
    """The key of its configuration in the ConfigMap; None: it is given none."""
    config_map: str | None
    """The ConfigMap in its namespace; None: the configuration comes from elsewhere."""

    def __str__(self) -> str:
        """The Deployment as people name it."""
        return f"Deployment {self.namespace}/{self.name}"


class _Metadata(msgspec.Struct):
    name: str
    namespace: str


class _Mount(msgspec.Struct):
    volume: str = msgspec.field(name="name")
    path: str = msgspec.field(name="mountPath")


class _Container(msgspec.Struct):
    image: str = ""
    command: list[str] | None = None
    args: list[str] | None = None
    mounts: list[_Mount] | None = msgspec.field(name="volumeMounts", default=None)


class _Source(msgspec.Struct):
    name: str = ""


class _Volume(msgspec.Struct):
    name: str
    config_map: _Source | None = msgspec.field(name="configMap", default=None)


class _PodSpec(msgspec.Struct):
    containers: list[_Container]
    volumes: list[_Volume] | None = None


class _Template(msgspec.Struct):
    spec: _PodSpec


class _Spec(msgspec.Struct):
    template: _Template


class _Deployment(msgspec.Struct):
    metadata: _Metadata
    spec: _Spec


class _Deployments(msgspec.Struct):
    items: list[_Deployment]


def read_deployments(body: bytes) -> list[Installed]:
    """Read a list of Deployments; raises where one of them cannot be read."""
    return [_installed(one) for one in msgspec.json.decode(body, type=_Deployments).items]


def _installed(deployment: _Deployment) -> Installed:
    spec = deployment.spec.template.spec
    containers = [(container, _config_path(container)) for container in spec.containers]
    plain = spec.containers[0] if spec.containers else _Container()
    container, path = next(((one, path) for one, path in containers if path), (plain, None))
    return Installed(
        namespace=deployment.metadata.namespace,
        name=deployment.metadata.name,
        image=container.image,
        config_file=path.name if path else None,
        config_map=_config_map(spec, container, str(path.parent)) if path else None,
    )


def _config_path(container: _Container) -> PurePosixPath | None:
    """Where the scheduler finds its configuration: --scheduler-conf=PATH, or --scheduler-conf PATH."""
    words = [*(container.command or ()), *(container.args or ())]
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, _, value = word.partition("=")
        if name == _FLAG and (value or following):
            return PurePosixPath(value or following)
    return None


def _config_map(spec: _PodSpec, container: _Container, directory: str) -> str | None:
    mounted = {mount.volume for mount in container.mounts or () if mount.path.rstrip("/") == directory}
    maps = (volume.config_map for volume in spec.volumes or () if volume.name in mounted)
    return next((source.name for source in maps if source is not None), None)
