"""Volcano's kinds on a real API server: served, or not served at all."""

import asyncio
from pathlib import Path
from typing import Any

import yaml

from tests.servers.control_plane import ControlPlane, Refusal

QUEUES = "/apis/scheduling.volcano.sh/v1beta1/queues"
POD_GROUPS = "/apis/scheduling.volcano.sh/v1beta1/namespaces/{namespace}/podgroups"

_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_FILE = Path(__file__).with_name("volcano_crds.yaml")


async def serve_volcano(control_plane: ControlPlane) -> None:
    """Make the API server serve queues and pod groups, and wait until it does."""
    for definition in yaml.safe_load_all(_FILE.read_text()):
        await serve(control_plane, definition)


async def serve(control_plane: ControlPlane, definition: dict[str, Any]) -> None:
    """Make the API server serve a kind in version v1beta1, and wait until it does."""
    await control_plane.request("POST", _DEFINITIONS, definition)
    path = f"/apis/{definition['spec']['group']}/v1beta1/{definition['spec']['names']['plural']}"
    await _until_served(control_plane, path)


async def withdraw_volcano(control_plane: ControlPlane) -> None:
    """Make the API server forget the two kinds and every object of them."""
    for definition in yaml.safe_load_all(_FILE.read_text()):
        await control_plane.request("DELETE", f"{_DEFINITIONS}/{definition['metadata']['name']}")


async def _until_served(control_plane: ControlPlane, path: str) -> None:
    async with asyncio.timeout(15):
        while True:
            try:
                await control_plane.request("GET", path)
            except Refusal:  # 404 for some tenths of a second
                await asyncio.sleep(0.05)
            else:
                return
