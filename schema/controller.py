"""What the gateway's controllers do, and who stopped them."""

from gateway.errors import System
from gateway.fleet import desired as records
from schema.provenance import derived, platform
from schema.view import attribute, view


@view(records.Controller)
class ControllerStatus:
    """A controller that ever ran."""

    name: str = attribute("As node-reconciler/<cluster>.", platform("controller.name"))
    leader: str | None = attribute("Which process leads.", platform("controller.holder"))
    epoch: int | None = attribute("Grows with every new leader.", platform("controller.epoch"))
    paused: bool = attribute("It has no effect at all meanwhile.", platform("controller.paused_by"))
    paused_by: str | None = attribute("Who stopped it.", platform("controller.paused_by"))
    reason: str | None = attribute("Why, for people.", platform("controller.paused_reason"))
    in_change: int | None = attribute(
        "Machines that it has out of service now.", derived("in-change", System.PLATFORM)
    )
    max_in_change: int | None = attribute(
        "How many it may have so at once; null until a leader told.", platform("controller.max_in_change")
    )
