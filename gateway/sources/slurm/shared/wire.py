"""What stands in the cache: whose turn it is, and the newest answer; other releases of us read it too."""

import zlib
from datetime import datetime

import msgspec

from gateway.sources.slurm.api import MOST_BYTES
from gateway.sources.slurm.polled import Polled

NAMESPACE = "gpu-gateway:slurm:v1"
"""Its version changes with the shape or the meaning of anything below."""
_FASTEST = 1


class Turn(msgspec.Struct, frozen=True, tag="turn"):
    """One poll of a Slurm, and how far it is; nobody else polls while this stands there."""

    poll: str
    """Which poll; no other has this name."""
    is_answered: bool


class Kept(msgspec.Struct, frozen=True, tag="answer"):
    """An answer as Slurm wrote it, so that each replica reads it with its own code."""

    at: datetime
    version: int
    packed: bytes
    """The list, compressed to about a tenth: 5,000 jobs are 1 MB."""


class Typed:
    """The serializer: nothing but these two is written or read."""

    encoding = None
    """Bytes stay bytes."""

    def __init__(self) -> None:
        self._decoder = msgspec.msgpack.Decoder(Turn | Kept)

    def dumps(self, value: Turn | Kept) -> bytes:
        """Write a value; the same one always comes to the same bytes."""
        return msgspec.msgpack.encode(value)

    def loads(self, value: bytes | None) -> Turn | Kept | None:
        """Read a value; MsgspecError where it is neither."""
        return None if value is None else self._decoder.decode(value)


def pack(polled: Polled) -> Kept:
    """An answer as it is kept."""
    packed = zlib.compress(msgspec.json.encode(polled.found), _FASTEST)
    return Kept(at=polled.at, version=polled.version, packed=packed)


def unpack(kept: Kept) -> Polled | None:
    """The answer; None where that is not what was kept."""
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(kept.packed, MOST_BYTES)
        found = msgspec.json.decode(text, type=list[msgspec.Raw])
    except (zlib.error, msgspec.MsgspecError, RecursionError):
        return None
    return Polled(kept.version, found, kept.at)
