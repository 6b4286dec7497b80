import itertools
import re
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from gateway.errors import Invalid
from gateway.fleet.gpu import GpuType, Price
from gateway.fleet.platform import Allocation, NodeRecord, Target, Tenant, Workspace
from gateway.sources.postgres.platform_file import PlatformFile, read_platform_file

WHOLE = """
gpuTypes:
  - {name: X1, memoryMiB: 81559, products: [NVIDIA-X1], slurmTypes: [x1]}
prices:
  - {gpuType: X1, amount: "2.50", currency: USD, from: 2026-01-01T00:00:00Z}
  - {gpuType: T4-16GB, amount: 0.1, currency: EUR, from: "2026-01-01T02:00:00+02:00"}
tenants:
  - name: vision
    displayName: Vision
    nodes:
      - {name: gpu-01, target: KUBERNETES}
      - {name: gpu-02, target: SLURM, cards: 8, gpuType: X1}
    workspaces:
      - name: training
        namespaces: [vision-training]
        queue: vision-training
        allocations: {X1: 4, T4-16GB: 0}
nodes:
  - {name: gpu-03, target: KUBERNETES}
clusters: [fleet]
"""


@pytest.fixture
def read(tmp_path):
    """Read a file that holds this text."""

    def read_text(text, *clusters):
        file = tmp_path / "platform.yaml"
        file.write_text(text)
        return read_platform_file(file, clusters or ("fleet",))

    return read_text


@pytest.fixture
def mistakes(read):
    """The lines that are said about this text, without the folder."""

    def mistakes_in(text, *clusters):
        with pytest.raises(Invalid) as caught:
            read(text, *clusters)
        return [re.sub(r"^.*/platform\.yaml:", "", line) for line in str(caught.value).splitlines()]

    return mistakes_in


def test_everything_that_a_file_can_say_is_read(read):
    start = datetime(2026, 1, 1, tzinfo=UTC)
    assert read(WHOLE) == PlatformFile(
        gpu_types=(
            GpuType(
                name="X1", memory_mib=81559, products=("NVIDIA-X1",), slurm_types=("x1",), mig_profiles=()
            ),
        ),
        prices=(
            ("X1", Price(amount=Decimal("2.50"), currency="USD", effective_from=start)),
            ("T4-16GB", Price(amount=Decimal("0.1"), currency="EUR", effective_from=start)),
        ),
        tenants=(Tenant(name="vision", display_name="Vision"),),
        workspaces=(
            Workspace(
                tenant_name="vision",
                name="training",
                cluster_name="fleet",
                namespaces=("vision-training",),
                queue_name="vision-training",
                allocations=(
                    Allocation(gpu_type="X1", cards=4, generation=1),
                    Allocation(gpu_type="T4-16GB", cards=0, generation=1),
                ),
            ),
        ),
        nodes=(
            a_node("gpu-01", Target.KUBERNETES, "vision"),
            a_node("gpu-02", Target.SLURM, "vision", 8, "X1"),
            a_node("gpu-03", Target.KUBERNETES),
        ),
    )


def a_node(name, target, tenant=None, cards=None, gpu_type=None):
    return NodeRecord(
        cluster="fleet",
        name=name,
        target=target,
        tenant_name=tenant,
        claimed_cards=cards,
        claimed_gpu_type=gpu_type,
    )


@pytest.mark.parametrize("text", ["", "# nothing\n", "tenants:\n", "nodes: []\n"])
def test_a_file_that_says_nothing_holds_nothing(read, text):
    assert read(text) == PlatformFile(gpu_types=(), prices=(), tenants=(), workspaces=(), nodes=())


def a_price(**changes):
    price = {"gpuType": "T4-16GB", "amount": "1", "currency": "USD", "from": "2026-01-01T00:00:00Z"} | changes
    return "prices:\n  - {" + ", ".join(f"{key}: {value}" for key, value in price.items()) + "}\n"


