import pytest

from gateway.fleet.fleet import Fleet
from tests.asking import Gateway
from tests.journeys.fleets import Rows, Still, read_bundle, rows_of


@pytest.fixture(scope="session")
async def fleet() -> Fleet:
    """What the production gateway read of the bundle."""
    return await read_bundle()


@pytest.fixture(scope="session")
def rows(fleet: Fleet) -> Rows:
    """The same, listing by listing, to be told again."""
    return rows_of(fleet)


@pytest.fixture
def gateway(fleet: Fleet) -> Gateway:
    """The production gateway at that moment."""
    return Gateway(Still(fleet))
