"""Where the replicas' common cache answers, and who asks it."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from redis.credentials import CredentialProvider
from redis.exceptions import AuthenticationError

from gateway.errors import Invalid

_PORT = 6379


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheAccess:
    """One Valkey, or whatever else speaks its protocol."""

    url: str
    """redis://user@host:port/database, or rediss:// for TLS; all but the host can be left out."""
    password_file: Path | None = None
    """Read again for each connection, so whoever renews the password only writes the file."""

    def __post_init__(self) -> None:
        """Refuse what can never work."""
        if not _is_address(self.url):
            raise Invalid(
                "cache: url: is no address: write redis://user@host:port/database, and the password, "
                "if there is one, into a file that cache.password_file names"
            )

    @property
    def host(self) -> str:
        """The name or address of its machine."""
        return self._parts.hostname or ""

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._parts.port or _PORT

    @property
    def database(self) -> int:
        """The number of its database."""
        return int(self._parts.path.strip("/") or 0)

    @property
    def is_encrypted(self) -> bool:
        """Whether it is spoken to over TLS."""
        return self._parts.scheme == "rediss"

    @property
    def credentials(self) -> "Credentials | None":
        """Who asks; None where anybody may."""
        user = self._parts.username
        return Credentials(user, self.password_file) if user or self.password_file else None

    @property
    def _parts(self) -> SplitResult:
        return urlsplit(self.url)


class Credentials(CredentialProvider):
    """A user name, and a password that is read off its file whenever it is needed."""

    def __init__(self, user: str | None, password_file: Path | None) -> None:
        self._user = user
        self._password_file = password_file

    def get_credentials(self) -> tuple[str] | tuple[str, str]:
        """The words of AUTH."""
        password = self._password()
        return (self._user, password) if self._user else (password,)

    async def get_credentials_async(self) -> tuple[str] | tuple[str, str]:
        """The same: a small file of this machine is no wait."""
        return self.get_credentials()

    def _password(self) -> str:
        if self._password_file is None:
            return ""
        try:
            return self._password_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise AuthenticationError(f"{self._password_file} cannot be read: {error}") from error


def _is_address(url: str) -> bool:
    """Whether it names a machine and a database, and keeps no secret."""
    try:
        parts = urlsplit(url)
        database = parts.path.strip("/")
        return (
            parts.scheme in {"redis", "rediss"}
            and bool(parts.hostname)
            and parts.port != 0
            and parts.password is None
            and not (parts.query or parts.fragment)
            and (not database or (database.isascii() and database.isdigit()))
        )
    except ValueError:
        return False
