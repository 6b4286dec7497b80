import json

import pytest

from gateway.errors import Invalid
from gateway.sources.kubernetes.access import ClusterAccess, InCluster, Kubeconfig, Url, check

HIDDEN = "hidden"
CONFIG = {
    "clusters": [{"name": "c", "cluster": {"server": "https://one:6443"}}],
    "users": [{"name": "u", "user": {"token": HIDDEN}}],
    "contexts": [
        {"name": "good", "context": {"cluster": "c", "user": "u"}},
        {"name": "anonymous", "context": {"cluster": "c"}},
        {"name": "broken", "context": {"cluster": "nowhere", "user": "u"}},
    ],
    "current-context": "good",
}


def checking(way):
    check(ClusterAccess(name="fleet", way=way))


@pytest.mark.parametrize(
    ("way", "said"),
    [
        (Url(url="gpu.example:6443", token=HIDDEN), "is no address: write https://host:port"),
        (Url(url="ftp://gpu.example", token=HIDDEN), "is no address"),
        (Url(url="https://[::1", token=HIDDEN), "is no address"),
        (Url(url="http://gpu.example:8080", token=HIDDEN), "in the clear: use https"),
        (Url(url="https://gpu.example:6443"), "needs a token: set token_file"),
    ],
)
def test_an_address_that_makes_no_sense_is_refused_with_the_fix(way, said):
    with pytest.raises(Invalid, match=f"cluster fleet: .*{said}"):
        checking(way)


def test_two_tokens_are_one_too_many(tmp_path):
    with pytest.raises(Invalid, match="not both"):
        checking(Url(url="https://one", token=HIDDEN, token_file=tmp_path / "token"))


@pytest.mark.parametrize("host", ["127.0.0.1:8001", "localhost:8001", "[::1]:8001"])
def test_plain_http_is_for_loopback(host):
    checking(Url(url=f"http://{host}"))


def test_a_pod_may_start_before_its_files_are_there():
    checking(InCluster())


def test_a_token_is_not_shown():
    assert HIDDEN not in repr(Url(url="https://one", token=HIDDEN))


@pytest.mark.parametrize("context", [None, "good", "anonymous"])
def test_a_kubeconfig_with_its_context_is_accepted(tmp_path, context):
    path = tmp_path / "config"
    path.write_text(json.dumps(CONFIG))
    checking(Kubeconfig(path=path, context=context))


@pytest.mark.parametrize(
    ("content", "context", "said"),
    [
        (json.dumps(CONFIG), "other", "has no context 'other'"),
        (json.dumps(CONFIG), "broken", "has no cluster 'nowhere'"),
        ("a: [", None, "cannot be read: .* line 1, column 5"),  # in one line
        ("just text", None, "is no kubeconfig"),
        ("{}", None, "has no current-context: name one with `context`"),
    ],
)
def test_a_kubeconfig_that_cannot_be_used_is_refused_by_name(tmp_path, content, context, said):
    path = tmp_path / "config"
    path.write_text(content)
    with pytest.raises(Invalid, match=said):
        checking(Kubeconfig(path=path, context=context))


def test_a_kubeconfig_that_is_not_there_is_named(tmp_path):
    with pytest.raises(Invalid, match=r"the kubeconfig .*/config cannot be read"):
        checking(Kubeconfig(path=tmp_path / "config"))
