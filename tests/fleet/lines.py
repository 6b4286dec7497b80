"""Accounts drawn up over a few machines, for tests."""

from gateway.fleet.account import Tariff, balances
from gateway.fleet.catalogue import CATALOGUE
from gateway.fleet.line import Holdings
from tests.builders import NOON, a_node, a_record
from tests.fleets import a_machine


def lines(*nodes, workspaces=(), prices=None, slurm_silence=None):
    holdings = Holdings(owner="fleet", nodes=nodes, workspaces=tuple(workspaces), slurm_silence=slurm_silence)
    tariff = Tariff(types=CATALOGUE, prices=prices or {}, now=NOON)
    drawn = balances(holdings, tariff)
    return {(line.gpu_type.name if line.gpu_type else None, line.target): line for line in drawn}


def line(*nodes, **more):
    (only,) = lines(*nodes, **more).values()
    return only


def machine(name="gpu-01", *, record=None, pods=(), **described):
    return a_machine(
        a_node(name, **described),
        record or a_record(name),
        pods=tuple(pods),
    )


def numbers(balance):
    return {
        "physical": balance.physical,
        "healthy": balance.healthy,
        "schedulable": balance.schedulable,
        "partitioned": balance.partitioned,
        "allocated": balance.allocated,
        "used": balance.used,
        "available": balance.available,
        "deficit": balance.deficit,
    }
