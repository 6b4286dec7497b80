"""gpu-gateway controllers: what makes desired state so, until it is told to stop."""

import argparse
import socket

from gateway.app import create_probes
from gateway.assembly import assemble
from gateway.background import alongside
from gateway.cli.command import Commands, declare, finish
from gateway.cli.listening import answer_until_told, listen, url_of
from gateway.cli.terminal import answer
from gateway.control import assemble_controllers, run_all
from gateway.settings import Settings, read_settings
from gateway.telemetry import log_as_json

_MORE = """Several may run: one of them leads each cluster, by a Lease there. Each claim and each effect
is a line of the log. To stop every effect: the mutation setPause, or without the gateway
kubectl annotate lease gpu-gateway-controllers -n gpu-gateway gpu-gateway/paused=WHY"""


def add(commands: Commands) -> None:
    """Declare the command."""
    purpose = "carry out what is desired of nodes and watch their health, until SIGINT or SIGTERM"
    declare(commands, "controllers", _run, purpose, _MORE)


def _run(arguments: argparse.Namespace) -> int:
    settings = read_settings(arguments.environ)
    log_as_json(settings.log_level)
    with listen(settings.host, settings.controllers.port, "GPU_GATEWAY_CONTROLLERS_PORT") as listening:
        finish(_control(settings, listening))
    return 0


async def _control(settings: Settings, listening: socket.socket) -> None:
    assembly = assemble(settings)
    controllers = assemble_controllers(settings, assembly.keeper)
    ready = f"controllers at work; {url_of(listening)}/healthz"
    async with assembly.reading(), alongside(run_all(controllers)):
        await answer_until_told(create_probes(assembly.keeper.pin), listening, lambda: answer(ready))
