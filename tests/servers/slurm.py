"""A real Slurm on loopback: slurmctld, a slurmd for each node, and slurmrestd with JWT."""

import asyncio
import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from tests.servers.jwt import mint
from tests.servers.process import Process, accepts, free_ports, program
from tests.servers.slurm_conf import NODES, SlurmFiles, write_conf
from tests.servers.slurm_steps import end_steps

DAEMONS = ("munged", "slurmctld", "slurmd", "slurmrestd")
PLUGIN_FOLDERS = ("lib/*/slurm-wlm", "lib/*/slurm", "lib64/slurm")


class Slurm:
    """One Slurm as tests reach it: slurmrestd's address and a token, its commands, and ways to silence it."""

    def __init__(self, root: Path, plugins: Path) -> None:
        self.files = SlurmFiles(root=root)
        self.user = pwd.getpwuid(os.geteuid()).pw_name
        self._plugins = plugins
        self._rest_port, self._port, *self._node_ports = free_ports(len(NODES) + 2)
        self.url = f"http://127.0.0.1:{self._rest_port}"
        self.munged = self._daemon("munged", *_munged_flags(self.files))
        self.controller = self._daemon("slurmctld", "-D", "-i", "-f", self.files.conf)
        self.nodes = {
            node.name: self._daemon("slurmd", "-D", "-N", node.name, "-f", self.files.conf, name=node.name)
            for node in NODES
            if node.runs
        }
        self.rest = self._rest()

    @property
    def token(self) -> str:
        """Lets the user who started this Slurm in, until the year 2100."""
        return mint(self.files.jwt_key.read_bytes(), self.user)

    async def start(self) -> None:
        """Start everything and wait until slurmrestd answers and each node has reported."""
        for key, length in ((self.files.munge_key, 1024), (self.files.jwt_key, 32)):
            key.touch(mode=0o600)
            key.write_bytes(secrets.token_bytes(length))
        write_conf(self.files, self._plugins, self.user, [self._port, *self._node_ports])
        self.munged.start()
        await self.munged.ready(self._has_munge_socket)
        await self.restart_controller()
        for node in self.nodes.values():
            node.start()
        await self.restart_rest()
        await self.nodes_report()

    async def restart_controller(self) -> None:
        """Start slurmctld, after ending the one that runs, and wait until it listens.

        For some 4 s more it calls every node UNKNOWN with no GPU in use; what a killed one last held is lost.
        """
        await self.controller.stop()
        self.controller.start()
        await self.controller.ready(lambda: accepts(self._port))

    async def nodes_report(self) -> None:
        """Return once slurmctld has heard from every node that runs."""
        await self.controller.ready(self._has_heard_from_nodes)

    async def restart_rest(self) -> None:
        """Start slurmrestd, after killing the one that runs, and wait until it listens."""
        self.rest.kill()
        self.rest.start()
        await self.rest.ready(lambda: accepts(self._rest_port))

    async def stop(self) -> None:
        """End every daemon, and the steps of jobs, which outlive their slurmd."""
        await self.rest.stop()
        await asyncio.gather(*(node.stop() for node in self.nodes.values()))
        await self.controller.stop()
        await self.munged.stop()
        end_steps(self.files.root)

    async def run(self, command: str, *arguments: str) -> str:
        """What one of Slurm's commands prints; its failure is an error with its own words."""
        process = await asyncio.create_subprocess_exec(
            "env",
            f"SLURM_CONF={self.files.conf}",
            command,
            *arguments,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        out, err = await asyncio.wait_for(process.communicate(), timeout=20)
        if process.returncode:
            raise RuntimeError(f"{command} {' '.join(arguments)}: {err.decode().strip()}")
        return out.decode().strip()

    async def submit(self, *options: str, script: str = "sleep 600") -> int:
        """The number of a new job with these options of sbatch."""
        fixed = ("--parsable", "--output=/dev/null", "--chdir=/", f"--wrap={script}")
        return int(await self.run("sbatch", *fixed, *options))

    async def runs(self, job: int) -> None:
        """Return once a job has started on its node."""
        asked = ("squeue", "--noheader", f"--jobs={job}", "--format=%T")
        async with asyncio.timeout(20):
            while await self.run(*asked) != "RUNNING":  # noqa: ASYNC110  another process sets no event
                await asyncio.sleep(0.1)

    def _daemon(self, command: str, *flags: str | Path, name: str = "") -> Process:
        path = program(command) or command
        environment = ("env", f"SLURM_CONF={self.files.conf}")
        return Process(name or command, [*environment, path, *flags], folder=self.files.root)

    def _rest(self) -> Process:
        """slurmrestd as another user than root, which it refuses to be."""
        environment = ("env", f"SLURM_CONF={self.files.rest_conf}", "SLURM_JWT=daemon")
        flags = ("-s", _openapi_plugins(self._plugins), "-a", "rest_auth/jwt", f"127.0.0.1:{self._rest_port}")
        command = [*environment, program("slurmrestd") or "slurmrestd", *flags]
        user = "slurm" if self.user == "root" else None
        return Process("slurmrestd", command, folder=self.files.root, user=user)

    async def _has_munge_socket(self) -> bool:
        return self.files.munge_socket.is_socket()

    async def _has_heard_from_nodes(self) -> bool:
        with suppress(RuntimeError):
            unknown = await self.run("sinfo", "--noheader", "--Node", "--states=unknown", "--format=%N")
            return set(unknown.split()).isdisjoint(self.nodes)
        return False


@asynccontextmanager
async def running_slurm() -> AsyncIterator[Slurm]:
    """A Slurm that is ready, and is gone afterwards with all its files."""
    plugins = _plugin_folder()
    assert plugins
    root = _folder()
    slurm = Slurm(root, plugins)
    try:
        await slurm.start()
        yield slurm
    finally:
        await slurm.stop()
        shutil.rmtree(root)


def installed_version() -> str | None:
    """The release of Slurm on this machine, if all of it is there."""
    slurmctld = program("slurmctld")
    if slurmctld is None or not all(map(program, DAEMONS)) or _plugin_folder() is None:
        return None
    asked = subprocess.run([slurmctld, "-V"], check=True, capture_output=True)  # noqa: S603  found above
    return asked.stdout.decode().split()[-1]


def _folder() -> Path:
    """Not one of pytest's: their paths are long for a socket, and closed to slurmrestd's user."""
    root = Path(tempfile.mkdtemp(prefix="slurm-"))
    root.chmod(0o755)
    (root / "state").mkdir()
    (root / "spool").mkdir()
    return root


def _plugin_folder() -> Path | None:
    """Where Slurm's plugins are, if the one for JWT is among them."""
    folders = (folder for pattern in PLUGIN_FOLDERS for folder in Path("/usr").glob(pattern))
    return next((folder for folder in folders if (folder / "auth_jwt.so").exists()), None)


def _openapi_plugins(plugins: Path) -> str:
    """What slurmrestd serves: before 23.11 a plugin a version; those for slurmdbd fail without one."""
    if (plugins / "openapi_slurmctld.so").exists():
        return "slurmctld"
    names = (path.stem.removeprefix("openapi_v") for path in plugins.glob("openapi_v*.so"))
    return ",".join(f"openapi/v{name.replace('_', '.')}" for name in sorted(names))


def _munged_flags(files: SlurmFiles) -> list[str]:
    return [
        "--foreground",
        "--force",
        f"--socket={files.munge_socket}",
        f"--key-file={files.munge_key}",
        f"--pid-file={files.root}/munged.pid",
        f"--seed-file={files.root}/munged.seed",
        f"--log-file={files.root}/munged.txt",
    ]
