import json

import pytest

from gateway.fleet.cards import kubernetes_cards
from gateway.fleet.gpu import CardsBasis
from gateway.fleet.unknown import Unknown
from tests.builders import a_node
from tests.gpu_labels import GPU

CORES = "volcano.sh/vgpu-cores"
T4 = "GPU-7,10,15360,100,NVIDIA-Tesla T4,0,true:"
A40 = [
    {"id": f"GPU-{at}", "count": 5, "devmem": 46068, "devcore": 100, "type": "NVIDIA A40", "health": at > 0}
    for at in range(8)
]


def by_cores(cores):
    return a_node(labels={}, capacity={CORES: cores, "volcano.sh/vgpu-number": 10})


def by_annotation(text, shares=10):
    return a_node(labels={}, capacity={GPU: shares}, hami=text)


COUNTED = {
    "a hundred cores a card": (by_cores(400), 4, CardsBasis.VGPU_CORES),
    "more cores than a node has devices": (by_cores(1600), 16, CardsBasis.VGPU_CORES),
    "cores that Kubernetes rewrote": (by_cores("1k"), 10, CardsBasis.VGPU_CORES),
    "one entry": (by_annotation(T4), 1, CardsBasis.HAMI_ANNOTATION),
    "two entries": (by_annotation(T4 + T4.replace("-7", "-8")), 2, CardsBasis.HAMI_ANNOTATION),
    "entries in JSON, sick cards too": (by_annotation(json.dumps(A40), 40), 8, CardsBasis.HAMI_ANNOTATION),
    "an annotation where the cores do not tell": (
        a_node(labels={}, capacity={GPU: 10, CORES: "150"}, hami=T4),
        1,
        CardsBasis.HAMI_ANNOTATION,
    ),
}


@pytest.mark.parametrize(("node", "cards", "basis"), COUNTED.values(), ids=COUNTED.keys())
def test_counts_what_is_registered_of_each_card(node, cards, basis):
    found = kubernetes_cards(node)

    assert (found.count, found.basis) == (cards, basis)


UNDECIDED = {
    "half a card": (by_cores(150), "150 of volcano.sh/vgpu-cores are no number of cards"),
    "more than any node has": (by_cores("13Gi"), "are no number of cards"),
    "unreadable cores": (by_cores("all"), "'all'"),
    "no cores": (by_cores(0), "neither cores nor an annotation tell the cards"),
    "an empty list": (by_annotation("[]"), "neither cores nor an annotation tell the cards"),
    "broken JSON": (by_annotation("[{"), "HAMi's annotation cannot be read"),
    "JSON without ids": (by_annotation('[{"count": 10}]'), "HAMi's annotation cannot be read"),
    "an entry that is cut off": (by_annotation(T4 + "GPU-8,10"), "an entry has fewer than 6 parts"),
    "a card twice": (by_annotation(T4 + T4), "names a card twice"),
    "a card without an id": (by_annotation(T4.removeprefix("GPU-7")), "names a card twice, or none"),
}


@pytest.mark.parametrize(("node", "reason"), UNDECIDED.values(), ids=UNDECIDED.keys())
def test_does_not_guess_where_what_is_registered_cannot_be_counted(node, reason):
    found = kubernetes_cards(node)

    assert isinstance(found.count, Unknown)
    assert reason in found.count.reason
