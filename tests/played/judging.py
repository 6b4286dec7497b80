"""What the gateway says of played pods, beside what kube-scheduler said."""

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from gateway.fleet.reasons.message import read_message
from gateway.fleet.scheduling.histogram import histogram
from gateway.fleet.scheduling.preemption import prospect
from gateway.fleet.scheduling.verdict import verdicts
from gateway.fleet.scheduling.view import view_of
from gateway.sources.kubernetes.nodes import read_node
from gateway.sources.kubernetes.pods import read_pod
from tests.builders import CLUSTER
from tests.fleets import a_fleet
from tests.played.generator import NAMESPACES, Json

_SPACES = {name: {"kubernetes.io/metadata.name": name, **labels} for name, labels in NAMESPACES.items()}


def differences(played: Json) -> list[Json]:
    """The pods of which the gateway says something else than kube-scheduler did."""
    return [
        {"pod": ask["pod"], "told": told, "said": said} for ask, told, said in judged(played) if told != said
    ]


def judged(played: Json) -> Iterator[tuple[Json, object, object]]:
    """Each ask with what kube-scheduler told and what the gateway says."""
    nodes = [read_node(CLUSTER, _raw(node), []) for node in played["nodes"]]
    running = [read_pod(CLUSTER, _raw(pod), []) for pod in played["pods"]]
    view = view_of(a_fleet(nodes, running).nodes(CLUSTER).values(), _SPACES)
    for ask in played["asks"]:
        pod = read_pod(CLUSTER, _raw(ask["pod"]), [])
        said = verdicts(pod, view)
        if ask["boundTo"]:
            yield ask, True, {one.node: one.fits for one in said}[ask["boundTo"]]
            continue
        told = read_message(ask["message"])
        fitting = [one.node for one in said if one.fits is not False]
        refused = histogram(reason for one in said for reason in one.reasons)
        tail = histogram(reason for one in said for reason in prospect(pod, one, view).reasons)
        yield ask, ([], told.parts, told.preemption), (fitting, refused, tail if told.preemption else ())


def wordings(fleets: Iterable[Json]) -> Counter[str]:
    """How many nodes gave which reason."""
    messages = (ask["message"] for played in fleets for ask in played["asks"] if ask["message"])
    counts: Counter[str] = Counter()
    for message in messages:
        counts.update({part.text: part.nodes for part in read_message(message).parts})
    return counts


def _raw(body: Json) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(body))
