"""QUOTA: what the ResourceQuotas of its namespace say of the GPUs that a pod asks for.

Kubernetes counts a pod when it is made: one that is there is counted, and waits for no quota, but maybe
for others of its gang that were refused. HAMi's scheduler asks again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from gateway.fleet.alert import Evidence, Remedy, RemedyAction
from gateway.fleet.diagnosis.admission.judged import Judged, failed, passed, together, untold, warned
from gateway.fleet.diagnosis.admission.members import Members, members_of
from gateway.fleet.diagnosis.admission.quoted import asked, home_of, told_by
from gateway.fleet.diagnosis.admission.said import newest, refusal, words_of
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep
from gateway.fleet.discrepancies.evidence import counted, kubernetes
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import GpuClaim
from gateway.fleet.namespace_quota import NamespaceQuota, namespace_quotas
from gateway.fleet.pod import Pod
from gateway.fleet.quota import QUOTAS, REQUESTS, binds, resource_of
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.requested import requested_of
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown

_CHECK = DiagnosisCheck.QUOTA
_EXCEEDED = PendingCode.QUOTA_EXCEEDED


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A key of a quota about what the pod asks for."""

    pod: Pod
    fleet: Fleet
    claim: GpuClaim
    key: NamespaceQuota
    scoped: bool

    @property
    def name(self) -> str:
        """The quota and its key as people name them."""
        return f"ResourceQuota {self.key.name}, {self.key.resource}"

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """What is asked, allowed and used."""
        pod, key, at = self.pod, self.key, f"{QUOTAS}/{self.key.namespace}/{self.key.name}"
        used = key.used.text if key.used else None
        return (
            asked(pod, self.claim.resource, self.fleet),
            kubernetes(self.fleet, pod.cluster, f"{at} spec.hard[{key.resource}]", key.hard.text, QUOTAS),
            kubernetes(self.fleet, pod.cluster, f"{at} status.used[{key.resource}]", used, QUOTAS),
        )


def check_quota(pod: Pod, fleet: Fleet) -> DiagnosisStep | None:
    """Judge its quotas; None: none of them is about what it asks, and nothing of its kind was refused."""
    cases = _cases(pod, fleet)
    if isinstance(cases, Unknown):
        return untold(cases).step(_CHECK)
    found = [*_refused(pod, fleet), *map(_judged, cases)]
    return together(_CHECK, found) if found else None


def _cases(pod: Pod, fleet: Fleet) -> list[_Case] | Unknown:
    quotas, nodes = fleet.quotas(pod.cluster), fleet.nodes(pod.cluster)
    if isinstance(quotas, Unknown):
        return quotas
    own = {one.name: one for one in quotas.values() if one.namespace == pod.namespace}
    keys = namespace_quotas(own.values(), () if isinstance(nodes, Unknown) else nodes.values())
    cases = [
        _Case(pod=pod, fleet=fleet, claim=claim, key=key, scoped=own[key.name].scoped)
        for key in keys
        for claim in pod.gpus
        if resource_of(key.resource) == claim.resource
    ]
    bound = {one.claim.resource for one in cases if one.key.enforced}
    return [one for one in cases if one.key.enforced or one.claim.resource not in bound]


def _refused(pod: Pod, fleet: Fleet) -> Iterator[Judged]:
    """Pods like it were refused, or the whole group is not admitted for the quota of its namespace."""
    found = members_of(pod, fleet)
    members = found if isinstance(found, Members) else None
    remedy = _raise(pod, fleet, f"raise the quota of namespace {pod.namespace}, or end work that uses it up")
    event = refusal(pod, fleet, _EXCEEDED)
    if event and members and members.absent:
        missing = f"its gang lacks {counted(members.absent, 'pod')}"
        said = f"{missing}, which {pod.controller} cannot make: {words_of(event)}"
        yield failed(_EXCEEDED, said, (told_by(event, fleet),), remedy)
    elif event:
        said = f"more pods of {pod.controller} are refused: {words_of(event)}"
        yield warned(said, (told_by(event, fleet),), remedy)
    if members and members.group.phase == "Pending":
        event = newest(f"PodGroup/{members.group.name}", pod, fleet, _EXCEEDED)
        if event:
            said = f"its PodGroup is not let in: {words_of(event)}"
            yield failed(_EXCEEDED, said, (told_by(event, fleet),), remedy)


def _judged(case: _Case) -> Judged:
    key, evidence = case.key, case.evidence
    if not key.enforced:
        return warned(f"{case.name} {key.note}", evidence, _bind(case))
    if case.scoped:
        return untold(f"{case.name}: it counts pods of its scopes alone, and they are not judged", *evidence)
    unknown = first_unknown(case.claim.count, key.hard.value, key.used.value if key.used else None)
    if unknown:
        return untold(unknown, *evidence)
    return _counted(case) if binds(key.resource) else _by_hami(case)


def _counted(case: _Case) -> Judged:
    """A key by which Kubernetes counts."""
    key, count, evidence = case.key, case.claim.count, case.evidence
    note = f"; it {key.note}" if key.note else ""
    if _is_more(count, key.hard.value):
        said = f"{case.name} allows {key.hard.text}: this pod with {count} would not be made anew{note}"
        return warned(said, evidence, _raise_key(case, f"raise {key.resource} to {count} at least"))
    if key.used is None:
        return passed(
            f"{case.name} allows {key.hard.text}, and Kubernetes did not count it yet{note}", *evidence
        )
    said = f"{case.name}: {key.used.text} of {key.hard.text} used, with this pod's {count}{note}"
    if _is_more(key.used.value, key.hard.value):
        return warned(
            f"{said}; none of these pods would be made anew", evidence, _raise_key(case, "raise it")
        )
    return passed(said, *evidence)


def _by_hami(case: _Case) -> Judged:
    """A key that HAMi's scheduler holds a pod to before it places it."""
    pod, key, count = case.pod, case.key, case.claim.count
    others = case.fleet.pods_of_namespaces(pod.cluster, [pod.namespace])
    held = others if isinstance(others, Unknown) else requested_of(others, case.claim.resource)
    if isinstance(held, Unknown):
        return untold(held, *case.evidence)
    said = f"{case.name} lets HAMi give {key.hard.text}: the namespace holds {held}"
    if pod.node_name or not isinstance(count, int) or not _is_more(held + count, key.hard.value):
        return passed(said, *case.evidence)
    said += f", and this pod asks for {count}"
    return failed(_EXCEEDED, said, case.evidence, _raise_key(case, f"raise it to {held + count} at least"))


def _is_more(one: object, other: object) -> bool:
    return isinstance(one, (int, Decimal)) and isinstance(other, (int, Decimal)) and one > other


def _bind(case: _Case) -> Remedy:
    text = f"write {REQUESTS}{case.claim.resource} in place of {case.key.resource}"
    return Remedy(action=RemedyAction.OTHER, text=text, subject=home_of(case.pod, case.fleet))


def _raise_key(case: _Case, text: str) -> Remedy:
    key = case.key
    return _raise(case.pod, case.fleet, f"{text}: ResourceQuota {key.name} of namespace {key.namespace}")


def _raise(pod: Pod, fleet: Fleet, text: str) -> Remedy:
    return Remedy(action=RemedyAction.RAISE_QUOTA, text=text, subject=home_of(pod, fleet))
