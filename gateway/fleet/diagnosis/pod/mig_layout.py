"""MIG_LAYOUT: whether the slices that the pod asks for exist anywhere, or could."""

from gateway.fleet.alert import Evidence
from gateway.fleet.catalogue import nvidia_smi_name
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.diagnosis.pod.case import Case, devices_of
from gateway.fleet.diagnosis.pod.cures.layout import cuttable, profile_of
from gateway.fleet.diagnosis.pod.words import SHOWN, of_node, some
from gateway.fleet.discrepancies.evidence import counted
from gateway.fleet.placement.node import CardFacts
from gateway.fleet.scheduling.resources import available
from gateway.fleet.sharing import GPU, single_mig_profile
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown

_CHECK = DiagnosisCheck.MIG_LAYOUT


def mig_layout(case: Case) -> DiagnosisStep | None:
    """Judge each kind of slices; None: it asks for none."""
    slices = [device for device in devices_of(case.pod) if profile_of(device)]
    if not slices:
        return None
    if case.silence:
        return DiagnosisStep(check=_CHECK, outcome=StepOutcome.UNKNOWN, finding="nodes are silent")
    offering = {device: _offering(case, device) for device in slices}
    missing = [device for device, nodes in offering.items() if nodes == 0]
    unread = first_unknown(*offering.values())
    if unread and not missing:
        said = f"which nodes offer such slices is not known: {unread.reason}"
        return DiagnosisStep(check=_CHECK, outcome=StepOutcome.UNKNOWN, finding=said)
    if not missing:
        said = "; ".join(
            f"{device} is offered by {counted(nodes, 'node')}"
            for device, nodes in offering.items()
            if isinstance(nodes, int)
        )
        return DiagnosisStep(check=_CHECK, outcome=StepOutcome.PASS, finding=said)
    return DiagnosisStep(
        check=_CHECK,
        outcome=StepOutcome.FAIL,
        finding="; ".join(_said(case, device) for device in missing),
        evidence=tuple(piece for device in missing for piece in _evidence(case, device)),
    )


def _offering(case: Case, device: str) -> int | Unknown:
    """How many nodes offer some; unknown where only such do whose amount cannot be read."""
    amounts = [available(one, device) for one in case.view.candidates.values()]
    return sum(isinstance(one, int) and one > 0 for one in amounts) or first_unknown(*amounts) or 0


def _said(case: Case, device: str) -> str:
    facts = {name: cuttable(case.nodes[name], device) for name in case.view.candidates}
    could = [name for name, one in facts.items() if isinstance(one, CardFacts)]
    untold = [name for name, one in facts.items() if isinstance(one, Unknown)]
    profile = profile_of(device)
    single = [name for name in case.view.candidates if _offers_as_gpus(case, name, profile)]
    if single:
        return f"no node offers {device}; {some(single)} offers such slices as {GPU} (MIG strategy single)"
    if could:
        return f"no node offers {device}; under another layout {some(could)} could"
    if untold:
        return f"no node offers {device}; whether {some(untold)} could be cut so is not known"
    return f"no node offers {device}, and none has cards that can be cut into {profile}"


def _offers_as_gpus(case: Case, name: str, profile: str | None) -> bool:
    """Whether the single strategy hides such slices behind the name of whole cards."""
    offered = single_mig_profile(case.view.candidates[name].node.gpu_labels)
    return offered is not None and nvidia_smi_name(offered) == profile


def _evidence(case: Case, device: str) -> list[Evidence]:
    could = sorted(
        name for name in case.view.candidates if isinstance(cuttable(case.nodes[name], device), CardFacts)
    )
    config = "nvidia.com/mig.config"
    return [
        of_node(case, name, f"metadata.labels[{config}]", case.view.candidates[name].node.labels.get(config))
        for name in could[:SHOWN]
    ]
