import pytest

from tests.contracts.platform_writer import PlatformWriterContract


class TestPostgresWriter(PlatformWriterContract):
    @pytest.fixture
    def writer(self, replica):
        return replica.writer
