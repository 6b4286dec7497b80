import pytest

from tests.builders import a_record, some_records
from tests.contracts.platform_writer import PlatformWriterContract
from tests.fakes.platform_writer import FakeWriter
from tests.fleets import a_keeper


class TestFakeWriter(PlatformWriterContract):
    @pytest.fixture
    def writer(self):
        records = some_records([a_record("gpu-01"), a_record("gpu-03", None, None)])
        return FakeWriter(a_keeper(records=records))
