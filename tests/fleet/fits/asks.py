"""Asks, and what the fleet answers, in words that a table can hold."""

from dataclasses import replace

from gateway.fleet.catalogue import CATALOGUE, profile
from gateway.fleet.fits.ask import Ask
from gateway.fleet.fits.report import fit_report
from gateway.fleet.unknown import Unknown
from tests.builders import some_records
from tests.fleets import a_fleet
from tests.gpu_labels import H100


def cards(count=1, kind=H100, *, nodes=1, tenant=None):
    """An ask for whole cards."""
    return Ask(gpu_type=CATALOGUE[kind], profile=None, count=count, nodes=nodes, tenant=tenant)


def slices(name, count=1, kind=None, *, nodes=1, tenant=None):
    """An ask for slices; without a type, of any."""
    known = CATALOGUE[kind] if kind else None
    return Ask(gpu_type=known, profile=profile(known, name), count=count, nodes=nodes, tenant=tenant)


def asked(ask, nodes, pods=(), records=(), **told):
    """The report of a fleet of these."""
    return fit_report(ask, a_fleet(nodes, pods, some_records(records), **told))


def fits(report):
    """True, False, or None where nobody can say."""
    return _plain(report.fits)


def by_node(report):
    """Of each machine the same."""
    return {one.node.name: _plain(one.verdict.fits) for one in report.nodes}


def said(report, name="gpu-01"):
    """Why a machine does not do, in words; or why nobody can say."""
    verdict = next(one.verdict for one in report.nodes if one.node.name == name)
    if isinstance(verdict.fits, Unknown):
        return verdict.fits.reason
    return "; ".join(reason.text for reason in verdict.reasons)


def done(report):
    """What to do, each with its action."""
    return [(one.action.value, one.text) for one in report.remedies]


def cordoned_by(node, manager):
    """The same node, and who cordoned it."""
    return replace(node, cordoned=True, cordoned_by=manager)


def _plain(value):
    return None if isinstance(value, Unknown) else value
