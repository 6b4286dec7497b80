"""Who would be hurt by a change."""

from gateway.errors import Invalid, NotFound
from gateway.fleet.changes.judge import judge
from gateway.fleet.changes.judgement import Impact
from gateway.fleet.problem import ProblemCode
from resolvers.change_inputs import ImpactInput
from resolvers.context import Info


def impact(info: Info, of: ImpactInput) -> Impact | None:
    """Who would be hurt by this change: what a dialog shows before it asks. Its mutation judges alike."""
    judged = judge(of.change, info.context.fleet)
    if judged.impact is None and judged.problem:
        meant = NotFound if judged.problem.code is ProblemCode.NOT_FOUND else Invalid
        raise meant(judged.problem.message)
    return judged.impact
