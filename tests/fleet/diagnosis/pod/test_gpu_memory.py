from tests.fleet.diagnosis.pod.cases import FAIL, PASS, WARN, checks, diagnosed, step, told
from tests.fleet.scheduling.scenes import any_of, expression, node, pod, requires

MEMORY, PRODUCT = "nvidia.com/gpu.memory", "nvidia.com/gpu.product"
SMALL, LARGE = {MEMORY: "24576", PRODUCT: "NVIDIA-A30"}, {MEMORY: "81559", PRODUCT: "NVIDIA-H100-80GB-HBM3"}
NODES = [node("a", labels=SMALL), node("b", labels=SMALL), node("c", labels=LARGE), node("d")]


def memory(ask, nodes=NODES):
    return step(diagnosed(ask, nodes), "GPU_MEMORY")


def test_no_card_is_so_large():
    found = memory(pod(**requires(expression(MEMORY, "Gt", "90000"))))

    assert found.outcome is FAIL
    assert found.finding == (
        f"{MEMORY} > 90000 is required, and met by 0 nodes; "
        "there are 24576 on 2, 81559 on 1, no such label on 1"
    )
    assert told(found) == {
        f"nodes/a metadata.labels[{MEMORY}]": "24576",
        f"nodes/c metadata.labels[{MEMORY}]": "81559",
        f"nodes/d metadata.labels[{MEMORY}]": None,
    }


def test_a_size_with_a_unit_is_met_by_nothing():
    found = memory(pod(**requires(expression(MEMORY, "Gt", "40Gi"))))

    assert found.outcome is FAIL
    assert found.finding.endswith("'40Gi' is no integer, so nothing meets it: the label counts MiB")


def test_a_product_that_some_have():
    found = memory(pod(nodeSelector={PRODUCT: "NVIDIA-A30"}))

    assert found.outcome is WARN
    assert found.finding == (
        f"{PRODUCT}=NVIDIA-A30 is required, and met by 2 nodes; "
        "there are NVIDIA-A30 on 2, NVIDIA-H100-80GB-HBM3 on 1, no such label on 1"
    )


def test_alternatives_need_not_all_be_there():
    terms = [
        {"matchExpressions": [expression(PRODUCT, "In", name)]} for name in ("NVIDIA-A30", "NVIDIA-B200")
    ]

    assert memory(pod(**any_of(*terms))).outcome is WARN


def test_what_all_have_passes():
    found = memory(pod(**requires(expression(MEMORY, "Gt", "1000"))), NODES[:3])

    assert found.outcome is PASS


def test_a_pod_that_does_not_care_is_not_asked():
    assert "GPU_MEMORY" not in checks(diagnosed(pod(nodeSelector={"disk": "ssd"}), NODES))
