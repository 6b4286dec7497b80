import pytest

from gateway.sources.slurm.hostlist import read_hostlist


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("", []),
        ("(null)", []),
        ("gpu-01", ["gpu-01"]),
        (
            "gpu-h100-[01-04,07],x-1",
            ["gpu-h100-01", "gpu-h100-02", "gpu-h100-03", "gpu-h100-04", "gpu-h100-07", "x-1"],
        ),
        ("b,a", ["b", "a"]),
        ("n[9-11]", ["n9", "n10", "n11"]),
        ("n[098-101]-ib", ["n098-ib", "n099-ib", "n100-ib", "n101-ib"]),
        ("r[1-2]n[1,3]", ["r1n1", "r1n3", "r2n1", "r2n3"]),
    ],
)
def test_hosts_are_named_in_slurms_order(text: str, hosts: list[str]):
    assert list(read_hostlist(text)) == hosts


@pytest.mark.parametrize(
    "text", ["n[1-", "n1]", "n[a-b]", "n[3-1]", "n[]", ",", "a,,b", "n[1-99999]", "n[[1]]"]
)
def test_what_is_no_host_list_is_refused(text: str):
    with pytest.raises(ValueError, match=r"no list of hosts|no range of hosts"):
        read_hostlist(text)


def test_brackets_that_multiply_beyond_any_cluster_are_refused():
    with pytest.raises(ValueError, match="over 65536 hosts"):
        read_hostlist("r[1-300]n[1-300]")
