"""Each thing that keeps a pod waiting, told by an API server, and what is found of it.

What breaks between the cards of a machine and its scheduler is in test_chain.py. What real schedulers and a
real API server said of such things is in tests/fleet, in each test_recorded.py, and in tests/live.
"""

from typing import NamedTuple

import pytest

from tests.journeys.scenes import (
    GPU,
    H100,
    MEMORY,
    PRODUCT,
    affinity,
    event,
    gateway_of,
    group,
    limit_range,
    member,
    node,
    pod,
    queue,
    quota,
    requires,
    tolerates,
    turned_down,
    volcano,
)

QUERY = """{ pod(cluster: "fleet", namespace: "team", name: "ask") { diagnosis {
  code verdict remedies { action text } steps { check outcome finding remedies { action } }
} } }"""
SAID = """{ cluster(name: "fleet") { pendingReasons { nodes {
  podName controller code message parts { resource } } } } }"""
SLICE = "nvidia.com/mig-3g.40gb"
KEPT = ("team", "a", "NoSchedule")
MIXED = {"nvidia.com/mig.capable": "true", "nvidia.com/mig.strategy": "mixed"}
T4 = {PRODUCT: "Tesla-T4", MEMORY: "15360"}
CARVED = {**MIXED, "nvidia.com/mig.strategy": "single", PRODUCT: "NVIDIA-A100-SXM4-80GB-MIG-3g.40gb"}
FULL = pod("other", {GPU: "8"}, on="gpu-01")


class Scene(NamedTuple):
    """What is there beside the pod that waits, and what is found of it."""

    there: list[object]
    code: str | None
    check: str
    outcome: str
    finding: str
    """A part of it."""
    action: str | None = None
    """What is to be done, of the whole diagnosis."""


def fails(there, code, check, finding, action=None):
    return Scene(there, code, check, "FAIL", finding, action)


