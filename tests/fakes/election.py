"""An election whose winner a test decides."""

from gateway.fleet.live import Tenure


class FakeElection:
    """Leads until it is told otherwise."""

    def __init__(self, *, leads: bool = True, left_seconds: float = 15.0) -> None:
        self.leads = leads
        self.left_seconds = left_seconds
        self.paused_by: str | None = None
        self.resigned = False
        self.asked = 0

    async def tenure(self) -> Tenure:
        """How leading stands."""
        self.asked += 1
        left = self.left_seconds if self.leads else 0.0
        return Tenure(is_leader=self.leads, left_seconds=left, paused_by=self.paused_by)

    async def resign(self) -> None:
        """Give it up."""
        self.leads, self.resigned = False, True
