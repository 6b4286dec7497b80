from gateway.fleet.changes.refusals import not_found

FLEET = [f"gpu-{at:05d}" for at in range(10_000)]


def test_names_that_are_alike_are_told():
    assert not_found("node", "gpu-0500O", FLEET).message == (
        "there is no node 'gpu-0500O'; there is gpu-05200, gpu-05100, gpu-05090, and others"
    )


def test_where_nothing_is_alike_some_are_told():
    assert not_found("node", "~", FLEET).message == (
        "there is no node '~'; there is gpu-00000, gpu-00001, gpu-00002, and others"
    )


def test_where_there_is_nothing_that_is_told():
    assert not_found("node", "a", ()).message == "there is no node 'a'; there is none at all"


def test_a_name_that_is_far_too_long_is_not_said_again():
    assert len(not_found("node", "x" * 1_000_000, FLEET).message) < 400
