from pathlib import Path

import pytest
from redis.exceptions import AuthenticationError

from gateway.errors import Invalid
from gateway.sources.slurm.shared.access import CacheAccess


@pytest.mark.parametrize(
    ("url", "host", "port", "database", "is_encrypted"),
    [
        ("redis://valkey", "valkey", 6379, 0, False),
        ("redis://valkey:7000/3", "valkey", 7000, 3, False),
        ("rediss://gateway@10.0.0.7/", "10.0.0.7", 6379, 0, True),
        ("redis://[::1]:6380/0", "::1", 6380, 0, False),
    ],
)
def test_an_address_names_a_machine_and_a_database(url, host, port, database, is_encrypted):
    access = CacheAccess(url=url)

    assert (access.host, access.port, access.database) == (host, port, database)
    assert access.is_encrypted is is_encrypted


@pytest.mark.parametrize(
    "url",
    [
        "valkey:6379",
        "http://valkey",
        "redis://",
        "redis:///0",
        "redis://valkey/a",
        "redis://valkey/-1",
        "redis://valkey:0",
        "redis://valkey:x",
        "redis://valkey:70000",
        "redis://[::1",
        "redis://valkey/0?x=1",
        "redis://user:secret@valkey",
        "redis://:secret@valkey",
    ],
)
def test_what_is_no_address_is_refused_and_never_shown(url):
    with pytest.raises(Invalid, match="cache: url: is no address: write redis://") as refused:
        CacheAccess(url=url)

    assert "secret" not in str(refused.value)


def test_nobody_is_named_where_anybody_may_ask():
    assert CacheAccess(url="redis://valkey").credentials is None


@pytest.mark.parametrize(("url", "words"), [("redis://valkey", ()), ("redis://ada@valkey", ("ada",))])
async def test_the_password_is_read_off_its_file_each_time(url, words, tmp_path: Path):
    file = tmp_path / "password"
    file.write_text("first\n")
    credentials = CacheAccess(url=url, password_file=file).credentials
    assert credentials is not None

    assert await credentials.get_credentials_async() == (*words, "first")
    file.write_text("second")
    assert credentials.get_credentials() == (*words, "second")


def test_a_password_that_cannot_be_read_is_named_by_its_file(tmp_path: Path):
    credentials = CacheAccess(url="redis://valkey", password_file=tmp_path / "gone").credentials
    assert credentials is not None

    with pytest.raises(AuthenticationError, match="gone cannot be read"):
        credentials.get_credentials()
