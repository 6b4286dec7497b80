"""What keeps a pod waiting before nodes are asked: queue and gang."""

from tests.journeys.scenes.objects import GPU, SLICE, group, member, node, pod, queue, volcano
from tests.journeys.scenes.scene import fails


def _held(queue_name="team", gpus="8"):
    """Eight cards that a group of a queue holds."""
    return [
        group("runs", gpus, of=queue_name, phase="Running"),
        member("other", {GPU: gpus}, "runs", "gpu-01"),
    ]


_FLAT = {
    "a queue that is closed": fails(
        [queue(state="Closed"), group(), member()], "QUEUE_CLOSED", "QUEUE", "Closed", "CHANGE_QUEUE"
    ),
    "a queue that does not exist": fails(
        [queue("another"), group(), member()], "QUEUE_UNKNOWN", "QUEUE", "team", "CHANGE_QUEUE"
    ),
    "a queue that is full": fails(
        [queue(allocated={GPU: "4"}, capability={GPU: "4"}), *_held(gpus="4"), group(), member()],
        "QUEUE_FULL",
        "QUEUE",
        "may hold 4 nvidia.com/gpu: 4 are held or promised, 1 more",
    ),
    "all queues are full": fails(
        [queue(), queue("other", {GPU: "8"}), *_held("other"), group(least="4"), member(asks={GPU: "4"})],
        "ENQUEUE_LIMIT",
        "QUEUE",
        "1.2",
    ),
    "room that others are promised who can never run": fails(
        [
            queue(),
            queue("other"),
            group("huge", "9", of="other", phase="Inqueue"),
            member("huge", {GPU: "9"}, "huge"),
            group(),
            member(),
        ],
        "ENQUEUE_LIMIT",
        "QUEUE",
        "1.2",
    ),
    "all that there is, kept for others": fails(
        [queue(), queue("other", guarantee={"resource": {GPU: "8"}}), group(), member()],
        "QUEUE_FULL",
        "QUEUE",
        "guarantee",
    ),
    "a profile that no machine has": fails(
        [queue(), group(asks=SLICE), member(asks={SLICE: "1"})],
        "INSUFFICIENT_RESOURCE",
        "QUEUE",
        SLICE,
    ),
    "a share that is lent to whoever gives nothing back": fails(
        [
            queue(deserved={"cpu": "8", GPU: "8"}),
            queue("other", {"cpu": "8", GPU: "8"}, deserved={"cpu": "16"}),
            group("runs", "8", of="other", phase="Running"),
            member("other", {"cpu": "8", GPU: "8"}, "runs", "gpu-01"),
            group(phase="Inqueue"),
            member(said=f"0/1 nodes are unavailable: 1 Insufficient {GPU}."),
        ],
        "MISCONFIGURED",
        "QUEUE",
        "deserved",
    ),
    "fewer pods than the gang needs": fails(
        [queue(), group(members=2), member()], "GANG_NOT_READY", "GANG", "2"
    ),
    "less room than the gang needs": fails(
        [
            node("gpu-02"),
            pod("other", on="gpu-02"),
            queue(),
            group(least="16", members=2),
            member(asks={GPU: "8"}),
            member("ask-1", {GPU: "8"}),
        ],
        "GANG_NOT_READY",
        "GANG",
        "still needs 2 pods, and 1 fits at once",
    ),
    "a group that is not there": fails(
        [queue(), group("another"), member()], "MISCONFIGURED", "GANG", "gang"
    ),
}
_TREE = {
    "a queue whose parent does not exist": fails(
        [queue(), queue("lost", parent="nowhere"), group(), member()], "MISCONFIGURED", "QUEUE", "nowhere"
    ),
    "a group in a queue that has children": fails(
        [queue(), queue("child", parent="team"), group(), member()], "MISCONFIGURED", "QUEUE", "team"
    ),
}


def _beside(system, scenes):
    """The scenes, in a cluster of one machine that has this too."""
    return {name: one._replace(there=[node(), *system, *one.there]) for name, one in scenes.items()}


QUEUED = _beside(volcano(), _FLAT) | _beside(volcano(hierarchy=True), _TREE)
