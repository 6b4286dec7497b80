"""What is said of pods that were refused, and of whom."""

from tests.journeys.scenes.objects import GPU, event, pod, turned_down

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
    "a share is asked for, and more than one of them is refused": (
        pod(
            asks={GPU: "2"},
            on="gpu-01",
            status={
                "phase": "Failed",
                "reason": "UnexpectedAdmissionError",
                "message": "Allocate failed due to rpc error: code = Unknown desc = request for "
                f"'{GPU}: 2' too large: maximum request size for shared resources is 1, which is unexpected",
            },
        ),
        (None, "ask", "KUBELET_ADMISSION"),
    ),
    "the devices of one NUMA node are not enough": (
        pod(
            on="gpu-01",
            status={
                "phase": "Failed",
                "reason": "TopologyAffinityError",
                "message": "Resources cannot be allocated with Topology locality",
            },
        ),
        (None, "ask", "KUBELET_ADMISSION"),
    ),
    "no quota of Kueue is left for a Job": (
        {
            "apiVersion": "kueue.x-k8s.io/v1beta1",
            "kind": "Workload",
            "metadata": {
                "name": "job-train",
                "namespace": "team",
                "uid": "uid-workload",
                "ownerReferences": [
                    {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "1", "controller": True}
                ],
            },
            "spec": {"queueName": "team"},
            "status": {
                "conditions": [
                    {
                        "type": "QuotaReserved",
                        "status": "False",
                        "reason": "Pending",
                        "lastTransitionTime": "2026-11-29T12:00:00Z",
                        "message": "couldn't assign flavors to pod set main: insufficient unused quota for "
                        f"{GPU} in flavor a100, 4 more needed",
                    }
                ]
            },
        },
        ("Job/train", None, "QUEUE_FULL"),
    ),
    "words that were never seen": (
        pod(status=turned_down("the moon is in the wrong house")),
        (None, "ask", "OTHER"),
    ),
}
