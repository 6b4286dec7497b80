"""What the reconciler may rely on, whoever keeps the records."""

from abc import ABC, abstractmethod
from dataclasses import replace

from gateway.fleet.desired import BlockCause, Blocker, MigLayout, ReconcilePhase
from gateway.fleet.placement.offer import Offer
from gateway.fleet.platform import Target
from gateway.fleet.wish import Claim, Progress
from tests.builders import CLUSTER, NOON

CONTROLLER = "node-reconciler/fleet"
BEGUN = Progress(
    began_at=NOON,
    config="all-1g.10gb",
    expected=Offer(resources={"nvidia.com/mig-1g.10gb": 14}, profile=None),
    refusals={"label": 2},
)


class NodeLedgerContract:
    """A subclass has fixtures `ledger`, and `asks`, who asks things of gpu-01, which serves Kubernetes."""

    async def test_what_was_asked_is_a_wish_with_a_generation_of_its_own(self, ledger, asks):
        await asks.layout("all-1g.10gb", uid="uid-1", acknowledged=["pod-1"])
        wish = await the_wish(ledger)
        assert (wish.target, wish.observed, wish.progress) == (Target.KUBERNETES, None, Progress())
        assert wish.desired.mig_layout == MigLayout(config="all-1g.10gb")
        assert (wish.desired.layout_uid, wish.desired.acknowledged) == ("uid-1", frozenset({"pod-1"}))
        assert (wish.desired.generation, wish.desired.layout_generation, wish.desired.retried) == (1, 1, 0)

    async def test_a_cordon_is_another_generation_and_no_other_layout(self, ledger, asks):
        await asks.layout("all-1g.10gb")
        await asks.cordon()
        desired = (await the_wish(ledger)).desired
        assert (desired.cordoned, desired.generation, desired.layout_generation) == (True, 2, 1)

    async def test_the_same_asked_again_is_another_try(self, ledger, asks):
        await asks.layout("all-1g.10gb")
        await asks.again()
        desired = (await the_wish(ledger)).desired
        assert (desired.generation, desired.layout_generation, desired.retried) == (2, 1, 2)

    async def test_what_was_claimed_is_read_again_word_for_word(self, ledger, asks):
        await asks.layout("all-1g.10gb")
        blocker = Blocker(cause=BlockCause.WORKLOAD, name="training/train-0", workload_id="id-1")
        claim = a_claim(await lead(ledger), phase=ReconcilePhase.BLOCKED, blockers=(blocker,), progress=BEGUN)
        assert await ledger.claim(claim)
        wish = await the_wish(ledger)
        assert wish.progress == BEGUN
        assert (wish.observed.phase, wish.observed.generation) == (ReconcilePhase.BLOCKED, 1)
        assert (wish.observed.message, wish.observed.blockers) == ("as told", (blocker,))
        assert (wish.observed.layout_converged, wish.observed.converged) == (0, False)

    async def test_what_converged_once_stays_so_until_it_is_told_otherwise(self, ledger, asks):
        await asks.layout("all-1g.10gb")
        claim = a_claim(await lead(ledger), phase=ReconcilePhase.CONVERGED)
        await ledger.claim(replace(claim, layout_converged=1))
        await ledger.claim(claim)
        observed = (await the_wish(ledger)).observed
        assert (observed.layout_converged, observed.converged) == (1, True)

    async def test_the_same_again_keeps_the_time_of_the_change(self, ledger, asks):
        await asks.layout("all-1g.10gb")
        claim = a_claim(await lead(ledger))
        await ledger.claim(claim)
        first = (await the_wish(ledger)).observed
        await ledger.claim(replace(claim, progress=BEGUN))
        assert (await the_wish(ledger)).observed == first

    async def test_a_wish_that_moved_is_not_claimed(self, ledger, asks):
        await asks.layout("all-1g.10gb")
        epoch = await lead(ledger)
        await asks.layout("all-3g.40gb")
        assert not await ledger.claim(a_claim(epoch))
        assert (await the_wish(ledger)).observed is None

    async def test_an_older_leader_claims_nothing(self, ledger, asks):
        await asks.layout("all-1g.10gb")
        epoch = await lead(ledger)
        assert await lead(ledger) > epoch
        assert not await ledger.claim(a_claim(epoch))
        assert (await the_wish(ledger)).observed is None

    async def test_a_pause_refuses_every_claim_until_it_is_over(self, ledger, asks):
        await asks.layout("all-1g.10gb")
        epoch = await lead(ledger)
        await asks.pause(paused=True)
        assert not await ledger.claim(a_claim(epoch))
        await asks.pause(paused=False)
        assert await ledger.claim(a_claim(epoch))

    async def test_of_a_node_that_serves_slurm_it_can_only_be_told_that_nothing_is_done(self, ledger, asks):
        await asks.layout("all-1g.10gb")
        await asks.serves_slurm()
        wish, epoch = await the_wish(ledger), await lead(ledger)
        claim = a_claim(epoch, generation=wish.desired.generation)
        assert not await ledger.claim(claim)
        assert await ledger.claim(replace(claim, phase=ReconcilePhase.BLOCKED))


class Asks(ABC):
    """Who asks things of gpu-01."""

    @abstractmethod
    async def layout(self, config, uid="uid-1", acknowledged=()):
        """Ask for a layout."""

    @abstractmethod
    async def cordon(self):
        """Ask for a cordon."""

    @abstractmethod
    async def again(self):
        """Ask for the same again, after it was given up."""

    @abstractmethod
    async def pause(self, *, paused):
        """Pause the controller of the cluster, or let it go on."""

    @abstractmethod
    async def serves_slurm(self):
        """Have the node serve Slurm."""


async def the_wish(ledger):
    (wish,) = await ledger.wishes(CLUSTER)
    return wish


async def lead(ledger):
    return await ledger.lead(CONTROLLER, "pod-a", 1)


def a_claim(epoch, phase=ReconcilePhase.CORDONING, generation=1, **told):
    told = {"epoch": epoch, "cluster": CLUSTER, "node": "gpu-01", "message": "as told"} | told
    return Claim(phase=phase, generation=generation, **told)