SCENES = {
    "a name that is misspelt": fails(
        [node(), pod(asks={"nvidia.com/gpus": "1"})],
        "INSUFFICIENT_RESOURCE",
        "REQUEST_SHAPE",
        f"no node offers nvidia.com/gpus: {GPU} is meant",
        "CHANGE_REQUEST",
    ),
    "a name of old": fails(
        [node(), pod(asks={"alpha.kubernetes.io/nvidia-gpu": "1"})],
        "INSUFFICIENT_RESOURCE",
        "REQUEST_SHAPE",
        f"{GPU} is meant",
        "CHANGE_REQUEST",
    ),
    "a name with the prefix of a quota": fails(
        [node(), pod(asks={f"requests.{GPU}": "1"})],
        "INSUFFICIENT_RESOURCE",
        "REQUEST_SHAPE",
        f"{GPU} is meant",
        "CHANGE_REQUEST",
    ),
    "half a GPU": fails(
        [node(), pod(asks={GPU: "500m"})],
        "MISCONFIGURED",
        "REQUEST_SHAPE",
        "0.5 of nvidia.com/gpu is no whole number",
        "CHANGE_REQUEST",
    ),
    "a limit that was lowered": Scene(
        [node(), FULL, pod(asks={GPU: "4"}), limit_range(max={GPU: "2"})],
        "INSUFFICIENT_RESOURCE",
        "LIMIT_RANGE",
        "WARN",
        "would not be made anew",
    ),
    "a quota that holds nobody back": Scene(
        [node(), FULL, pod(), quota({GPU: "1"}, {GPU: "0"})],
        "INSUFFICIENT_RESOURCE",
        "QUOTA",
        "WARN",
        "holds nobody back",
    ),
    "a quota that was lowered": Scene(
        [node(), FULL, pod(), quota({f"requests.{GPU}": "4"}, {f"requests.{GPU}": "9"})],
        "INSUFFICIENT_RESOURCE",
        "QUOTA",
        "WARN",
        "9 of 4 used",
    ),
    "a quota of another profile": Scene(
        [
            node(gives={GPU: "0", SLICE: "2"}, labels=MIXED),
            pod(asks={SLICE: "4"}),
            quota({"requests.nvidia.com/mig-1g.10gb": "1"}, {"requests.nvidia.com/mig-1g.10gb": "1"}),
        ],
        "INSUFFICIENT_RESOURCE",
        "CAPACITY",
        "FAIL",
        "no node has more than 2",
    ),
    "a quota of slices that are used up": Scene(
        [
            node(gives={GPU: "0", SLICE: "2"}, labels=MIXED),
            pod(asks={SLICE: "4"}),
            quota({f"requests.{SLICE}": "2"}, {f"requests.{SLICE}": "4"}),
        ],
        "INSUFFICIENT_RESOURCE",
        "QUOTA",
        "WARN",
        "this pod with 4 would not be made anew",
    ),
    "a gate": fails(
        [node(), pod(schedulingGates=[{"name": "example.com/wait"}])],
        "SCHEDULING_GATED",
        "SCHEDULING_GATES",
        "no scheduler looks at it",
    ),
    "nothing lower to evict": Scene(
        [node(), FULL, pod()],
        "INSUFFICIENT_RESOURCE",
        "PRIORITY",
        "WARN",
        "would make room nowhere",
        "FREE_WORKLOADS",
    ),
    "it may not evict": Scene(
        [node(), FULL, pod(priority=9, preemptionPolicy="Never")],
        "INSUFFICIENT_RESOURCE",
        "PRIORITY",
        "WARN",
        "its preemptionPolicy is Never",
    ),
    "room is about to be made": Scene(
        [node(), FULL, pod(priority=9)],
        "WAITING_FOR_PREEMPTION",
        "PRIORITY",
        "PASS",
        "on gpu-01 for one",
        "WAIT",
    ),
    "a taint": fails(
        [node(taint=KEPT), pod()],
        "UNTOLERATED_TAINT",
        "TAINTS",
        "taint team=a:NoSchedule on gpu-01",
        "ADD_TOLERATION",
    ),
    "a taint of another value": fails(
        [node(taint=KEPT), pod(tolerations=tolerates("team", "b", "NoSchedule"))],
        "UNTOLERATED_TAINT",
        "TAINTS",
        "tolerated with Equal 'b' alone",
        "ADD_TOLERATION",
    ),
    "a taint of another effect": fails(
        [node(taint=KEPT), pod(tolerations=tolerates("team", "a", "NoExecute"))],
        "UNTOLERATED_TAINT",
        "TAINTS",
        "tolerated with effect NoExecute alone",
        "ADD_TOLERATION",
    ),
    "a taint of another key": fails(
        [node(taint=KEPT), pod(tolerations=tolerates("teams", "a", "NoSchedule"))],
        "UNTOLERATED_TAINT",
        "TAINTS",
        "taint team=a:NoSchedule",
        "ADD_TOLERATION",
    ),
    "a cordon": fails([node(cordoned=True), pod()], "CORDONED", "TAINTS", "cordoned: gpu-01", "UNCORDON"),
    "a label of another value": fails(
        [node(), pod(nodeSelector={PRODUCT: "NVIDIA-H200"})],
        "NODE_AFFINITY",
        "NODE_AFFINITY",
        f"the nodes have {H100} (1)",
        "CHANGE_REQUEST",
    ),
    "a label that nobody has": fails(
        [node(), pod(affinity=requires(("pool", "Exists", ())))],
        "NODE_AFFINITY",
        "NODE_AFFINITY",
        "pool",
    ),
    "a label that it must not have": fails(
        [node(labels={"pool": "old"}), pod(affinity=requires(("pool", "DoesNotExist", ())))],
        "NODE_AFFINITY",
        "NODE_AFFINITY",
        "pool",
    ),
    "a value that it must not have": fails(
        [node(labels={"pool": "old"}), pod(affinity=requires(("pool", "NotIn", ("old",))))],
        "NODE_AFFINITY",
        "NODE_AFFINITY",
        "pool not in (old)",
    ),
    "a label that is missing has no such value": Scene(
        [node(), pod(affinity=requires(("pool", "NotIn", ("old",))))],
        None,
        "NODE_AFFINITY",
        "PASS",
        "every node is as",
        "WAIT",
    ),
    "a label that is missing is not above a number": fails(
        [node(labels={MEMORY: None}), pod(affinity=requires((MEMORY, "Gt", ("40000",))))],
        "NODE_AFFINITY",
        "NODE_AFFINITY",
        f"{MEMORY} > 40000 is required",
    ),
    "a label that is not below a number": fails(
        [node(), pod(affinity=requires((MEMORY, "Lt", ("40000",))))],
        "NODE_AFFINITY",
        "NODE_AFFINITY",
        f"{MEMORY} < 40000 is required; the nodes have 81559 (1)",
    ),
    "two terms, and neither is met": fails(
        [
            node(),
            pod(
                affinity=affinity(
                    {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["a"]}]},
                    {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["gpu-02"]}]},
                )
            ),
        ],
        "NODE_AFFINITY",
        "NODE_AFFINITY",
        "required",
    ),
    "a machine that is gone": fails(
        [
            node(),
            pod(
                affinity=affinity(
                    {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["gpu-09"]}]}
                )
            ),
        ],
        "NODE_AFFINITY",
        "NODE_AFFINITY",
        "gpu-09",
    ),
    "more memory than any card has": fails(
        [node(), node("gpu-02", labels=T4), pod(affinity=requires((MEMORY, "Gt", ("100000",))))],
        "NODE_AFFINITY",
        "GPU_MEMORY",
        "there are 81559 on 1, 15360 on 1",
    ),
    "memory with a unit": fails(
        [node(), pod(nodeSelector={MEMORY: "80GB"})],
        "NODE_AFFINITY",
        "GPU_MEMORY",
        "80GB",
    ),
    "no machine offers its cards": fails(
        [node(gives={GPU: "0"}), pod()],
        "INSUFFICIENT_RESOURCE",
        "DEVICE_PLUGIN",
        "GPUs of gpu-01 are not offered",
        "REPAIR_NODE",
    ),
    "others hold the cards": fails(
        [node(), FULL, pod()],
        "INSUFFICIENT_RESOURCE",
        "CAPACITY",
        "gpu-01 has most left, 0",
        "FREE_WORKLOADS",
    ),
    "more cards than any machine has": fails(
        [node(), pod(asks={GPU: "16"})],
        "INSUFFICIENT_RESOURCE",
        "CAPACITY",
        "no node has more than 8, whatever runs there",
    ),
    "no place for another pod": fails(
        [node(gives={GPU: "8", "pods": "1"}), pod("other", {}, on="gpu-01"), pod()],
        "TOO_MANY_PODS",
        "CAPACITY",
        "no more pods may be on gpu-01",
    ),
    "too little beside the cards": fails(
        [node(), pod(asks={GPU: "1", "memory": "2Ti"})],
        "INSUFFICIENT_RESOURCE",
        "CAPACITY",
        "no node has more than 1,024Gi",
    ),
    "a profile that could be cut": fails(
        [node(labels=MIXED), pod(asks={SLICE: "1"})],
        "INSUFFICIENT_RESOURCE",
        "MIG_LAYOUT",
        "under another layout gpu-01 could",
        "CHANGE_MIG_LAYOUT",
    ),
    "a profile that no card can be cut into": fails(
        [node(labels=T4), pod(asks={SLICE: "1"})],
        "INSUFFICIENT_RESOURCE",
        "MIG_LAYOUT",
        "none has cards that can be cut into 3g.40gb",
    ),
    "slices that go by the name of cards": fails(
        [node(gives={GPU: "16"}, labels={**CARVED, f"{GPU}.count": "16"}), pod(asks={SLICE: "1"})],
        "INSUFFICIENT_RESOURCE",
        "MIG_LAYOUT",
        f"gpu-01 offers such slices as {GPU}",
    ),
    "enough in sum and on no machine": fails(
        [
            node(),
            node("gpu-02"),
            pod("one", {GPU: "5"}, on="gpu-01"),
            pod("two", {GPU: "4"}, on="gpu-02"),
            pod(asks={GPU: "6"}),
        ],
        "INSUFFICIENT_RESOURCE",
        "FRAGMENTATION",
        "7 of nvidia.com/gpu are left on 2 nodes, and 6 on none: gpu-02 has 4",
        "FREE_WORKLOADS",
    ),
    "a volume, which is not judged": Scene(
        [node(), pod(volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])],
        None,
        "OTHER",
        "UNKNOWN",
        "volume",
    ),
}


