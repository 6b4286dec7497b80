import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import System
from gateway.fleet.quantity import Quantity, device_count, quantity, read_quantity, write_decimal
from gateway.fleet.unknown import Unknown, UnknownCode

# What resource.ParseQuantity of apimachinery 0.36.3 answered.
RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "recordings" / "quantities.jsonl").read_text().splitlines()
]
READ = [line for line in RECORDED if line["ok"]]
REFUSED = [line["in"] for line in RECORDED if not line["ok"]]


@pytest.mark.parametrize("line", READ, ids=lambda line: line["in"])
def test_reads_exactly_what_kubernetes_reads(line):
    value = read_quantity(line["in"])
    assert value == Decimal(line["exact"])
    assert (value == value.to_integral_value()) is line["int"]


@pytest.mark.parametrize("line", READ, ids=lambda line: line["in"])
def test_kubernetes_own_spelling_of_a_value_means_the_same(line):
    assert read_quantity(line["canonical"]) == read_quantity(line["in"])


@pytest.mark.parametrize("text", REFUSED)
def test_refuses_what_kubernetes_refuses_and_keeps_its_text(text):
    with pytest.raises(ValueError, match="is not a Kubernetes quantity"):
        read_quantity(text)
    unread = quantity("memory", text, System.QUEUES)
    assert unread.text == text
    assert isinstance(unread.value, Unknown)
    assert unread.value.system is System.QUEUES
    assert unread.value.code is UnknownCode.UNDETERMINED


@given(st.text(max_size=20))
def test_any_text_is_read_or_refused(text):
    assert isinstance(quantity("cpu", text, System.KUBERNETES).value, Decimal | Unknown)


@given(st.integers(min_value=-(2**80), max_value=2**80))
def test_a_whole_number_is_read_exactly_and_written_back(number):
    assert write_decimal(read_quantity(str(number))) == str(number)


@pytest.mark.parametrize(
    ("text", "written"),
    [("1500m", "1.5"), ("0", "0"), ("129e6", "129000000"), ("2.85Gi", "3060164198.4"), ("100", "100")],
)
def test_writes_numbers_without_exponent_and_trailing_zeros(text, written):
    assert write_decimal(read_quantity(text)) == written


@pytest.mark.parametrize(("text", "count"), [("0", 0), ("8", 8), ("1k", 1000), ("8000m", 8), ("1024", 1024)])
def test_a_whole_number_up_to_1024_is_a_count_of_devices(text, count):
    assert device_count(quantity("nvidia.com/gpu", text, System.KUBERNETES), System.KUBERNETES) == count


@pytest.mark.parametrize("text", ["0.5", "-1", "13Gi", "1.8e19", "1025", "eight"])
def test_anything_else_is_no_count_and_the_value_stays_what_the_text_says(text):
    amount = quantity("nvidia.com/gpu", text, System.KUBERNETES)
    count = device_count(amount, System.KUBERNETES)
    assert isinstance(count, Unknown)
    assert text in count.reason
    if text != "eight":
        assert amount.value == read_quantity(text)


def test_no_amount_is_no_count():
    nothing = Quantity(resource="nvidia.com/gpu", text="", value=None)
    assert isinstance(device_count(nothing, System.KUBERNETES), Unknown)
