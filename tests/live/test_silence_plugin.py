"""A credential plugin of a kubeconfig on a real API server: it fails, is turned down, and is mended."""

import json
import sys
from datetime import timedelta

from gateway.assembly import assemble
from gateway.settings import ClusterSettings, Settings
from tests.asking import Gateway
from tests.live.silence_site import until

ASKED = '{ cluster(name: "fleet") { kubernetesVersion } sources { name state error } }'
PLUGIN = """
import json, pathlib, sys
status = {"token": pathlib.Path(sys.argv[1]).read_text()}
version = "client.authentication.k8s.io/v1"
print(json.dumps({"apiVersion": version, "kind": "ExecCredential", "status": status}))
"""


def version_source(answer):
    found = (one for one in answer["data"]["sources"] if one["name"] == "kubernetes/fleet/version")
    return next(found, {"state": None, "error": None})


def says(words):
    return lambda answer: words in (version_source(answer)["error"] or "")


async def test_a_plugin_that_fails_is_named_and_a_renewed_token_is_used(control_plane, tmp_path):
    token = tmp_path / "token"
    settings = Settings(
        stale_after=timedelta(seconds=4),
        clusters=(ClusterSettings(name="fleet", kubeconfig=kubeconfig(control_plane, tmp_path, token)),),
    )
    assembly = assemble(settings)
    async with assembly.running():
        gateway = Gateway(assembly.keeper)
        failed = await until(
            gateway, ASKED, says(f"the credential plugin '{sys.executable}' gave no credentials")
        )
        token.write_text("expired")
        refused = await until(gateway, ASKED, says("401"))
        token.write_text(control_plane.token)
        back = await until(gateway, ASKED, lambda answer: version_source(answer)["state"] == "FRESH")

    for answer in (failed, refused):
        (error,) = answer["errors"]
        assert answer["data"]["cluster"] == {"kubernetesVersion": None}
        assert (error["extensions"]["code"], error["extensions"]["retryable"]) == (
            "SOURCE_UNAVAILABLE",
            False,
        )
    assert back["data"]["cluster"]["kubernetesVersion"].startswith("v1.")


def kubeconfig(control_plane, folder, token):
    """That of the server, whose user is given by a plugin that reads the token from a file."""
    plugin = folder / "plugin.py"
    plugin.write_text(PLUGIN)
    content = json.loads(control_plane.kubeconfig.read_text())
    version = "client.authentication.k8s.io/v1"
    arguments = ["-S", str(plugin), str(token)]
    content["users"][0]["user"] = {
        "exec": {"apiVersion": version, "command": sys.executable, "args": arguments}
    }
    path = folder / "config"
    path.write_text(json.dumps(content))
    return path
