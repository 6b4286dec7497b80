from datetime import UTC

from gateway.fleet.clock import utc_now


def test_the_time_now_is_told_in_utc_and_does_not_go_back():
    first, second = utc_now(), utc_now()

    assert first.tzinfo is UTC
    assert first <= second
