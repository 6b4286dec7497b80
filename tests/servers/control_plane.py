"""A real etcd and kube-apiserver on loopback; no controller runs, so what a test writes stays as written."""

import json
import re
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.servers.process import Process, free_ports

MODULES = Path(__file__).parents[1] / "cluster"
ADMIN, POWERLESS = "admin", "powerless"
MERGE_PATCH = "application/merge-patch+json"


class Refusal(Exception):
    """The API server said no, in the words that follow."""


class ControlPlane:
    """A cluster's API as tests reach it: address and credentials, requests, and ways to silence it."""

    token = ADMIN
    """May do everything."""

    powerless_token = POWERLESS
    """Is known to the server and may read nothing."""

    def __init__(self, programs: Path, folder: Path, flags: Sequence[str] = ()) -> None:
        """`flags` are more of the API server's."""
        self._folder = folder
        port, client_port, peer_port = free_ports(3)
        self.url = f"https://127.0.0.1:{port}"
        self.ca = folder / "apiserver.crt"
        self.kubeconfig = folder / "kubeconfig"
        self.etcd = Process(
            "etcd",
            [programs / "etcd", *_etcd_flags(folder, client_port, peer_port)],
            folder=folder,
        )
        self.api_server = Process(
            "kube-apiserver",
            [programs / "kube-apiserver", *_api_server_flags(folder, port, client_port), *flags],
            folder=folder,
        )

    async def start(self) -> None:
        """Start both programs and wait until the API is ready."""
        tokens = (f"{ADMIN},{ADMIN},{ADMIN},system:masters", f"{POWERLESS},{POWERLESS},{POWERLESS}")
        (self._folder / "tokens.csv").write_text("\n".join(tokens))
        self.kubeconfig.write_text(json.dumps(_kubeconfig(self.url, self.ca, self.token)))
        self.etcd.start()
        await self.restart()

    async def restart(self) -> None:
        """Start the API server, after killing the one that runs, and wait until it is ready."""
        self.api_server.kill()
        self.api_server.start()
        await self.api_server.ready(self._is_ready, within=60)

    async def stop(self) -> None:
        """End both, the API server first: without etcd it would linger for a minute."""
        self.api_server.kill()
        await self.etcd.stop()
        shutil.rmtree(self._folder / "etcd", ignore_errors=True)

    async def request(
        self, method: str, path: str, body: object = None, content_type: str = "application/json"
    ) -> dict[str, Any]:
        """The API's answer as JSON; a refusal is an error that carries the server's own words."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": content_type}
        data = None if body is None else json.dumps(body)
        connector = aiohttp.TCPConnector(ssl=ssl.create_default_context(cafile=self.ca))
        async with (
            aiohttp.ClientSession(self.url, connector=connector) as session,
            session.request(method, path, data=data, headers=headers) as response,
        ):
            answer = await response.text()
            if not response.ok:
                raise Refusal(f"{method} {path}: {response.status} {answer}")
            return json.loads(answer) if response.content_type == "application/json" else {"text": answer}

    async def create(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Create an object with its status, for which most kinds need a second request."""
        created = await self.request("POST", path, body)
        status = body.get("status")
        if status is None or created.get("status") == status:
            return created
        return await self.patch_status(f"{path}/{created['metadata']['name']}", status)

    async def patch_status(self, path: str, status: object) -> dict[str, Any]:
        """Merge this into an object's status, as the component that owns it would."""
        return await self.request("PATCH", f"{path}/status", {"status": status}, MERGE_PATCH)

    async def _is_ready(self) -> bool:
        try:
            return await self.request("GET", "/readyz") == {"text": "ok"}
        except (aiohttp.ClientError, Refusal):
            return False


@asynccontextmanager
async def running_control_plane(programs: Path, folder: Path) -> AsyncIterator[ControlPlane]:
    """A control plane that is ready, and is gone afterwards; its logs stay in the folder."""
    control_plane = ControlPlane(programs, folder)
    try:
        await control_plane.start()
        yield control_plane
    finally:
        await control_plane.stop()


def built_programs() -> Path | None:
    """The folder in which `make servers` put the programs for today's pinned versions."""
    asked = [str(MODULES / "build.sh"), "--where"]
    answer = subprocess.run(asked, check=True, capture_output=True)  # noqa: S603  our own script
    folder = Path(answer.stdout.decode().strip())
    return folder if folder.is_dir() else None


def pinned_version() -> str:
    """The release of Kubernetes that the modules pin."""
    pinned = re.search(r"k8s\.io/kubernetes v(\S+)", (MODULES / "controlplane" / "go.mod").read_text())
    assert pinned
    return pinned[1]


def _etcd_flags(folder: Path, client_port: int, peer_port: int) -> list[str]:
    client, peer = f"http://127.0.0.1:{client_port}", f"http://127.0.0.1:{peer_port}"
    return [
        f"--data-dir={folder / 'etcd'}",
        "--unsafe-no-fsync",
        "--log-level=warn",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
    ]


def _api_server_flags(folder: Path, port: int, etcd_port: int) -> list[str]:
    # The server makes its own certificate, and the key of that serves for service accounts too. With nobody
    # to create service accounts, their admission would refuse every pod.
    key = folder / "apiserver.key"
    return [
        f"--etcd-servers=http://127.0.0.1:{etcd_port}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={folder}",
        f"--token-auth-file={folder / 'tokens.csv'}",
        "--authorization-mode=RBAC",
        "--anonymous-auth=false",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--disable-admission-plugins=ServiceAccount",
        "--allow-privileged=true",
    ]


def _kubeconfig(url: str, ca: Path, token: str) -> dict[str, object]:
    cluster = {"server": url, "certificate-authority": str(ca)}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "tests", "cluster": cluster}],
        "users": [{"name": ADMIN, "user": {"token": token}}],
        "contexts": [{"name": "tests", "context": {"cluster": "tests", "user": ADMIN}}],
        "current-context": "tests",
    }
