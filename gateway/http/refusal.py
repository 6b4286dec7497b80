"""A request that is turned down before anything of it is executed."""

from collections.abc import Mapping, Sequence

from graphql import GraphQLError


class Refusal(Exception):
    """The request is not answered; the status says at which step, the message why and what to do."""

    def __init__(self, status: int, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})


class RequestErrors(Exception):
    """A well-formed request whose document or variables cannot be executed."""

    def __init__(self, status: int, errors: Sequence[GraphQLError]) -> None:
        super().__init__("; ".join(error.message for error in errors))
        self.status = status
        self.errors = tuple(errors)
