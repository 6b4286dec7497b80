"""A stream of bytes as whole lines."""

from collections.abc import Iterator


class CutLine(Exception):
    """The stream ended within a line: the connection broke, however politely."""


class LongLine(Exception):
    """A line is longer than any object may be."""


class Lines:
    """Puts the chunks of a stream together to lines."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._rest = b""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The lines that this chunk completes, without their ends; blank ones are left out."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._check(line)
            if line:
                yield line
        self._check(self._rest)

    def end(self) -> None:
        """Say that the stream has ended."""
        if self._rest:
            raise CutLine(f"a line was cut after {len(self._rest)} bytes")

    def _check(self, line: bytes) -> None:
        if len(line) > self._longest:
            raise LongLine(f"a line of over {self._longest} bytes")
