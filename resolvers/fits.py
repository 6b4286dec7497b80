"""Where an ask would fit."""

import strawberry

from gateway.fleet.diagnosis.judged_node import JudgedNode
from gateway.fleet.fits.report import FitReport, fit_report
from gateway.fleet.unknown import Unknown
from resolvers.context import Info
from resolvers.fit_inputs import FitAsk, read_ask
from resolvers.paging import Asked, Page
from resolvers.verdict import count_judged, verdict_page

_TIMES_JUDGED = 3
"""As it is, and as it would be after what is to be done."""


def fits(info: Info, ask: FitAsk) -> FitReport | Unknown:
    """Where would this ask fit now, as a set on one machine; and for every machine where not, why not.

    As kube-scheduler sees it: quotas, queues and the jobs of Slurm are no part of it.
    """
    fleet = info.context.fleet
    wanted = read_ask(ask, fleet)
    if isinstance(wanted, Unknown):
        return wanted
    count_judged(info.context, _TIMES_JUDGED * len(fleet.listings.nodes.rows), "fits")
    return fit_report(wanted, fleet)


def nodes(
    report: strawberry.Parent[FitReport],
    first: int = 50,
    after: str | None = None,
    fits: bool | None = None,  # noqa: FBT001  GraphQL passes it by name
) -> Page[JudgedNode]:
    """Every machine that may be meant, by cluster and name; fits: only those that do, or do not."""
    asked = Asked(first=first, after=after, scope=("fits", report.ask, fits))
    return verdict_page(report.nodes, fits, asked, report.silent)