DECIMAL = 'write a decimal from 0, as "2.50", up to 12 digits before and after the point'
MISTAKES = {
    "tenant: []": "1: the file: unknown key 'tenant'; known are gpuTypes, prices, tenants, nodes, clusters",
    "- a": "1: the file: is a list; write a mapping of keys and values",
    "nodes: 3": "1: nodes: is '3'; write a list",
    "nodes:\n  - gpu-01": "2: node: is 'gpu-01'; write a mapping of keys and values",
    "nodes:\n  - {target: SLURM}": "2: node: name is missing; add it",
    "nodes:\n  - {name: a}": "2: node: target is missing; add it",
    "nodes:\n  - {name: a, target: null}": "2: node: target is missing; add it",
    "nodes:\n  - {name: a, target: BOTH}": "2: node a: target: is 'BOTH'; write KUBERNETES or SLURM",
    "nodes:\n  - {name: a, target: SLURM, gpus: 8}": (
        "2: node: unknown key 'gpus'; known are name, target, cluster, cards, gpuType, desired"
    ),
    "nodes:\n  - {name: a, target: SLURM, cards: -1}": (
        "2: node a: cards: is '-1'; write a whole number from 0 to 2147483647"
    ),
    "nodes:\n  - {name: a, target: SLURM, cards: 0.5}": (
        "2: node a: cards: is '0.5'; write a whole number from 0 to 2147483647"
    ),
    "nodes:\n  - {name: a, target: SLURM, cards: 4294967296}": (
        "2: node a: cards: is '4294967296'; write a whole number from 0 to 2147483647"
    ),
    "nodes:\n  - {name: a, target: SLURM, gpuType: H100}": (
        "2: node a: gpuType: 'H100' is neither in gpuTypes nor in the catalogue;"
        " write H100-80GB or H100-NVL-94GB, or add it to gpuTypes"
    ),
    "nodes:\n  - {name: a, target: SLURM, gpuType: zzz}": (
        "2: node a: gpuType: 'zzz' is neither in gpuTypes nor in the catalogue; add it to gpuTypes"
    ),
    "nodes:\n  - {name: a, name: b, target: SLURM}": "2: node: the key 'name' stands here twice; keep one",
    "nodes:\n  - {name: a, target: SLURM}\n  - {name: a, target: SLURM}": (
        "3: node a of cluster fleet stands here and in line 2; keep one"
    ),
    "nodes:\n  - {name: a, target: SLURM, desired: {cordon: true}}": (
        "2: node a: desired: unknown key 'cordon'; known are cordoned, cordonReason, migLayout"
    ),
    "nodes:\n  - {name: '', target: SLURM}": "2: name of a node: is ''; write a name",
    'nodes:\n  - {name: "a\\0b", target: SLURM}': (
        "2: name of a node: has control characters or more than 253; write a name"
    ),
    "tenants:\n  - name: v\n    nodes: [{name: a, target: SLURM}]\n  - name: w\n    nodes:\n"
    "      - {name: a, target: SLURM}": (
        "6: node a of cluster fleet stands here under tenant w and in line 3 under tenant v; keep one"
    ),
    "tenants:\n  - name: v\n  - name: v": "3: tenant v stands here and in line 2; keep one",
    "tenants:\n  - name: v\n    workspaces:\n      - {name: s, namespaces: [n]}\n"
    "      - {name: t, namespaces: [n]}": (
        "5: namespace n of cluster fleet stands here under workspace v/t"
        " and in line 4 under workspace v/s; keep one"
    ),
    "tenants:\n  - name: v\n    workspaces:\n      - {name: s, namespaces: [n, n]}": (
        "4: namespace n of cluster fleet stands here and in line 4; keep one"
    ),
    "tenants:\n  - name: v\n    workspaces: [{name: s}, {name: s}]": (
        "3: workspace v/s stands here and in line 3; keep one"
    ),
    "tenants:\n  - name: v\n    workspaces:\n      - {name: s, allocations: {T4-16GB: -4}}": (
        "4: workspace v/s: allocations: T4-16GB: is '-4'; write a whole number from 0 to 2147483647"
    ),
    "tenants:\n  - name: v\n    workspaces:\n      - name: s\n        allocations:\n          T4: 4": (
        "6: workspace v/s: allocations: 'T4' is neither in gpuTypes nor in the catalogue; write T4-16GB,"
        " or add it to gpuTypes"
    ),
    "gpuTypes:\n  - {name: a, memoryMiB: 0}": (
        "2: GPU type a: memoryMiB: is '0'; write a whole number from 1 to 2147483647"
    ),
    "gpuTypes:\n  - {name: a}\n  - {name: a}": ("3: GPU type a stands here and in line 2; keep one"),
    "gpuTypes:\n  - {name: a, products: [p]}\n  - {name: b, products: [p]}": (
        "3: product p stands here under GPU type b and in line 2 under GPU type a; keep one"
    ),
    a_price(amount="-1"): f"2: price of T4-16GB: amount: is '-1'; {DECIMAL}",
    a_price(amount=".nan"): f"2: price of T4-16GB: amount: is '.nan'; {DECIMAL}",
    a_price(amount="1" * 13): f"2: price of T4-16GB: amount: is '{'1' * 13}'; {DECIMAL}",
    a_price(amount="1e3"): f"2: price of T4-16GB: amount: is '1e3'; {DECIMAL}",
    a_price(amount='"1,50"'): f"2: price of T4-16GB: amount: is '1,50'; {DECIMAL}",
    a_price(currency="usd"): ("2: price of T4-16GB: currency: is 'usd'; write three capital letters, as USD"),
    a_price(**{"from": "2026-01-01"}): (
        "2: price of T4-16GB: from: is '2026-01-01'; write a time with its zone, as 2026-01-01T00:00:00Z"
    ),
    a_price() + a_price().partition("\n")[2]: (
        "3: price of T4-16GB from 2026-01-01T00:00:00+00:00 stands here and in line 2; keep one"
    ),
    "clusters: [a, b]\nnodes:\n  - {name: n, target: SLURM}": (
        "3: node n: cluster is missing where there are several; add one of a, b"
    ),
    "clusters: [a, b]\nnodes:\n  - {name: n, target: SLURM, cluster: c}": (
        "3: node n: cluster 'c' is not in clusters (a, b); add it"
    ),
    "nodes:\n  - {name: a\n": "3: is not YAML: did not find expected ',' or '}'",
    "a: 1\n---\nb: 2\n": "2: is not YAML: but found another document",
    "? [a]\n: 1\n": "1: the file: a key is a list; write a word",
}


