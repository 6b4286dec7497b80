"""What is wrong with a pod itself, or with what its namespace allows."""

from tests.journeys.scenes.objects import FULL, GPU, MIXED, SLICE, T4, limit_range, node, pod, quota
from tests.journeys.scenes.scene import Scene, fails

SHARED = {f"{GPU}.count": "2", f"{GPU}.replicas": "4", f"{GPU}.sharing-strategy": "time-slicing"}

ASKED = {
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
    "a quota of shares": Scene(
        [
            node(gives={GPU: "8"}, labels={**T4, **SHARED}),
            FULL,
            pod(),
            quota({f"requests.{GPU}": "4"}, {f"requests.{GPU}": "9"}),
        ],
        "INSUFFICIENT_RESOURCE",
        "QUOTA",
        "WARN",
        "counts shares, of which 4 are one card",
    ),
    "a quota of HAMi": fails(
        [node(hami="GPU-1,10,24576,100,NVIDIA-T4,0,true:"), pod(), quota({f"limits.{GPU}": "0"}, {})],
        "QUOTA_EXCEEDED",
        "QUOTA",
        "lets HAMi give 0",
        "RAISE_QUOTA",
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
}
