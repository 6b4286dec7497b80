"""MIG_LAYOUT: whether the slices that the pod asks for exist anywhere, or could."""

from gateway.fleet.alert import Evidence
from gateway.fleet.catalogue import nvidia_smi_name
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.diagnosis.pod.capacity import rooms
from gateway.fleet.diagnosis.pod.case import Case, devices_of
from gateway.fleet.diagnosis.pod.cures.layout import cuttable, profile_of
from gateway.fleet.diagnosis.pod.words import SHOWN, of_node, some
from gateway.fleet.discrepancies.evidence import counted
from gateway.fleet.placement.node import CardFacts
from gateway.fleet.sharing import GPU, single_mig_profile
from gateway.fleet.unknown import Unknown

_CHECK = DiagnosisCheck.MIG_LAYOUT


def mig_layout(case: Case) -> DiagnosisStep | None:
    """Judge each kind of slices; None: it asks for none."""
    slices = [device for device in devices_of(case.pod) if profile_of(device)]
    if not slices:
        return None
    if case.silence:
        return DiagnosisStep(check=_CHECK, outcome=StepOutcome.UNKNOWN, finding="nodes are silent")
    missing = [device for device in slices if not rooms(case, device)]
    if not missing:
        said = "; ".join(
            f"{device} is offered by {counted(len(rooms(case, device)), 'node')}" for device in slices
        )
        return DiagnosisStep(check=_CHECK, outcome=StepOutcome.PASS, finding=said)
    return DiagnosisStep(
        check=_CHECK,
        outcome=StepOutcome.FAIL,
        finding="; ".join(_said(case, device) for device in missing),
        evidence=tuple(piece for device in missing for piece in _evidence(case, device)),
    )


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
