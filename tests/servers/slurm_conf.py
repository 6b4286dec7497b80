"""The configuration of the Slurm of the tests: a few GPU nodes that exist on paper, played on one machine."""

from dataclasses import dataclass
from pathlib import Path

CARDS = 8
"""How many stand-ins for GPU devices there are; no node has more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperNode:
    """A node as slurm.conf declares it."""

    name: str
    cpus: int
    memory_mib: int
    gpu: str | None = None
    gpus: int = 0
    runs: bool = True
    """Whether a slurmd plays it; without one it stays UNKNOWN and NOT_RESPONDING."""

    def line(self, port: int) -> str:
        """Its line in slurm.conf."""
        gres = f" Gres=gpu:{self.gpu}:{self.gpus} Feature={self.gpu}" if self.gpu else ""
        return (
            f"NodeName={self.name} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} "
            f"Sockets=1 CoresPerSocket={self.cpus} RealMemory={self.memory_mib}{gres}"
        )


NODES = (
    PaperNode(name="gpu-h100-01", cpus=64, memory_mib=512_000, gpu="h100", gpus=8),
    PaperNode(name="gpu-h100-02", cpus=64, memory_mib=512_000, gpu="h100", gpus=4),
    PaperNode(name="gpu-a100-01", cpus=32, memory_mib=256_000, gpu="a100", gpus=4),
    PaperNode(name="gpu-t4-01", cpus=16, memory_mib=128_000, gpu="t4", gpus=4),
    PaperNode(name="cpu-01", cpus=16, memory_mib=64_000),
    PaperNode(name="cpu-02", cpus=16, memory_mib=64_000, runs=False),
)

PARTITIONS = (
    "PartitionName=train Nodes=gpu-h100-[01-02],gpu-a100-01 Default=YES MaxTime=7-0 DefaultTime=60",
    "PartitionName=infer Nodes=gpu-t4-01 MaxTime=INFINITE",
    "PartitionName=all Nodes=ALL MaxTime=1-0",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmFiles:
    """Where the parts of one Slurm lie; short paths, since a socket's may have 107 characters."""

    root: Path

    @property
    def conf(self) -> Path:
        """What the daemons and commands read."""
        return self.root / "slurm.conf"

    @property
    def rest_conf(self) -> Path:
        """The same for slurmrestd, which refuses to run as the user that it names SlurmUser."""
        return self.root / "rest.conf"

    @property
    def munge_key(self) -> Path:
        """What the daemons trust each other by."""
        return self.root / "munge.key"

    @property
    def jwt_key(self) -> Path:
        """What tokens are signed with."""
        return self.root / "jwt.key"

    @property
    def munge_socket(self) -> Path:
        """Where munged is asked."""
        return self.root / "munge.sock"


def write_conf(files: SlurmFiles, plugins: Path, user: str, ports: list[int]) -> None:
    """Write slurm.conf and its companions; the first port is slurmctld's, the others one for each node."""
    controller, *of_nodes = ports
    nodes = [node.line(port) for node, port in zip(NODES, of_nodes, strict=True)]
    text = "\n".join([*_settings(files, user, controller), *nodes, *PARTITIONS, ""])
    files.conf.write_text(text)
    files.rest_conf.write_text(text.replace(f"SlurmUser={user}", "SlurmUser=root"))
    _write_gres(files.root)
    # No cgroups: 23.11 has a word for it; 22.05 fails where none is mounted unless a version is named.
    word = "disabled" if (plugins / "auth_slurm.so").exists() else "cgroup/v1"
    (files.root / "cgroup.conf").write_text(f"CgroupPlugin={word}\n")


def _write_gres(root: Path) -> None:
    for card in range(CARDS):
        (root / f"gpu{card}").symlink_to("/dev/null")
    lines = [
        f"NodeName={node.name} Name=gpu Type={node.gpu} File={root}/gpu[0-{node.gpus - 1}]\n"
        for node in NODES
        if node.gpu
    ]
    (root / "gres.conf").write_text("".join(lines))


def _settings(files: SlurmFiles, user: str, port: int) -> list[str]:
    root = files.root
    return [
        "ClusterName=tests",
        "SlurmctldHost=localhost(127.0.0.1)",
        f"SlurmctldPort={port}",
        f"SlurmUser={user}",
        f"SlurmdUser={user}",
        "AuthType=auth/munge",
        "CredType=cred/munge",
        f"AuthInfo=socket={files.munge_socket}",
        "AuthAltTypes=auth/jwt",
        f"AuthAltParameters=jwt_key={files.jwt_key}",
        "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny",  # loopback only
        "MessageTimeout=2",  # slurmrestd says after this long that slurmctld is silent
        f"StateSaveLocation={root}/state",
        f"SlurmdSpoolDir={root}/spool/%n",
        f"SlurmctldPidFile={root}/slurmctld.pid",
        f"SlurmdPidFile={root}/%n.pid",
        f"SlurmdLogFile={root}/%n.txt",  # held open by a job's steps too: so they are known as ours
        "ProctrackType=proctrack/linuxproc",
        "TaskPlugin=task/none",
        "JobAcctGatherType=jobacct_gather/none",
        "AccountingStorageType=accounting_storage/none",
        "MpiDefault=none",
        "MailProg=/bin/true",
        "SelectType=select/cons_tres",
        "SelectTypeParameters=CR_Core_Memory",
        "SchedulerParameters=bf_interval=1,sched_interval=1",
        "SlurmdParameters=config_overrides",  # nodes may be larger than the machine
        "SlurmdTimeout=10",
        "ReturnToService=1",  # with 2 a node that was set DOWN by hand comes back by itself
        "GresTypes=gpu",
    ]
