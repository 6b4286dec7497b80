"""Reads a pod's template: what it mounts and is told, and what it has that Pod Security may forbid."""

from collections.abc import Iterator

import msgspec

_NULL = msgspec.Raw(b"null")


class _Capabilities(msgspec.Struct):
    add: list[str] | None = None


class _SecurityContext(msgspec.Struct):
    privileged: bool | None = None
    capabilities: _Capabilities | None = None


class _Mount(msgspec.Struct):
    name: str
    path: str = msgspec.field(name="mountPath", default="")


class _Variable(msgspec.Struct):
    name: str
    value: str | None = None


class _Container(msgspec.Struct):
    security: _SecurityContext | None = msgspec.field(name="securityContext", default=None)
    mounts: list[_Mount] | None = msgspec.field(name="volumeMounts", default=None)
    env: list[_Variable] | None = None


class _Source(msgspec.Struct):
    name: str = ""


class _HostPath(msgspec.Struct):
    path: str = ""


class _Volume(msgspec.Struct):
    name: str
    config_map: _Source | None = msgspec.field(name="configMap", default=None)
    host_path: _HostPath | None = msgspec.field(name="hostPath", default=None)


class RawTemplate(msgspec.Struct):
    """A pod's spec as far as it says what it mounts, and which rights it takes."""

    containers: list[_Container] | None = None
    init: list[_Container] | None = msgspec.field(name="initContainers", default=None)
    volumes: list[_Volume] | None = None
    runtime_class: str | None = msgspec.field(name="runtimeClassName", default=None)
    node_selector: dict[str, str] | None = msgspec.field(name="nodeSelector", default=None)
    tolerations: msgspec.Raw = _NULL
    affinity: msgspec.Raw = _NULL
    host_network: bool | None = msgspec.field(name="hostNetwork", default=None)
    host_pid: bool | None = msgspec.field(name="hostPID", default=None)
    host_ipc: bool | None = msgspec.field(name="hostIPC", default=None)

    @property
    def every_container(self) -> list[_Container]:
        """Init containers, and those that stay."""
        return [*(self.init or ()), *(self.containers or ())]


_BASELINE = frozenset(
    {
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    }
)
"""Capabilities that the level baseline lets a container add (Kubernetes 1.36)."""


def privileges(spec: RawTemplate) -> tuple[str, ...]:
    """What of a pod the level baseline forbids, in words."""
    return tuple(_privileges(spec))


def _privileges(spec: RawTemplate) -> Iterator[str]:
    told = [one.security for one in spec.every_container if one.security]
    if any(one.privileged for one in told):
        yield "a privileged container"
    added = {name for one in told if one.capabilities for name in one.capabilities.add or ()}
    if more := sorted(added - _BASELINE):
        yield f"the capability {', '.join(more)}"
    if any(volume.host_path is not None for volume in spec.volumes or ()):
        yield "hostPath volumes"
    if spec.host_network or spec.host_pid or spec.host_ipc:
        yield "namespaces of the host"
