from gateway.fleet.platform import Target
from gateway.sources.postgres.snapshot import read_tables, renewed

EMPTY = {
    "gpu_type": [],
    "gpu_price": [],
    "tenant": [],
    "workspace": [],
    "workspace_namespace": [],
    "gpu_allocation": [],
    "node_record": [],
}


def a_node(name, target="KUBERNETES", claimed_gpu_type=None):
    return {
        "cluster": "fleet",
        "name": name,
        "target": target,
        "tenant_id": None,
        "claimed_cards": None,
        "claimed_gpu_type": claimed_gpu_type,
    }


def read(**tables):
    snapshot = read_tables(EMPTY | tables)
    problems = [(item.subject, item.problems[0].path, item.problems[0].raw) for item in snapshot.skipped]
    return snapshot.records, problems


def test_a_target_that_this_release_does_not_know_skips_that_record_alone():
    records, problems = read(node_record=[a_node("gpu-01", "NOMAD"), a_node("gpu-02", "SLURM")])
    assert {name: node.target for (_, name), node in records.nodes.items()} == {"gpu-02": Target.SLURM}
    assert problems == [("node_record/fleet/gpu-01", "target", "NOMAD")]


def test_a_claim_of_an_unknown_type_is_named_and_stays_a_claim():
    records, problems = read(node_record=[a_node("gpu-01", claimed_gpu_type="X9"), a_node("gpu-02", None)])
    assert records.nodes["fleet", "gpu-01"].claimed_gpu_type == "X9"
    assert records.nodes["fleet", "gpu-02"].target is None
    assert problems == [("node_record/fleet/gpu-01", "claimed_gpu_type", "X9")]


def test_a_price_of_an_unknown_type_is_skipped_by_its_name():
    price = {"gpu_type": "X9", "effective_from": "2026-01-01", "amount": 1, "currency": "USD"}
    records, problems = read(gpu_price=[price])
    assert records.prices == {}
    assert problems == [("gpu_price/X9/2026-01-01", "gpu_type", "X9")]


def test_what_is_gone_is_gone_and_what_is_equal_stays_itself():
    old, _ = read(node_record=[a_node("gpu-01"), a_node("gpu-02")])
    new, _ = read(node_record=[a_node("gpu-02")])
    kept = renewed(old, new)
    assert list(kept.nodes) == [("fleet", "gpu-02")]
    assert kept.nodes["fleet", "gpu-02"] is old.nodes["fleet", "gpu-02"]
    assert renewed(old, read(node_record=[a_node("gpu-01"), a_node("gpu-02")])[0]) is old
