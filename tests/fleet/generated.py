"""Fleets as Hypothesis makes them up: every kind of machine, with work on it."""

from dataclasses import dataclass

from hypothesis import strategies as st

from gateway.errors import System
from gateway.fleet.beside import NOTHING_BESIDE, Beside
from gateway.fleet.platform import Target
from tests.builders import a_job, a_node, a_pod, a_record, a_slurm_node, a_workspace
from tests.fleets import a_machine, silence
from tests.gpu_labels import A100, GPU, H100, SHARED_GPU, T4, mixed, shared, single, whole
from tests.listed import a_claim, a_gpu, a_part, a_slice

SLICES = "nvidia.com/mig-1g.10gb"
COUNTS = st.integers(0, 16)
KINDS = st.sampled_from([A100, H100, T4])
MI300X = {"amd.com/gpu.product-name": "AMD_Instinct_MI300X"}
PARTITION = "amd.com/compute-memory-partition"
GARBAGE = st.sampled_from(["banana", "-1", "0.5", "13Gi", "", "18446744073709552000", "8 cards"])
GPU_KEYS = [
    SHARED_GPU,
    SLICES,
    "nvidia.com/mig-3g.40gb",
    "amd.com/gpu",
    "volcano.sh/vgpu-number",
    "nvidia.com/x",
]
NAMES = st.sampled_from(["ocean", "vision", None])
TARGETS = st.sampled_from([*Target, None])


@dataclass(frozen=True)
class Offer:
    """What a node's labels say and what it offers."""

    labels: dict
    capacity: dict
    hami: str | None = None
    beside: Beside = NOTHING_BESIDE


@st.composite
def whole_offers(draw):
    cards, kind = draw(COUNTS), draw(KINDS)
    return Offer(whole(cards, kind), {GPU: draw(st.sampled_from([cards, max(0, cards - 1), 0]))})


@st.composite
def shared_offers(draw):
    cards, replicas = draw(COUNTS), draw(st.integers(2, 10))
    key = draw(st.sampled_from([GPU, SHARED_GPU]))
    return Offer(shared(cards, replicas, draw(KINDS)), {GPU: 0, key: cards * replicas})


@st.composite
def cut_offers(draw):
    cards = draw(st.integers(1, 16))
    cut = draw(st.integers(0, cards))
    return Offer(mixed(cards), {GPU: cards - cut, SLICES: 7 * cut})


@st.composite
def odd_offers(draw):
    cards = draw(COUNTS)
    return draw(
        st.sampled_from(
            [
                Offer({}, {GPU: cards}),
                Offer(single(7 * cards, "1g.10gb"), {GPU: 7 * cards}),
                Offer(whole("?"), {GPU: cards}),
                Offer(whole(cards), {GPU: "?"}),
                Offer(whole(1), {GPU: cards}),
                Offer({}, {"amd.com/gpu": cards}),
            ]
        )
    )


@st.composite
def counted_offers(draw):
    """A number of cards, and one of the ways to offer them that no count label tells of."""
    cards, (profile, of_card) = (
        draw(st.integers(1, 8)),
        draw(st.sampled_from([("1g.10gb", 7), ("3g.40gb", 2)])),
    )
    register = "".join(f"GPU-{at},10,15360,100,NVIDIA-T4,0,true:" for at in range(cards))
    return cards, draw(
        st.sampled_from(
            [
                Offer(applied(cards * of_card, profile), {GPU: cards * of_card}),
                Offer({}, {"volcano.sh/vgpu-cores": 100 * cards, "volcano.sh/vgpu-number": 10 * cards}),
                Offer({}, {GPU: 10 * cards}, hami=register),
                Offer(MI300X, {"amd.com/cpx_nps4": 8 * cards}),
                Offer(MI300X | {PARTITION: "cpx_nps4"}, {"amd.com/gpu": 8 * cards}),
                Offer(MI300X | {PARTITION: "spx_nps1"}, {"amd.com/gpu": cards}),
                Offer({"cloud.google.com/gke-accelerator": "nvidia-tesla-t4"}, {GPU: cards}),
                Offer(whole(cards), {GPU: cards}, beside=Beside(labels_left=True)),
                Offer(whole(9), {GPU: cards}, beside=Beside(labels_left=True)),
                Offer({}, {}, beside=draw(listed_devices(cards))),
            ]
        )
    )


