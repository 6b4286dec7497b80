import pytest

from gateway.errors import System
from gateway.fleet.scheduler import SchedulerConfig, SharePlugin
from gateway.fleet.unknown import Unknown
from gateway.sources.volcano.scheduler_config import read_config
from tests.sources.volcano.installation import CONFIG

WHERE = "ConfigMap volcano-system/conf"


def config(*tiers, actions="enqueue, allocate, reclaim"):
    listed = "".join(f"- plugins: [{', '.join(tier)}]\n" for tier in tiers)
    return read_config(f'actions: "{actions}"\ntiers:\n{listed}', WHERE)


def test_reads_actions_and_the_plugin_that_holds_the_shares():
    assert read_config(CONFIG, WHERE) == SchedulerConfig(
        actions=("enqueue", "allocate", "reclaim", "backfill"),
        share_plugin=SharePlugin.CAPACITY,
        hierarchy=True,
        gang_decides=True,
    )


def test_queues_are_flat_unless_their_own_plugin_says_otherwise():
    flat = config(["{name: nodegroup, enableHierarchy: true}"], ["{name: capacity}"])
    assert flat.hierarchy is False


@pytest.mark.parametrize(
    ("tiers", "decides"),
    [
        ([["{name: gang}"], ["{name: proportion}"]], True),
        ([["{name: proportion}"], ["{name: gang}"]], False),
        ([["{name: gang}", "{name: proportion}"]], False),
        ([["{name: gang, enableReclaimable: false}"], ["{name: proportion}"]], False),
        ([["{name: proportion}"]], False),
    ],
)
def test_gang_decides_where_it_stands_in_an_earlier_tier(tiers, decides):
    assert config(*tiers).gang_decides is decides


def test_without_a_plugin_of_shares_there_is_none():
    assert config(["{name: gang}"]).share_plugin is None


def test_two_plugins_of_shares_leave_it_open_which_holds_them():
    both = config(["{name: capacity}", "{name: proportion}"])
    assert isinstance(both.share_plugin, Unknown)
    assert both.share_plugin.reason == f"{WHERE} names capacity and proportion: only one can hold the shares"


@pytest.mark.parametrize("text", ["", "actions: [", "tiers: []", "actions: [reclaim]", "- " * 2000 + "a"])
def test_what_is_no_configuration_says_nothing(text):
    unread = read_config(text, WHERE)
    assert isinstance(unread, Unknown)
    assert unread.system is System.QUEUES
    assert unread.reason.startswith(f"{WHERE} is no configuration of a scheduler: ")
