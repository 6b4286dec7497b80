import pytest

from gateway.sources.postgres.migrate import migrate
from tests.sources.postgres.running import open_session


@pytest.fixture
async def migrated(postgres_dsn):
    """The DSN of a database that has its tables."""
    await migrate(postgres_dsn)
    return postgres_dsn


@pytest.fixture
async def session(migrated):
    """Another session on that database."""
    async with open_session(migrated) as connection:
        yield connection
