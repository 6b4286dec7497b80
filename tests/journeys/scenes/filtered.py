"""What keeps a pod from every machine by what it demands of one."""

from tests.journeys.scenes.objects import H100, MEMORY, PRODUCT, T4, affinity, node, pod, requires, tolerates
from tests.journeys.scenes.scene import Scene, fails

KEPT = ("team", "a", "NoSchedule")
APART = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": "kubernetes.io/hostname"}
        ]
    }
}

FILTERED = {
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
    "a port that is taken": fails(
        [node(), pod("other", {}, on="gpu-01", port=80), pod(port=80)],
        "HOST_PORT",
        "OTHER",
        "free ports",
    ),
    "pods that it must not be with": fails(
        [node(), pod("other", {}, on="gpu-01", meta={"labels": {"app": "a"}}), pod(affinity=APART)],
        "POD_AFFINITY",
        "OTHER",
        "anti-affinity",
    ),
    "a claim, which is not judged": Scene(
        [node(), pod(asks={}, resourceClaims=[{"name": "gpu", "resourceClaimName": "one"}])],
        None,
        "OTHER",
        "UNKNOWN",
        "claim",
    ),
    "a volume, which is not judged": Scene(
        [node(), pod(volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])],
        None,
        "OTHER",
        "UNKNOWN",
        "volume",
    ),
}
