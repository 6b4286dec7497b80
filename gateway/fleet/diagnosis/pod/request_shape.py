"""REQUEST_SHAPE: whether what the pod asks for is something that a node could have."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from immutables import Map

from gateway.fleet.alert import Evidence, Remedy, RemedyAction
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.diagnosis.pod.case import Case
from gateway.fleet.diagnosis.pod.words import of_pod
from gateway.fleet.gpu import is_gpu_resource
from gateway.fleet.quantity import write_decimal
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.scheduling.histogram import histogram
from gateway.fleet.scheduling.verdict import verdicts
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown

_CHECK = DiagnosisCheck.REQUEST_SHAPE
_OWN = {"cpu", "memory", "ephemeral-storage", "pods"}
_PAGES = "hugepages-"
_PREFIXES = ("requests.", "limits.")
_RETIRED = {"alpha.kubernetes.io/nvidia-gpu": "nvidia.com/gpu"}
"""Names that Kubernetes had until 1.11."""
_USUAL = ("nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe")


def request_shape(case: Case) -> DiagnosisStep:
    """Judge the names and the amounts; that limits are set and equal the API server sees to (1.36)."""
    unheard = [name for name in _devices(case) if not case.silence and not _is_offered(name, case)]
    strange = {name: _meant(name, case) for name in unheard}
    misspelt = {name: meant for name, meant in strange.items() if meant}
    if misspelt:
        return _misspelt(case, misspelt)
    for name in _devices(case):
        amount = case.pod.requests[name]
        if isinstance(amount, Unknown):
            return _step(
                StepOutcome.UNKNOWN, f"how much of {name} it asks for cannot be read: {amount.reason}"
            )
        if amount != amount.to_integral_value():
            return _fraction(case, name)
    asked = ", ".join(f"{_amount(case, name)} {name}" for name in _devices(case))
    if not asked:
        return _step(StepOutcome.PASS, "it asks for no devices, so for no GPU")
    evidence = tuple(_quoted(case, _devices(case)))
    said = f"it asks for {asked}: whole numbers, and no name is a misspelling"
    return _step(StepOutcome.PASS, said, evidence)


def _devices(case: Case) -> list[str]:
    """What it asks for beside what every node has."""
    names = (name for name in case.pod.requests if name not in _OWN and not name.startswith(_PAGES))
    return sorted(names)


def _is_offered(name: str, case: Case) -> bool:
    return any(name in one.node.allocatable for one in case.view.candidates.values())


def _meant(name: str, case: Case) -> str | None:
    """What a name that no node offers is a misspelling of."""
    bare = _RETIRED.get(name, name)
    for prefix in _PREFIXES:
        bare = bare.removeprefix(prefix)
    known = _known(case)
    if bare != name and bare in known:
        return bare
    alike = (one for one in known if one != name and _letters(one) == _letters(bare))
    return next(alike, None)


def _known(case: Case) -> list[str]:
    offered = {name for one in case.view.candidates.values() for name in one.node.allocatable}
    return [*sorted(name for name in offered if is_gpu_resource(name)), *_USUAL]


def _letters(name: str) -> str:
    """A name without case and what stands between words: nvidia/gpu and nvidia.com/GPU are alike."""
    plain = name.lower().replace(".com/", "/")
    return "".join(letter for letter in plain if letter.isalnum()).removesuffix("s")


def _misspelt(case: Case, names: Mapping[str, str]) -> DiagnosisStep:
    said = "; ".join(f"no node offers {name}: {meant} is meant" for name, meant in names.items())
    return DiagnosisStep(
        check=_CHECK,
        outcome=StepOutcome.FAIL,
        finding=said,
        code=PendingCode.INSUFFICIENT_RESOURCE,
        evidence=tuple(_quoted(case, names)),
        remedies=(_remedy(case, names),),
    )


def _remedy(case: Case, names: Mapping[str, str]) -> Remedy:
    """Ask for what is meant; judged again, so that nothing is promised that is not so."""
    right = Map({names.get(name, name): amount for name, amount in case.pod.requests.items()})
    judged = verdicts(replace(case.pod, requests=right), case.view)
    fitting = next((one.node for one in judged if one.fits is True), None)
    unknown = first_unknown(*(one.fits for one in judged))
    then = f"then it fits on {fitting}"
    if fitting is None and unknown:
        then = f"whether it then fits is not known: {unknown.reason}"
    elif fitting is None:
        parts = histogram(part for one in judged for part in one.reasons)
        then = "not enough by itself, for nodes then say: " + ", ".join(
            f"{part.nodes} {part.text}" for part in parts
        )
    asked = ", ".join(f"{meant} instead of {name}" for name, meant in names.items())
    text = f"ask for {asked}; {then}"
    return Remedy(action=RemedyAction.CHANGE_REQUEST, text=text, subject=case.pod.id)


def _quoted(case: Case, names: Iterable[str]) -> Iterator[Evidence]:
    for name in names:
        yield of_pod(case, f"requests[{name}]", _amount(case, name))


def _amount(case: Case, name: str) -> str | None:
    amount = case.pod.requests[name]
    return None if isinstance(amount, Unknown) else write_decimal(amount)


def _fraction(case: Case, name: str) -> DiagnosisStep:
    said = f"{_amount(case, name)} of {name} is no whole number, and devices are given whole"
    text = f"ask for whole {name}, or for slices or shares of it"
    remedy = Remedy(action=RemedyAction.CHANGE_REQUEST, text=text, subject=case.pod.id)
    return DiagnosisStep(
        check=_CHECK,
        outcome=StepOutcome.FAIL,
        finding=said,
        code=PendingCode.MISCONFIGURED,
        evidence=tuple(_quoted(case, [name])),
        remedies=(remedy,),
    )


def _step(outcome: StepOutcome, said: str, evidence: tuple[Evidence, ...] = ()) -> DiagnosisStep:
    return DiagnosisStep(check=_CHECK, outcome=outcome, finding=said, evidence=evidence)
