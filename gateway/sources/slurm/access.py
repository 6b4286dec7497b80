"""Where a Slurm's slurmrestd answers, and who asks it."""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from gateway.errors import Invalid, SourceRefused, System

DEADLINE = timedelta(seconds=8)
"""Below the 9 s after which slurmrestd itself gives a silent slurmctld up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmAccess:
    """One slurmrestd."""

    name: str
    """What the gateway calls this Slurm."""
    cluster: str
    """The cluster that its nodes belong to."""
    url: str
    """http://host:port, https://host/prefix, or unix:///path/of/socket."""
    user: str | None = None
    """Sent beside the token: Slurm 22.05 refuses a token without it, later ones read it off the token."""
    token: str | None = field(default=None, repr=False)
    token_file: Path | None = None
    """Read again for each request, so whoever renews the token only writes the file."""
    deadline: timedelta = DEADLINE
    """For one answer, from asking to its last byte."""

    def __post_init__(self) -> None:
        """Refuse what can never work."""
        if not self.socket and not _is_http(self.url):
            shown = re.sub(r"//.*@", "//***@", self.url)
            raise Invalid(
                f"Slurm {self.name}: {shown!r} is no address: write http://host:port or unix:///path alone"
            )
        if self.token is not None and self.token_file is not None:
            raise Invalid(f"Slurm {self.name}: both a token and a token file: set one")
        for what, text in (("token", self.token), ("user name", self.user)):
            if text is not None and not _is_word(text):
                raise Invalid(
                    f"Slurm {self.name}: the {what} is empty or has a space or an odd character in it"
                )

    @property
    def socket(self) -> str | None:
        """The path of the unix socket, where that is how it is reached."""
        path = self.url.removeprefix("unix://")
        return path if path != self.url and path.startswith("/") else None

    @property
    def base(self) -> str:
        """What every path of the API is put behind."""
        return "http://localhost" if self.socket else self.url.rstrip("/")

    def headers(self) -> dict[str, str]:
        """The credentials of one request."""
        headers = {"X-SLURM-USER-NAME": self.user} if self.user else {}
        token = self._token()
        return headers | {"X-SLURM-USER-TOKEN": token} if token else headers

    def _token(self) -> str | None:
        if self.token_file is None:
            return self.token
        try:
            token = self.token_file.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise self._refused(f"cannot be read: {error}") from error
        if not _is_word(token):
            raise self._refused(
                "holds no token: write the line that `scontrol token` prints after SLURM_JWT="
            )
        return token

    def _refused(self, problem: str) -> SourceRefused:
        return SourceRefused(System.SLURM, f"Slurm {self.name}: the token file {self.token_file} {problem}")


def _is_http(url: str) -> bool:
    """Whether paths can be put behind it, and messages can show it: no query, no password."""
    try:
        parts = urlsplit(url)
        is_plain = parts.username is None and not parts.query and not parts.fragment
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0 and is_plain
    except ValueError:
        return False


def _is_word(text: str) -> bool:
    """Whether it can stand in a header."""
    return text.isascii() and text.isprintable() and bool(text) and " " not in text
