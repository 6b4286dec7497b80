"""Pods on generated fleets, played on kube-scheduler 1.36.3: python -m tests.played records them anew."""

import pytest

from tests.played.judging import differences, wordings
from tests.recorded_scheduler import lines

PLAYED = lines("played.jsonl")


@pytest.mark.parametrize("played", PLAYED, ids=range(len(PLAYED)))
def test_says_of_generated_pods_what_kube_scheduler_says(played):
    assert differences(played) == []


def test_hundreds_of_pods_were_played_and_every_filter_was_heard():
    heard = wordings(PLAYED)
    filters = {
        "Insufficient nvidia.com/gpu",
        "Too many pods",
        "node(s) didn't have free ports for the requested pod ports",
        "node(s) didn't match Pod's node affinity/selector",
        "node(s) didn't match pod affinity rules",
        "node(s) didn't match pod anti-affinity rules",
        "node(s) didn't match pod topology spread constraints",
        "node(s) didn't match pod topology spread constraints (missing required label)",
        "node(s) didn't satisfy existing pods anti-affinity rules",
        "node(s) had untolerated taint(s)",
        "node(s) were unschedulable",
        "pod affinity terms conflict",
    }

    assert sum(len(played["asks"]) for played in PLAYED) == 480
    assert filters - heard.keys() == set()