@st.composite
def listed_devices(draw, cards):
    """What a driver lists of so many cards, whole or by a part, and a claim that holds one of them."""
    devices = [a_gpu(at) if draw(st.booleans()) else a_part(at, 0) for at in range(cards)]
    given = draw(st.sampled_from(devices))["name"]
    return Beside(slices=(a_slice("x", devices),), claims=(a_claim("claim", given, node="x"),))


def applied(slices, profile):
    """The labels of cards that are cut alike, and of the layout that cut them."""
    layout = {"nvidia.com/mig.config": f"all-{profile}", "nvidia.com/mig.config.state": "success"}
    return single(slices, profile) | layout


SOUND = whole_offers() | shared_offers() | cut_offers()
OFFERS = SOUND | odd_offers() | counted_offers().map(lambda counted: counted[1])


@st.composite
def machines(draw, name):
    """A machine that some systems know, with work on it."""
    record = draw(st.none() | st.builds(a_record, st.just(name), TARGETS, NAMES))
    by_slurm = a_slurm_node(name, draw(st.sampled_from([["IDLE"], ["MIXED", "DRAIN"], ["DOWN"]])))
    slurm = draw(st.none() | st.just(by_slurm))
    offer = draw(OFFERS)
    lost = draw(st.integers(0, 3))
    allocatable = {
        key: max(0, count - lost) if isinstance(count, int) else count
        for key, count in offer.capacity.items()
    }
    kubernetes = a_node(
        name,
        offer.labels,
        offer.capacity,
        allocatable,
        ready=draw(st.booleans()),
        cordoned=draw(st.booleans()),
        hami=offer.hami,
    )
    if slurm and draw(st.booleans()):
        kubernetes = None
    asks = {draw(st.sampled_from([GPU, SLICES])): draw(st.integers(1, 8))}
    job = a_job("1", {name: draw(st.integers(0, 8))})
    return a_machine(
        kubernetes,
        record,
        slurm,
        pods=(a_pod(node=name, asks=asks),),
        jobs=(job,) if slurm else (),
        beside=offer.beside if kubernetes else NOTHING_BESIDE,
    )


@st.composite
def fleets(draw):
    return tuple(draw(machines(f"gpu-{at}")) for at in range(draw(st.integers(0, 6))))


@st.composite
def silent_machines(draw, name):
    """A machine that some system says nothing of now."""
    record = a_record(name, draw(TARGETS), draw(NAMES))
    node, by_slurm = a_node(name), a_slurm_node(name)
    kubernetes, slurm = silence(System.KUBERNETES), silence(System.SLURM)
    return draw(
        st.sampled_from(
            [
                a_machine(kubernetes, record, pods=kubernetes),
                a_machine(kubernetes, record, by_slurm, pods=kubernetes),
                a_machine(node, record, slurm, jobs=slurm),
                a_machine(node, record, pods=kubernetes),
                a_machine(record=record, slurm=by_slurm, jobs=slurm),
                a_machine(record=record, slurm=slurm, jobs=slurm),
                a_machine(record=a_record(name, record.target, claims=8)),
            ]
        )
    )


@st.composite
def troubled_fleets(draw):
    """A fleet of which some machines are not told of, or are gone."""
    silent = tuple(draw(silent_machines(f"dark-{at}")) for at in range(draw(st.integers(0, 3))))
    return (*draw(fleets()), *silent)


WORKSPACES = st.lists(
    st.builds(lambda kind, cards: a_workspace(given={kind: cards}), KINDS, COUNTS), max_size=3
)
