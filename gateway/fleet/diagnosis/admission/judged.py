"""What is found of one thing that a check looks at, and the step that all of them come to."""

from collections.abc import Collection
from dataclasses import dataclass

from gateway.fleet.alert import Evidence, Remedy
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.unknown import Unknown

_WORST_FIRST = (StepOutcome.FAIL, StepOutcome.UNKNOWN, StepOutcome.WARN, StepOutcome.PASS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What is found of one thing."""

    outcome: StepOutcome
    said: str
    """A sentence without its full stop."""
    code: PendingCode | None = None
    evidence: tuple[Evidence, ...] = ()
    remedies: tuple[Remedy, ...] = ()

    def step(self, check: DiagnosisCheck) -> DiagnosisStep:
        """The same as a step."""
        return DiagnosisStep(
            check=check,
            outcome=self.outcome,
            finding=self.said,
            code=self.code,
            evidence=self.evidence,
            remedies=self.remedies,
        )


def passed(said: str, *evidence: Evidence) -> Judged:
    """It keeps nothing from running."""
    return Judged(outcome=StepOutcome.PASS, said=said, evidence=evidence)


def failed(code: PendingCode, said: str, evidence: tuple[Evidence, ...], *remedies: Remedy) -> Judged:
    """It keeps the pod from running."""
    return Judged(outcome=StepOutcome.FAIL, said=said, code=code, evidence=evidence, remedies=remedies)


def warned(said: str, evidence: tuple[Evidence, ...], *remedies: Remedy) -> Judged:
    """Something about it is wrong, and the pod does not wait for it."""
    return Judged(outcome=StepOutcome.WARN, said=said, evidence=evidence, remedies=remedies)


def untold(why: Unknown | str, *evidence: Evidence) -> Judged:
    """Nobody can tell."""
    said = why.reason if isinstance(why, Unknown) else why
    return Judged(outcome=StepOutcome.UNKNOWN, said=said, evidence=evidence)


def merged(found: Collection[Judged]) -> Judged:
    """All that was found as one; the worst is what is said."""
    outcome = min((one.outcome for one in found), key=_WORST_FIRST.index)
    worst = [one for one in found if one.outcome is outcome]
    return Judged(
        outcome=outcome,
        said="; ".join(dict.fromkeys(one.said for one in worst)),
        code=worst[0].code,
        evidence=tuple(dict.fromkeys(piece for one in worst for piece in one.evidence)),
        remedies=tuple(dict.fromkeys(remedy for one in worst for remedy in one.remedies)),
    )


def together(check: DiagnosisCheck, found: Collection[Judged]) -> DiagnosisStep:
    """The step that all of it comes to."""
    return merged(found).step(check)