def held(queue_name="team", gpus="8"):
    """Eight cards that a group of a queue holds."""
    return [
        group("runs", gpus, of=queue_name, phase="Running"),
        member("other", {GPU: gpus}, "runs", "gpu-01"),
    ]


QUEUED = {
    "a queue that is closed": fails(
        [queue(state="Closed"), group(), member()], "QUEUE_CLOSED", "QUEUE", "Closed", "CHANGE_QUEUE"
    ),
    "a queue that does not exist": fails(
        [queue("another"), group(), member()], "QUEUE_UNKNOWN", "QUEUE", "team", "CHANGE_QUEUE"
    ),
    "a queue that is full": fails(
        [queue(allocated={GPU: "4"}, capability={GPU: "4"}), *held(gpus="4"), group(), member()],
        "QUEUE_FULL",
        "QUEUE",
        "may hold 4 nvidia.com/gpu: 4 are held or promised, 1 more",
    ),
    "all queues are full": fails(
        [queue(), queue("other", {GPU: "8"}), *held("other"), group(least="4"), member(asks={GPU: "4"})],
        "ENQUEUE_LIMIT",
        "QUEUE",
        "1.2",
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
TREES = {
    "a queue whose parent does not exist": fails(
        [queue(), queue("lost", parent="nowhere"), group(), member()], "MISCONFIGURED", "QUEUE", "nowhere"
    ),
    "a group in a queue that has children": fails(
        [queue(), queue("child", parent="team"), group(), member()], "MISCONFIGURED", "QUEUE", "team"
    ),
}
ALL = (
    SCENES
    | {name: one._replace(there=[node(), *volcano(), *one.there]) for name, one in QUEUED.items()}
    | {
        name: one._replace(there=[node(), *volcano(hierarchy=True), *one.there])
        for name, one in TREES.items()
    }
)


@pytest.mark.parametrize("scene", ALL.values(), ids=ALL.keys())
async def test_what_keeps_a_pod_waiting_is_found(scene):
    gateway = await gateway_of(scene.there)

    found = gateway.data(QUERY)["pod"]["diagnosis"]

    (step,) = [one for one in found["steps"] if one["check"] == scene.check]
    assert (step["outcome"], found["code"]) == (scene.outcome, scene.code), (
        step["finding"],
        found["verdict"],
    )
    assert scene.finding in step["finding"]
    actions = {one["action"] for one in (*found["remedies"], *step["remedies"])}
    assert scene.action is None or scene.action in actions


FORBIDDEN = 'Error creating: pods "train-x7" is forbidden: '
REFUSED = {
    "a quota refuses the pods of a Job": (
        event(
            "Job",
            "train",
            "FailedCreate",
            f"{FORBIDDEN}exceeded quota: gpus, requested: requests.{GPU}=2, used: requests.{GPU}=7, "
            f"limited: requests.{GPU}=8",
        ),
        ("Job/train", None, "QUOTA_EXCEEDED"),
    ),
    "a LimitRange refuses the pods of a Job": (
        event("Job", "train", "FailedCreate", f"{FORBIDDEN}maximum {GPU} usage per Pod is 2, but limit is 4"),
        ("Job/train", None, "LIMIT_RANGE"),
    ),
    "limits that are not the requests": (
        event(
            "Job",
            "train",
            "FailedCreate",
            'Error creating: Pod "train-x7" is invalid: spec.containers[0].resources.requests: '
            f'Invalid value: "1": must be equal to {GPU} limit of 2',
        ),
        ("Job/train", None, "MISCONFIGURED"),
    ),
    "the Pod Security of a namespace": (
        event(
            "Job", "train", "FailedCreate", f'{FORBIDDEN}violates PodSecurity "baseline:latest": privileged'
        ),
        ("Job/train", None, "OTHER"),
    ),
    "the kubelet turns a pod away that has no devices left": (
        pod(
            on="gpu-01",
            status={
                "phase": "Failed",
                "reason": "UnexpectedAdmissionError",
                "message": "Pod was rejected: Allocate failed due to requested number of devices unavailable "
                f"for {GPU}. Requested: 2, Available: 0, which is unexpected",
            },
        ),
        (None, "ask", "KUBELET_ADMISSION"),
    ),
    "words that were never seen": (
        pod(status=turned_down("the moon is in the wrong house")),
        (None, "ask", "OTHER"),
    ),
}


@pytest.mark.parametrize(("told", "expected"), REFUSED.values(), ids=REFUSED.keys())
async def test_what_was_refused_is_told_of_whom_it_was_refused(told, expected):
    gateway = await gateway_of([node(), told])

    answer = await gateway.ask_later(SAID)
    assert "errors" not in answer, answer["errors"]
    (said,) = answer["data"]["cluster"]["pendingReasons"]["nodes"]

    assert (said["controller"], said["podName"], said["code"]) == expected


async def test_a_refusal_that_an_api_server_has_kept_for_long_is_over():
    told = event("Job", "train", "FailedCreate", f"{FORBIDDEN}exceeded quota: gpus", days_ago=200)
    gateway = await gateway_of([node(), told])

    assert (await gateway.ask_later(SAID))["data"]["cluster"]["pendingReasons"]["nodes"] == []