@pytest.mark.parametrize(("text", "line"), MISTAKES.items(), ids=itertools.count())
def test_a_mistake_is_one_line_with_its_place_and_the_fix(mistakes, text, line):
    assert mistakes(text)[0] == line


def test_all_mistakes_are_told_at_once_in_the_order_of_their_lines(mistakes):
    text = "nodes:\n  - {name: a, target: BOTH, cards: x}\ntenants:\n  - {}\nprices:\n  - 1\n"
    assert [line.partition(":")[0] for line in mistakes(text)] == ["2", "2", "4", "6"]


def test_with_several_clusters_around_each_node_and_workspace_says_which(mistakes, read):
    node = "nodes:\n  - {name: n, target: SLURM}\n"
    assert mistakes(node, "a", "b") == [
        "2: node n: cluster is missing where there are several; add one of a, b"
    ]
    assert read(node, "a").nodes[0].cluster == "a"
    assert read(node.replace("SLURM", "SLURM, cluster: b"), "a", "b").nodes[0].cluster == "b"


def test_one_name_may_stand_in_two_clusters(read):
    nodes = "".join(f"  - {{name: n, target: SLURM, cluster: {cluster}}}\n" for cluster in "ab")
    found = read(f"clusters: [a, b]\nnodes:\n{nodes}").nodes
    assert [(node.cluster, node.name) for node in found] == [("a", "n"), ("b", "n")]


def test_a_name_that_looks_like_a_number_stays_as_it_is_written(read):
    assert read("nodes:\n  - {name: 0017, target: SLURM}").nodes[0].name == "0017"


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(Invalid, match=r"platform\.yaml: No such file"):
        read_platform_file(tmp_path / "platform.yaml")


def test_a_file_that_is_not_text_is_named(tmp_path):
    file = tmp_path / "platform.yaml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Invalid, match=r"platform\.yaml: is not UTF-8 text"):
        read_platform_file(file)
