"""Cards that HAMi or Volcano splits into virtual GPUs, told by what these register of each card."""

import msgspec

from gateway.errors import System
from gateway.fleet.gpu import CardsBasis
from gateway.fleet.node import KubernetesNode
from gateway.fleet.offer import amount_of
from gateway.fleet.quantity import Quantity, whole_number
from gateway.fleet.unknown import Maybe, Unknown, undetermined

_CORES = "volcano.sh/vgpu-cores"
_CORES_OF_CARD = 100
_MOST_CARDS = 1_024
_FIELDS = 6
"""At the least in an entry: id, shares, memory, cores, type, NUMA node."""


def virtual_cards(node: KubernetesNode) -> tuple[int, CardsBasis] | Unknown:
    """Count the cards that are split, and name the rule that told it."""
    by_cores, by_entries = _by_cores(node), _registered(node.hami_register)
    if isinstance(by_cores, int):
        return by_cores, CardsBasis.VGPU_CORES
    if isinstance(by_entries, int):
        return by_entries, CardsBasis.HAMI_ANNOTATION
    nothing = "its cards are split into virtual GPUs, and neither cores nor an annotation tell the cards"
    return by_cores or by_entries or undetermined(System.KUBERNETES, nothing)


def _by_cores(node: KubernetesNode) -> Maybe[int]:
    amount = amount_of(node, _CORES)
    cores = whole_number(amount, System.KUBERNETES) if isinstance(amount, Quantity) else amount
    if not isinstance(cores, int) or cores == 0:
        return cores or None
    if cores % _CORES_OF_CARD or not 0 < cores <= _CORES_OF_CARD * _MOST_CARDS:
        said = f"{cores} of {_CORES} are no number of cards of {_CORES_OF_CARD} each"
        return undetermined(System.KUBERNETES, said)
    return cores // _CORES_OF_CARD


class _Card(msgspec.Struct):
    id: str


def _registered(text: str | None) -> Maybe[int]:
    """Count the entries of HAMi's annotation: JSON, or commas and colons (before 2.6)."""
    if not text:
        return None
    try:
        ids = _ids_in_json(text) if text.startswith("[") else _ids(text)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return undetermined(System.KUBERNETES, f"HAMi's annotation cannot be read: {error}")
    if not all(ids) or len(set(ids)) != len(ids):
        return undetermined(System.KUBERNETES, "HAMi's annotation names a card twice, or none")
    return len(ids) or None


def _ids_in_json(text: str) -> list[str]:
    return [card.id for card in msgspec.json.decode(text, type=list[_Card])]


def _ids(text: str) -> list[str]:
    entries = [entry.split(",") for entry in text.strip().split(":") if entry]
    if any(len(fields) < _FIELDS for fields in entries):
        raise ValueError(f"an entry has fewer than {_FIELDS} parts")
    return [fields[0] for fields in entries]
