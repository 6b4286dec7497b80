import pytest

from gateway.fleet.platform import Target
from tests.asking import Gateway
from tests.builders import a_job, a_node, a_pod, a_price, a_record, a_slurm_node, some_records
from tests.fleets import NEVER, PODS, RECORDS, SLURM_JOBS, a_keeper
from tests.gpu_labels import A100, GPU, H100, mixed, whole


def of_node(keeper, asked, name="gpu-01"):
    return Gateway(keeper).data(f'{{ node(cluster: "fleet", name: "{name}") {{ {asked} }} }}')["node"]


def test_labels_are_sorted_and_kept_by_prefix():
    labels = {"b.example/y": "2", "a.example/x": "1", "b.example/x": ""}
    keeper = a_keeper(nodes=[a_node(labels={**whole(), **labels})])

    assert of_node(keeper, 'labels(prefix: "b.example/") { key value }')["labels"] == [
        {"key": "b.example/x", "value": ""},
        {"key": "b.example/y", "value": "2"},
    ]
    assert [one["key"] for one in of_node(keeper, "labels { key }")["labels"]][:3] == sorted(labels)
    assert (
        of_node(keeper, "labels(prefix: null) { key }")["labels"]
        == of_node(keeper, "labels { key }")["labels"]
    )


def test_what_kubernetes_says_is_null_for_a_machine_that_only_slurm_knows():
    keeper = a_keeper(slurm_nodes=[a_slurm_node("island")])

    found = of_node(
        keeper, "ready cordoned taints { key } labels { key } slurm { states } unknowns { field }", "island"
    )

    assert found == {
        "ready": None,
        "cordoned": None,
        "taints": None,
        "labels": None,
        "slurm": {"states": ["IDLE"]},
        "unknowns": [],
    }


def test_work_of_both_schedulers_holds_a_machine():
    keeper = a_keeper(
        nodes=[a_node()],
        pods=[a_pod("work-0"), a_pod("web", asks={}), a_pod("done", phase="Succeeded")],
        slurm_nodes=[a_slurm_node()],
        jobs=[a_job("7", {"gpu-01": 2}), a_job("8", {"gpu-01": 2}, "COMPLETED")],
    )

    work = of_node(keeper, "workloads { __typename name gpus { resource count } ... on SlurmJob { jobId } }")[
        "workloads"
    ]

    assert work == [
        {"__typename": "Pod", "name": "work-0", "gpus": [{"resource": GPU, "count": 1}]},
        {
            "__typename": "SlurmJob",
            "name": "train",
            "gpus": [{"resource": "gres/gpu", "count": 8}],
            "jobId": "7",
        },
    ]


@pytest.mark.parametrize(("silent", "system"), [(PODS, "KUBERNETES"), (SLURM_JOBS, "SLURM")])
def test_work_is_not_told_in_part_while_one_scheduler_is_silent(silent, system):
    keeper = a_keeper(nodes=[a_node()], pods=[a_pod()], slurm_nodes=[a_slurm_node()], jobs=[a_job()])
    keeper.touch(silent, NEVER)

    error = Gateway(keeper).refusal('{ node(cluster: "fleet", name: "gpu-01") { workloads { name } } }')

    assert error["extensions"]["system"] == system


def test_the_machine_is_held_by_a_tenant_and_stands_in_a_cluster():
    records = some_records(
        nodes=[a_record("gpu-01"), a_record("gpu-02", tenant=None), a_record("far", cluster="elsewhere")]
    )
    keeper = a_keeper(nodes=[a_node("gpu-01"), a_node("gpu-02"), a_node("gpu-03")], records=records)

    held = [
        of_node(keeper, "tenant { name } cluster { name }", name) for name in ("gpu-01", "gpu-02", "gpu-03")
    ]

    assert [one["tenant"] for one in held] == [{"name": "vision"}, None, None]
    assert [one["cluster"] for one in held] == [{"name": "fleet"}] * 3
    far = Gateway(keeper).data(
        '{ node(cluster: "elsewhere", name: "far") { cluster { name kubernetesVersion } } }'
    )
    assert far["node"]["cluster"] == {"name": "elsewhere", "kubernetesVersion": None}


def test_a_machine_costs_its_cards_by_the_price_that_holds_now():
    prices = {H100: [a_price("2.50"), a_price("0.1", since=a_price().effective_from.replace(year=2020))]}
    keeper = a_keeper(nodes=[a_node()], records=some_records(prices=prices))

    assert of_node(keeper, "costPerHour { amount currency }")["costPerHour"] == {
        "amount": "20",
        "currency": "USD",
    }


