"""Which of slurmrestd's versions is spoken: found by ping, kept while it works."""

import msgspec

from gateway.errors import SourceMisread, SourceUnavailable, System
from gateway.sources.slurm.answers import is_served, read_list
from gateway.sources.slurm.api import Answer, SlurmApi
from gateway.sources.slurm.shapes import PingShape
from gateway.sources.slurm.upgrades import upgrade_ping

# v0.0.42 first: from Slurm 24.11 to 26.05 every release serves it, so an upgrade there changes nothing for
# us. Then the newest, which has the longest to live; the order among those left is only by age.
ORDER = (42, 45, 44, 43, 41, 40, 38, 37)

_REFUSED = {
    39: "v0.0.39 is not read, since none of its answers was ever recorded: let slurmrestd serve v0.0.38 too "
    "(Slurm 23.02: -s openapi/v0.0.38), or upgrade to Slurm 23.11, which serves v0.0.40",
    36: "v0.0.36 is not read, since it hides that nodes are drained: let slurmrestd serve v0.0.38 too "
    "(Slurm 22.05: -s openapi/v0.0.38)",
}


class Slurmrestd:
    """One slurmrestd, asked in the best version that it serves."""

    def __init__(self, api: SlurmApi, order: tuple[int, ...] = ORDER) -> None:
        self._api = api
        self._order = order
        self._version: int | None = None

    async def list(self, kind: str) -> tuple[int, list[msgspec.Raw]]:
        """What there is of nodes or jobs, and the version that says so."""
        version = self._version or await self._discovered()
        self._version = None
        found = read_list(await self._get(version, kind), kind)
        self._version = version
        # Should it fail later, this version's ping is asked first: it mostly still is served.
        self._order = (version, *(other for other in self._order if other != version))
        return version, found

    async def _discovered(self) -> int:
        for version in self._order:
            answer = await self._get(version, "ping")
            if is_served(answer):
                _check_ping(answer, version)
                return version
        raise await self._no_version()

    async def _no_version(self) -> SourceMisread:
        """Say why nothing that it serves is read."""
        for version, reason in _REFUSED.items():
            answer = await self._get(version, "ping")
            if is_served(answer):
                return SourceMisread(System.SLURM, f"{answer.source}: {reason}")
        read = ", ".join(f"v0.0.{version}" for version in sorted(ORDER))
        access = self._api.access
        return SourceMisread(
            System.SLURM, f"Slurm {access.name} ({access.url}) serves none of {read}: is this slurmrestd?"
        )

    async def _get(self, version: int, what: str) -> Answer:
        return await self._api.get(f"/slurm/v0.0.{version}/{what}")


def _check_ping(answer: Answer, version: int) -> None:
    """Raise where no slurmctld answers slurmrestd."""
    pings = [_ping(text, version) for text in read_list(answer, "pings")]
    if not any(ping.responding is True for ping in pings):
        hosts = ", ".join(ping.hostname for ping in pings if isinstance(ping.hostname, str)) or "nowhere"
        raise SourceUnavailable(
            System.SLURM, f"{answer.source}: slurmrestd answers, but slurmctld ({hosts}) does not"
        )


def _ping(text: msgspec.Raw, version: int) -> PingShape:
    try:
        return upgrade_ping(msgspec.json.decode(text, type=PingShape), version)
    except (msgspec.MsgspecError, RecursionError):
        return PingShape()
