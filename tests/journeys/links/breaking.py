"""What breaks a link, where it takes more than one change."""

from tests.journeys.links.machine import DISCOVERY, ENFORCE, GPU, MACHINE, OPERATOR, PLUGIN, pod_of

NO_RUNTIME = 'failed to get sandbox runtime: no runtime for "nvidia" is configured'
NFD = "feature.node.kubernetes.io/"
SWITCH, MIG_STATE = "nvidia.com/gpu.deploy.device-plugin", "nvidia.com/mig.config.state"
UPGRADE, PRODUCT = "nvidia.com/gpu-driver-upgrade-state", "nvidia.com/gpu.product"
CONFIG = "nvidia.com/device-plugin.config"


def card_gone(site):
    site.label(f"{NFD}pci-10de.present", None)
    site.label(f"{NFD}cpu-model.vendor_id", "Intel")
    site.label("nvidia.com/gpu.present", None)
    site.give({})


def runtime_class_gone(site):
    site.drop("RuntimeClass", "nvidia")
    site.lose(PLUGIN)
    site.give({GPU: "8"}, {GPU: "0"})


def no_runtime(site):
    site.wait(PLUGIN, "ContainerCreating")
    about = {"kind": "Pod", "namespace": OPERATOR, "name": f"{PLUGIN}-{MACHINE}", "uid": "1"}
    site.objects.append(
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": "no-runtime", "namespace": OPERATOR},
            "involvedObject": about,
            "reason": "FailedCreatePodSandBox",
            "message": NO_RUNTIME,
            "lastTimestamp": "2026-11-29T12:00:00Z",
        }
    )


def tainted(site):
    plugin_gone(site)
    site.node["spec"] = {"taints": [{"key": "team", "value": "a", "effect": "NoSchedule"}]}


def paused(site):
    site.lose(PLUGIN)
    site.label(SWITCH, "paused-for-mig-change")
    site.label(MIG_STATE, "pending")
    site.give({GPU: "0"})


def plugin_gone(site):
    site.lose(PLUGIN)
    site.give({GPU: "8"}, {GPU: "0"})


def not_selected(site):
    plugin_gone(site)
    site.label(SWITCH, None)


def forbidden(site):
    plugin_gone(site)
    enforced(site, "restricted")


def not_installed(site):
    plugin_gone(site)
    site.drop("DaemonSet", PLUGIN)


def enforced(site, level="baseline"):
    site.named("Namespace", OPERATOR)["metadata"]["labels"][ENFORCE] = level


def left_over(site):
    site.lose(DISCOVERY)
    site.objects.append(pod_of(DISCOVERY, "gpu-02"))


def invalid_layout(site):
    site.label(PRODUCT, "NVIDIA-A30-MIG-INVALID")
    site.label("nvidia.com/gpu.count", "0")
    site.label("nvidia.com/mig.strategy", "single")
    site.give({GPU: "0"})
