import pytest

from tests.asking import Gateway
from tests.journeys.fleets import Rows, heard, read_bundle


@pytest.fixture(scope="session")
async def rows() -> Rows:
    """What the production gateway read of the bundle."""
    return await read_bundle()


@pytest.fixture
def gateway(rows: Rows) -> Gateway:
    """A gateway that hears from every system."""
    return heard(rows)
