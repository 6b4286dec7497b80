"""What is found of one link of the chain."""

from dataclasses import dataclass

from gateway.fleet.alert import Evidence, Remedy
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.unknown import Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """What is found of one link, and what shows it."""

    outcome: StepOutcome
    said: str
    """A sentence without its full stop."""
    see: str
    """What to ask kubectl."""
    evidence: tuple[Evidence, ...] = ()
    remedies: tuple[Remedy, ...] = ()

    def step(self, check: DiagnosisCheck) -> DiagnosisStep:
        """The same as a step; its command is the end of the finding."""
        return DiagnosisStep(
            check=check,
            outcome=self.outcome,
            finding=f"{self.said}. See: kubectl {self.see}",
            evidence=self.evidence,
            remedies=self.remedies,
        )


def passed(said: str, see: str, *evidence: Evidence) -> Link:
    """It holds."""
    return Link(outcome=StepOutcome.PASS, said=said, see=see, evidence=evidence)


def broken(said: str, see: str, evidence: tuple[Evidence, ...], *remedies: Remedy) -> Link:
    """It does not hold, and what comes after it cannot."""
    return Link(outcome=StepOutcome.FAIL, said=said, see=see, evidence=evidence, remedies=remedies)


def doubtful(said: str, see: str, evidence: tuple[Evidence, ...], *remedies: Remedy) -> Link:
    """It holds, and something about it is wrong."""
    return Link(outcome=StepOutcome.WARN, said=said, see=see, evidence=evidence, remedies=remedies)


def untold(why: str | Unknown, see: str, *evidence: Evidence) -> Link:
    """Nobody can tell."""
    said = why.reason if isinstance(why, Unknown) else why
    return Link(outcome=StepOutcome.UNKNOWN, said=said, see=see, evidence=evidence)
