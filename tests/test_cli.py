import asyncio
import os
import sys

import pytest

from gateway.cli import main
from schema.build import build
from tests.command_line import run

COMMANDS = ("serve", "demo", "query", "import", "migrate", "schema")


def test_help_names_each_command_and_what_an_exit_status_means(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])

    written = capsys.readouterr().out
    assert ended.value.code == 0
    assert all(f"\n    {command} " in written for command in COMMANDS)
    assert "exit status: 0 done" in written


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_of_its_own(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])

    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: gpu-gateway {command} ")


@pytest.mark.parametrize("arguments", [[], ["nonsense"]])
def test_says_how_it_is_used(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)

    assert ended.value.code == 2
    assert "usage: gpu-gateway" in capsys.readouterr().err


def test_prints_the_schema(capsys):
    assert main(["schema"]) == 0

    assert capsys.readouterr().out.rstrip("\n") == build().as_str().rstrip("\n")


async def test_every_mistake_in_settings_is_a_line_and_there_is_no_traceback():
    ended = await run("serve", GPU_GATEWAY_HOST="0.0.0.0", GPU_GATEWAY_PORT="x")  # noqa: S104 - to be refused

    lines = ended.err.splitlines()
    assert (ended.status, ended.out) == (2, "")
    assert len(lines) == 2
    assert lines[0].startswith("gpu-gateway settings: GPU_GATEWAY_PORT: 'x' is not a whole number")
    assert lines[1].startswith("gpu-gateway settings: host: 0.0.0.0 is not loopback")


@pytest.mark.parametrize("port", ["-1", "65536", "http", ""])
def test_a_port_that_is_none_is_named(port, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["demo", f"--port={port}"])

    assert ended.value.code == 2
    assert "is not a number from 0 to 65535" in capsys.readouterr().err


async def test_whoever_stops_reading_is_told_nothing_more():
    reader, writer = os.pipe()
    os.close(reader)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gateway", "schema"), stdout=writer, stderr=asyncio.subprocess.PIPE
    )
    os.close(writer)
    async with asyncio.timeout(60):
        _, err = await process.communicate()

    assert (process.returncode, err) == (1, b"")
