"""Who changed which field, from what to what, and when."""

from datetime import datetime

from gateway.fleet import history as records
from gateway.fleet.history import Writer
from schema.provenance import platform
from schema.view import attribute, view


@view(records.FieldChange)
class FieldChange:
    """One change of one field."""

    field: str = attribute(
        "Its path in this schema, as in desired.migLayout, or a name that only the records know.",
        platform("field_change.field"),
    )
    writer: Writer = attribute("Which part of the gateway wrote it.", platform("field_change.writer"))
    actor: str = attribute("Who asked for it.", platform("field_change.actor"))
    before: str | None = attribute(
        "In the form that the input takes, as text; null: nothing.", platform("field_change.before")
    )
    after: str | None = attribute("As before.", platform("field_change.after"))
    at: datetime = attribute("When.", platform("field_change.at"))
    generation: int | None = attribute(
        "Of what is desired, after it; null where the thing has none.", platform("field_change.generation")
    )
