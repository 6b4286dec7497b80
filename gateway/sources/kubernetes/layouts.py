"""Reads the layouts of a MIG manager: the text that stands in its ConfigMap."""

from collections.abc import Mapping

import msgspec

from gateway.errors import System
from gateway.fleet.layouts import LayoutRule
from gateway.fleet.unknown import Unknown, undetermined

LAYOUTS_KEY = "config.yaml"
_NVIDIA = "10DE"


class _Rule(msgspec.Struct):
    devices: str | list[int]
    boards: str | list[str] | None = msgspec.field(name="device-filter", default=None)
    enabled: bool = msgspec.field(name="mig-enabled", default=False)
    slices: dict[str, int] | None = msgspec.field(name="mig-devices", default=None)


class _Document(msgspec.Struct):
    layouts: dict[str, list[_Rule]] = msgspec.field(name="mig-configs")


def read_layouts(text: str, where: str) -> Mapping[str, tuple[LayoutRule, ...]] | Unknown:
    """Read a configuration; one that the MIG manager could not read either says nothing."""
    try:
        document = msgspec.yaml.decode(text, type=_Document)
        return {name: tuple(map(_rule, rules)) for name, rules in document.layouts.items()}
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        return undetermined(System.KUBERNETES, f"{where} holds no MIG layouts: {error}")


def _rule(raw: _Rule) -> LayoutRule:
    boards = [raw.boards] if isinstance(raw.boards, str) else raw.boards or []
    return LayoutRule(
        boards=tuple(_board(text) for text in boards),
        devices=_devices(raw.devices),
        slices=(raw.slices or {}) if raw.enabled else {},
    )


def _board(text: str) -> str:
    """Read the id of a board: 0x20B210DE has the vendor behind it."""
    return text.upper().removeprefix("0X").removesuffix(_NVIDIA)


def _devices(raw: str | list[int]) -> tuple[int, ...] | None:
    if isinstance(raw, list):
        return tuple(raw)
    if raw != "all":
        raise ValueError(f"devices {raw!r}: neither all nor a list")
    return None
