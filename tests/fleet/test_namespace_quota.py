import pytest

from gateway.fleet.namespace_quota import namespace_quotas
from tests.builders import a_node
from tests.fleets import a_machine
from tests.quotas import a_quota

GPU, SLICES = "nvidia.com/gpu", "nvidia.com/mig-1g.10gb"
SHARED = {
    "nvidia.com/gpu.count": "8",
    "nvidia.com/gpu.replicas": "10",
    "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-SHARED",
    "nvidia.com/gpu.sharing-strategy": "time-slicing",
}
WHOLE = a_machine(a_node(capacity={GPU: 8}))
SHARES = a_machine(a_node("gpu-02", SHARED, {GPU: 80}), name="gpu-02")
CUT = a_machine(a_node("gpu-03", capacity={GPU: 0, SLICES: 56}), name="gpu-03")
HAMI = a_machine(a_node("gpu-04", capacity={GPU: 80}, hami="GPU-1,10,81559,100,NVIDIA-H100,0,true:"))


def told(key, *machines, used=None):
    (one,) = namespace_quotas([a_quota({key: "4"}, used)], machines)
    return one.enforced, one.used.text if one.used else None, one.note


@pytest.mark.parametrize("key", [GPU, SLICES, f"limits.{GPU}"])
def test_only_a_key_with_requests_binds(key):
    enforced, _, note = told(key, WHOLE, CUT)
    assert not enforced
    assert f"requests.{key.removeprefix('limits.')}" in note


def test_the_key_that_hami_reads_binds_where_hami_hands_out_the_cards():
    assert told(f"limits.{GPU}", HAMI)[0]
    assert not told(GPU, HAMI)[0]


def test_what_is_used_is_what_kubernetes_counted_of_this_very_key():
    assert told(f"requests.{GPU}", WHOLE, used={f"requests.{GPU}": "3"}) == (True, "3", None)
    assert told(f"requests.{GPU}", WHOLE, used={f"requests.{SLICES}": "3"})[1] is None


@pytest.mark.parametrize(
    ("machines", "resource", "note"),
    [
        ((WHOLE,), GPU, None),
        ((SHARES,), GPU, "counts shares, of which 10 are one card"),
        ((WHOLE, SHARES), GPU, "counts cards and shares alike: its machines offer all of them by this name"),
        (
            (CUT,),
            SLICES,
            "counts MIG slices of this one profile; every other profile needs a key of its own",
        ),
        ((WHOLE,), SLICES, "counts what no machine of the cluster offers"),
        ((), GPU, "counts what no machine of the cluster offers"),
    ],
)
def test_a_note_says_what_a_count_means_where_it_is_no_card(machines, resource, note):
    assert told(f"requests.{resource}", *machines)[2] == note
