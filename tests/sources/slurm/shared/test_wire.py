import zlib
from datetime import UTC, datetime

import msgspec
import pytest

from gateway.sources.slurm.polled import Polled
from gateway.sources.slurm.shared.wire import NAMESPACE, Kept, Turn, Typed, pack, unpack

AT = datetime(2026, 11, 29, 12, tzinfo=UTC)
POLLED = Polled(42, [msgspec.Raw(b'{"name": "gpu-01"}'), msgspec.Raw(b'{"name":"gpu-02","n":1e3}')], AT)


def test_an_answer_comes_back_byte_for_byte_with_its_time_and_version():
    found = unpack(Typed().loads(Typed().dumps(pack(POLLED))))

    assert found == POLLED
    assert [bytes(text) for text in found.found] == [b'{"name": "gpu-01"}', b'{"name":"gpu-02","n":1e3}']


def test_what_is_written_is_what_the_version_of_the_namespace_promises():
    turn = Typed().dumps(Turn(poll="a", is_answered=False))
    kept = Typed().dumps(Kept(at=AT, version=42, packed=b"x"))

    assert NAMESPACE == "gpu-gateway:slurm:v1"
    assert msgspec.msgpack.decode(turn) == {"type": "turn", "poll": "a", "is_answered": False}
    assert msgspec.msgpack.decode(kept) == {"type": "answer", "at": AT, "version": 42, "packed": b"x"}


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"garbage",
        zlib.compress(b"{}"),
        zlib.compress(b'[{"name": "gpu-01"'),
        zlib.compress(b'[{"name": "gpu-01"}]')[:-6],
        zlib.compress(b"[" * 100_000),
    ],
)
def test_what_was_not_packed_by_us_is_no_answer(packed: bytes):
    assert unpack(Kept(at=AT, version=42, packed=packed)) is None


def test_a_bomb_is_not_unfolded_beyond_what_any_answer_may_have():
    packing = zlib.compressobj(1)
    bomb = b"".join(
        [packing.compress(b"[" + b" " * 2**20), *(packing.compress(b" " * 2**20) for _ in range(257))]
    )

    assert unpack(Kept(at=AT, version=42, packed=bomb + packing.compress(b"]") + packing.flush())) is None
