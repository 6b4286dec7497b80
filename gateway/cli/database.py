"""The database that the commands for records work on."""

from gateway.errors import Invalid
from gateway.settings import Settings


def database_dsn(settings: Settings) -> str:
    """Where the platform's records are."""
    dsn = settings.postgres.read_dsn()
    if dsn is None:
        raise Invalid("no database is set: set postgres.dsn_file, or GPU_GATEWAY_POSTGRES_DSN")
    return dsn
