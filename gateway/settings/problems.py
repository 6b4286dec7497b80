"""Mistakes in settings, told together."""

from collections.abc import Iterable


class InvalidSettings(Exception):
    """The gateway does not start: each line names a setting, where it stands, and the fix."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))
