"""Ask a gateway that runs elsewhere, as any client does."""

from typing import Any
from urllib.parse import urlsplit

import aiohttp
import msgspec

from gateway.errors import Invalid
from gateway.http.media import MediaType
from gateway.http.parameters import Parameters

_PATIENCE = aiohttp.ClientTimeout(total=60, sock_connect=5)


async def ask(url: str, parameters: Parameters) -> dict[str, Any]:
    """The answer's body, errors and all."""
    where = _endpoint(url)
    request = {"query": parameters.query, "variables": dict(parameters.variables)}
    if parameters.operation_name:
        request["operationName"] = parameters.operation_name
    headers = {"Accept": MediaType.GRAPHQL_RESPONSE.value}
    try:
        async with (
            aiohttp.ClientSession(timeout=_PATIENCE, trust_env=True) as session,
            session.post(where, json=request, headers=headers, allow_redirects=False) as response,
        ):
            return _body(where, response.status, await response.read())
    except (aiohttp.ClientError, OSError) as error:
        said = str(error) or "no answer in time"
        raise Invalid(f"--url {where}: cannot be asked: {said}: is a gateway running there?") from None


def _endpoint(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise Invalid(f"--url {url}: is no address: write http://host:port")
    return url if parts.path.strip("/") else f"{parts.scheme}://{parts.netloc}/graphql"


def _body(where: str, status: int, text: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError):
        raise Invalid(f"--url {where}: answers {status} and no GraphQL: is it the right address?") from None
