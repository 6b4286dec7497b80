"""What the gateway relies on in whoever writes changes into the platform's records.

A test class inherits this and gives `writer`: over records in which fleet/gpu-01 serves KUBERNETES for the
tenant vision, nobody holds fleet/gpu-03, and nothing was asked of either. There is a tenant speech, too.
"""

from dataclasses import replace

import pytest

from gateway.fleet.change import AssignNode, Once, Order, PlannedChange, ReleaseNode, SetCordon, Written
from gateway.fleet.history import HistoryAsked, Writer
from gateway.fleet.platform import Target
from gateway.fleet.ports import PlatformWriter
from gateway.fleet.problem import GenerationConflict, ProblemCode

NODE = {"cluster": "fleet", "node": "gpu-01"}
CORDON = SetCordon(**NODE, cordoned=True, reason="a fan is loud")


def an_order(change=CORDON, key=None, fingerprint=b"a" * 32):
    once = Once(key=key, fingerprint=fingerprint) if key else None
    return Order(change=change, actor="ada", once=once)


def asked(node="gpu-01", before=None, limit=10):
    return HistoryAsked(cluster="fleet", node=node, before=before, limit=limit)


class PlatformWriterContract:
    @pytest.fixture
    def writer(self) -> PlatformWriter:
        """Who is held to this."""
        raise NotImplementedError

    async def test_tells_what_changed_and_the_generation_that_it_is_now(self, writer):
        assert await writer.write(an_order()) == Written(
            changes=(
                PlannedChange(field="desired.cordoned", before="false", after="true"),
                PlannedChange(field="desired.cordonReason", before=None, after="a fan is loud"),
            ),
            generation=1,
        )

    async def test_what_is_so_already_changes_nothing_and_its_generation_stays(self, writer):
        await writer.write(an_order())

        assert await writer.write(an_order()) == Written(changes=(), generation=1)

    async def test_a_generation_that_moved_is_told_and_nothing_is_changed(self, writer):
        await writer.write(an_order(replace(CORDON, if_generation=0)))

        problem = await writer.write(an_order(SetCordon(**NODE, cordoned=False, if_generation=0)))

        assert isinstance(problem, GenerationConflict)
        assert (problem.code, problem.current_generation) == (ProblemCode.GENERATION_CONFLICT, 1)
        assert await writer.write(an_order()) == Written(changes=(), generation=1)

    async def test_the_same_key_again_answers_the_same_and_changes_nothing(self, writer):
        assert await writer.repeated(an_order(key="k")) is None
        first = await writer.write(an_order(key="k"))
        await writer.write(an_order(SetCordon(**NODE, cordoned=False)))

        assert await writer.write(an_order(key="k")) == first
        assert await writer.repeated(an_order(key="k")) == first
        assert (await writer.write(an_order())).generation == 3

    async def test_a_key_of_another_input_is_refused(self, writer):
        await writer.write(an_order(key="k"))
        other = an_order(SetCordon(**NODE, cordoned=False), key="k", fingerprint=b"b" * 32)

        assert (await writer.repeated(other)).code is ProblemCode.KEY_REUSED
        assert (await writer.write(other)).code is ProblemCode.KEY_REUSED

    async def test_a_refusal_uses_no_key(self, writer):
        stale = an_order(replace(CORDON, if_generation=7), key="k")
        assert (await writer.write(stale)).code is ProblemCode.GENERATION_CONFLICT

        assert await writer.repeated(stale) is None

    async def test_a_node_is_given_once_and_taken_back(self, writer):
        vision, speech = (
            AssignNode(cluster="fleet", node="gpu-03", tenant=tenant, target=Target.KUBERNETES)
            for tenant in ("vision", "speech")
        )
        assert (await writer.write(an_order(vision))).changes
        assert (await writer.write(an_order(speech))).code is ProblemCode.FOREIGN_OWNER
        assert (await writer.write(an_order(ReleaseNode(cluster="fleet", node="gpu-03")))).changes
        assert (await writer.write(an_order(speech))).changes

    async def test_nothing_is_asked_of_a_node_without_a_record(self, writer):
        problem = await writer.write(an_order(SetCordon(cluster="fleet", node="gpu-99", cordoned=True)))

        assert problem.code is ProblemCode.NO_RECORD

    async def test_history_is_told_newest_first_and_page_by_page(self, writer):
        await writer.write(an_order())
        await writer.write(an_order(SetCordon(**NODE, cordoned=False)))

        (first,) = await writer.history([asked(limit=2)])
        (second,) = await writer.history([asked(before=first.changes[-1].number)])

        told = [
            (one.field, one.before, one.after, one.generation)
            for one in (*first.changes, *second.changes)
            if one.field.startswith("desired.")
        ]
        assert sorted(told[:2]) == [
            ("desired.cordonReason", "a fan is loud", None, 2),
            ("desired.cordoned", "true", "false", 2),
        ]
        assert sorted(told[2:]) == [
            ("desired.cordonReason", None, "a fan is loud", 1),
            ("desired.cordoned", "false", "true", 1),
        ]
        assert first.total == second.total >= 4
        assert {(one.writer, one.actor) for one in first.changes} == {(Writer.API, "ada")}

    async def test_history_of_several_nodes_comes_in_the_order_in_which_it_was_asked(self, writer):
        await writer.write(an_order())

        other, nobodys, this = await writer.history([asked("gpu-03"), asked("gpu-99"), asked()])

        assert (nobodys.changes, nobodys.total) == ((), 0)
        assert all(one.field != "desired.cordoned" for one in other.changes)
        assert {one.field for one in this.changes} >= {"desired.cordoned"}
