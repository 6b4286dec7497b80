"""Who leads a cluster's controllers: a Lease in that cluster, which its holder replaces again and again.

A Lease alone fences nothing: it keeps two from working at once, and the epoch of the database keeps a late
one from doing harm. The own election of the client (kubernetes 37.0.2) lets two lead.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeAlias

from gateway.errors import SourceError
from gateway.fleet.clock import Clock, utc_now
from gateway.fleet.live import PAUSED, Effect, Tenure
from gateway.sources.kubernetes.api import Api, Request
from gateway.sources.kubernetes.live import LiveApi

LEASE = "gpu-gateway-controllers"
_ROUNDS = 5
"""How often a holder renews in the time that its lease lasts."""
_OWN_SHARE = 0.9
"""Of that time, what the holder itself counts on: the others' clocks may run faster than its own."""
_LOG = logging.getLogger(__name__)
_Lease: TypeAlias = dict[str, Any]


def boot_time() -> float:
    """Seconds on a clock that goes on while the machine is suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """The Lease that is fought for."""

    namespace: str
    name: str = LEASE
    lasts: timedelta = timedelta(seconds=15)
    """From one renewal on: so long nobody leads after a leader died."""


class LeaseElection:
    """One candidate, as `gateway.fleet.ports.Election` asks for it."""

    def __init__(
        self,
        api: Api,
        seat: Seat,
        holder: str,
        *,
        clock: Callable[[], float] = boot_time,
        wall: Clock = utc_now,
    ) -> None:
        """Take a name that no other candidate has, and no earlier life of this one."""
        self._seat = seat
        self._holder = holder
        self._clock = clock
        self._wall = wall
        self._lasts = seat.lasts.total_seconds()
        self._api = LiveApi(api, self._patience)
        self._due = clock()
        self._ends = clock()
        self._paused_by: str | None = None
        self._said = ""
        self._seen: object = None
        self._seen_at = clock()

    async def tenure(self) -> Tenure:
        """Take or renew the lease, where it is time to; how leading stands then."""
        if self._clock() >= self._due:
            self._due = self._clock() + self._lasts / _ROUNDS
            try:
                await self._stand()
            except SourceError as error:
                self._warn(f"is not renewed: {error}")
        left = max(0.0, self._ends - self._clock())
        return Tenure(is_leader=left > 0, left_seconds=left, paused_by=self._paused_by)

    async def resign(self) -> None:
        """Stop leading at once, and tell the others, as far as the server answers."""
        self._ends = self._clock()
        try:
            lease = await self._read()
            if lease is not None and lease["spec"].get("holderIdentity") == self._holder:
                lease["spec"] |= {"holderIdentity": "", "leaseDurationSeconds": 1}
                await self._replace(lease)
        except SourceError as error:
            _LOG.warning("the lease %s is not given up, and ends by itself: %s", self._path(), error)

    def _patience(self) -> float:
        """A leader asks again soon; who does not lead may wait, for a credential plugin for one."""
        return self._lasts / _ROUNDS if self._ends > self._clock() else self._lasts

    async def _stand(self) -> None:
        lease = await self._read()
        asked_at = self._clock()
        if lease is None:
            taken = await self._create()
        elif self._may_take(lease):
            taken = await self._take(lease)
        else:
            taken = False
        if taken:
            self._ends = asked_at + self._lasts * _OWN_SHARE
        elif lease is None or lease["spec"].get("holderIdentity") != self._holder:
            self._ends = asked_at

    async def _read(self) -> _Lease | None:
        lease = await self._api.read(self._path(), _Lease)
        if lease is not None:
            lease.setdefault("spec", {})
            self._paused_by = (lease["metadata"].get("annotations") or {}).get(PAUSED)
        return lease

    def _may_take(self, lease: _Lease) -> bool:
        """Whether it is ours, nobody's, or has stood still for as long as it lasts, by our own clock.

        The times in it are another machine's, and are not looked at.
        """
        spec = lease["spec"]
        record = [spec.get(key) for key in ("holderIdentity", "renewTime", "leaseTransitions")]
        if record != self._seen:
            self._seen, self._seen_at = record, self._clock()
        if (spec.get("holderIdentity") or self._holder) == self._holder:
            return True
        lasts: float = spec.get("leaseDurationSeconds") or self._lasts
        return self._clock() - self._seen_at >= lasts

    async def _take(self, lease: _Lease) -> bool:
        spec = lease["spec"]
        changes = spec.get("holderIdentity") != self._holder
        lease["spec"] = self._spec(
            transitions=(spec.get("leaseTransitions") or 0) + changes,
            acquired=None if changes else spec.get("acquireTime"),
        )
        return await self._replace(lease)

    async def _create(self) -> bool:
        body = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": self._seat.name, "namespace": self._seat.namespace},
            "spec": self._spec(transitions=0, acquired=None),
        }
        path = self._path().rpartition("/")[0]
        return await self._wrote(Request(method="POST", path=path, body=body))

    def _spec(self, *, transitions: int, acquired: str | None) -> _Lease:
        now = self._wall().strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return {
            "holderIdentity": self._holder,
            "leaseDurationSeconds": round(self._lasts),
            "acquireTime": acquired or now,
            "renewTime": now,
            "leaseTransitions": transitions,
        }

    async def _replace(self, lease: _Lease) -> bool:
        """Put the lease in the place of the version that was read, and of no later one."""
        return await self._wrote(Request(method="PUT", path=self._path(), body=lease))

    async def _wrote(self, request: Request) -> bool:
        result = await self._api.write(request)
        if result.effect is Effect.DONE:
            self._said = ""
        elif result.effect is Effect.GONE and request.method == "POST":
            self._warn(f"cannot be made: {result.message}: create it, or set controllers.lease_namespace")
        elif result.effect not in {Effect.GONE, Effect.MOVED}:
            self._warn(f"is refused: {result.message}")
        return result.effect is Effect.DONE

    def _warn(self, said: str) -> None:
        """Log what is wrong once, until it is something else or well again."""
        if said != self._said:
            self._said = said
            _LOG.warning("the lease %s %s", self._path(), said)

    def _path(self) -> str:
        leases = f"/apis/coordination.k8s.io/v1/namespaces/{self._seat.namespace}/leases"
        return f"{leases}/{self._seat.name}"
