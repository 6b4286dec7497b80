"""What the gateway tells its operators in its log: one JSON object a line, under its request's id."""

import json
import logging
import re
import secrets
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TextIO

REQUEST_ID: ContextVar[str | None] = ContextVar("request_id", default=None)
"""The id of the request that is being answered, or None outside of one."""

_SANE_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")


def request_id(offered: str | None) -> str:
    """The id that a caller offers where it is safe to log, else a new one."""
    return offered if offered and _SANE_ID.fullmatch(offered) else secrets.token_hex(12)


def log_as_json(level: str, stream: TextIO | None = None) -> None:
    """Write the log of the whole process as JSON lines, to stderr unless told otherwise."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


class JsonLines(logging.Formatter):
    """Formats a record as one JSON object; `extra={"fields": {...}}` adds to it."""

    def format(self, record: logging.LogRecord) -> str:
        """Write one line, whatever is in the record."""
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if current := REQUEST_ID.get():
            line["requestId"] = current
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)
