"""SHARING_CONFIG: whether the configuration that the device plugin is to use here is there."""

from gateway.fleet.diagnosis.chain.link import Link, broken, passed, untold
from gateway.fleet.diagnosis.chain.vendor import NVIDIA
from gateway.fleet.diagnosis.chain.view import ChainView
from gateway.fleet.operand import OPERANDS, Operand, OperandSet
from gateway.fleet.unknown import Unknown

_LABEL = "nvidia.com/device-plugin.config"


def sharing_config(view: ChainView) -> Link | None:
    """Judge the configuration by which cards are shared: named by a label of the node, else by default."""
    if view.vendor is not NVIDIA:
        return None
    named, sets = view.label(_LABEL), view.sets(Operand.DEVICE_PLUGIN)
    see, told = view.columns(_LABEL), view.labelled(_LABEL)
    if isinstance(sets, Unknown):
        return untold(sets, see, *told)
    plugin = next((one for one in sets or () if view.wants(one)), None)
    wanted = named or (plugin.default_config if plugin else None)
    if wanted is None:
        return passed(f"no configuration of the device plugin is named for {view.name}", see, *told)
    if plugin is None:
        said = (
            f"{view.name} names the configuration {wanted}, and no device plugin is to be seen that has any"
        )
        return untold(said, see, *told)
    return _judged(view, wanted, plugin)


def _judged(view: ChainView, wanted: str, plugin: OperandSet) -> Link:
    told = view.labelled(_LABEL)
    if plugin.config_map is None:
        said = f"{view.name} names the configuration {wanted}, and {plugin.where} reads none"
        text = "name a ConfigMap in ClusterPolicy (devicePlugin.config), or take the label away"
        return broken(
            said, f"-n {plugin.namespace} get daemonset {plugin.name} -o yaml", told, view.repair(text)
        )
    at = f"configmaps/{plugin.namespace}/{plugin.config_map}"
    see = f"-n {plugin.namespace} get configmap {plugin.config_map} -o yaml"
    if isinstance(plugin.configs, Unknown):
        return untold(plugin.configs, see, *told)
    names = plugin.configs or frozenset()
    evidence = (*told, view.told(f"{at} data", ", ".join(sorted(names)) or None, OPERANDS))
    if wanted in names:
        said = f"the configuration {wanted} that is meant for {view.name} is in ConfigMap {plugin.config_map}"
        return passed(said, see, *evidence)
    there = f"it has {', '.join(sorted(names))}" if names else "it has none, or is not there"
    where = f"ConfigMap {plugin.namespace}/{plugin.config_map}"
    said = f"{where} has no configuration {wanted}, which is meant for {view.name}: {there}"
    text = f"add {wanted} to it, or name one that is there by the label {_LABEL} of {view.name}"
    return broken(said, see, evidence, view.repair(text))
