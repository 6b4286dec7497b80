from gateway.fleet.reasons.wordings import part
from gateway.fleet.scheduling.histogram import histogram


def test_sorts_its_entries_as_text_with_their_counts():
    reasons = [
        part(1, "Too many pods"),
        *[part(1, "Insufficient cpu")] * 10,
        *[part(1, "Insufficient memory")] * 2,
    ]

    assert [(one.nodes, one.text) for one in histogram(reasons)] == [
        (1, "Too many pods"),
        (10, "Insufficient cpu"),
        (2, "Insufficient memory"),
    ]