@pytest.mark.parametrize(
    ("amount", "text"), [("0.1", "0.3"), ("0.333333333", "0.999999999"), ("1E+2", "300"), ("1.10", "3.3")]
)
def test_money_is_exact(amount, text):
    """0.1 + 0.1 + 0.1 is 0.3."""
    keeper = a_keeper(
        nodes=[a_node(labels=whole(3), capacity={GPU: 3})],
        records=some_records(prices={H100: [a_price(amount)]}),
    )

    assert of_node(keeper, "costPerHour { amount }")["costPerHour"] == {"amount": text}


def test_a_machine_without_a_price_costs_what_nobody_knows():
    keeper = a_keeper(nodes=[a_node()], records=some_records(prices={A100: [a_price()]}))

    assert of_node(keeper, "costPerHour { amount } unknowns { field }") == {
        "costPerHour": None,
        "unknowns": [],
    }


def unknowns(keeper, name="gpu-01"):
    listed = of_node(keeper, "unknowns { field code system reason observedAt }", name)["unknowns"]
    return {one.pop("field"): one for one in listed}


def test_what_a_reader_could_not_make_sense_of_is_listed_by_its_path():
    keeper = a_keeper(nodes=[a_node(labels=whole("many"), capacity={GPU: "eight"}, allocatable={GPU: "8"})])

    listed = unknowns(keeper)

    assert listed["gpus.cards"] == {
        "code": "UNDETERMINED",
        "system": "KUBERNETES",
        "reason": "the label nvidia.com/gpu.count says 'many': no whole number from 0 to 1024",
        "observedAt": None,
    }
    assert listed["gpus.resources[nvidia.com/gpu].capacity"]["reason"] == (
        "nvidia.com/gpu: 'eight' is not a Kubernetes quantity"
    )
    assert "gpus.resources[nvidia.com/gpu].allocatable" not in listed


def test_an_undetermined_value_is_null_without_an_error():
    keeper = a_keeper(nodes=[a_node(labels=whole("many"))])

    answer = Gateway(keeper).ask('{ node(cluster: "fleet", name: "gpu-01") { gpus { cards } } }')

    assert answer["data"] == {"node": {"gpus": {"cards": None}}}
    assert "errors" not in answer


def test_slices_are_listed_by_their_resource():
    keeper = a_keeper(nodes=[a_node(labels=mixed(1), capacity={GPU: 0, "nvidia.com/mig-1g.10gb": "some"})])

    assert "migSlices[nvidia.com/mig-1g.10gb].capacity" in unknowns(keeper)


def test_a_silent_system_is_listed_with_when_it_was_last_heard():
    keeper = a_keeper(nodes=[a_node()], records=some_records(nodes=[a_record()]))
    keeper.touch(RECORDS, NEVER.succeeded(a_price().effective_from))

    listed = unknowns(keeper)

    assert listed["target"] == {
        "code": "SOURCE_STALE",
        "system": "PLATFORM",
        "reason": "platform/records is silent",
        "observedAt": "2026-11-28T12:00:00Z",
    }
    assert {"tenant", "costPerHour", "gpus.type.pricePerHour", "gpus.type.prices"} <= listed.keys()


def test_a_machine_of_slurm_that_kubernetes_knows_too_has_its_jobs():
    keeper = a_keeper(
        nodes=[a_node()],
        slurm_nodes=[a_slurm_node()],
        jobs=[a_job("7", {"gpu-01": 2})],
        records=some_records(nodes=[a_record(target=Target.SLURM)]),
    )

    found = of_node(keeper, "target knownTo busy slurm { jobs { jobId node { name } nodes { name } } }")

    assert found == {
        "target": "SLURM",
        "knownTo": ["KUBERNETES", "PLATFORM", "SLURM"],
        "busy": True,
        "slurm": {"jobs": [{"jobId": "7", "node": {"name": "gpu-01"}, "nodes": [{"name": "gpu-01"}]}]},
    }


def test_pods_of_a_machine_are_those_bound_to_it():
    pods = [a_pod("work-0"), a_pod("other", "gpu-02"), a_pod("web", asks={}), a_pod("waiting", None)]
    keeper = a_keeper(nodes=[a_node("gpu-01"), a_node("gpu-02")], pods=pods)
    asked = "pods { totalCount nodes { name } } all: pods(filter: {includeNonGpu: true}) { nodes { name } }"

    found = of_node(keeper, asked)

    assert found["pods"] == {"totalCount": 1, "nodes": [{"name": "work-0"}]}
    assert found["all"]["nodes"] == [{"name": "web"}, {"name": "work-0"}]
