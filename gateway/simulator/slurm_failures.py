"""How slurmrestd fails, release by release: statuses and bodies as measured on 22.05, 24.11 and 26.05.

Up to v0.0.38 a dead controller, a bad token and a hung controller have one body, with an empty list in it.
"""

from enum import Enum

from starlette.responses import JSONResponse, PlainTextResponse, Response

from gateway.simulator.store import Json

LAST_OF_22_05 = 38


class SlurmFault(Enum):
    """How a slurmrestd that can be reached fails."""

    CONTROLLER_STOPPED = "slurmctld is not there"
    CONTROLLER_HUNG = "slurmctld does not answer in time"
    BAD_TOKEN = "a token that is garbage, expired or another user's"  # noqa: S105  (a description, no secret)
    UNAUTHORIZED = "no token at all"
    ERROR_INSIDE = "200 with errors inside, and without what was asked"
    EMPTY = "200 with an empty list, as PrivateData makes it"


_CODES = {
    SlurmFault.CONTROLLER_STOPPED: (502, 1800, "Unable to contact slurm controller (connect failure)"),
    SlurmFault.CONTROLLER_HUNG: (504, 5004, "Socket timed out on send/recv operation"),
    SlurmFault.BAD_TOKEN: (511, 1007, "Protocol authentication error"),
    SlurmFault.ERROR_INSIDE: (200, 0, "No error"),
}
# 22.05 has two forms of an error, and this is the longer one; nodes and partitions have the shorter.
_SAID_BY_22_05 = {
    "jobs": ("Failed while looking for jobs", "slurm_load_jobs"),
    "ping": ("slurmctld config is unable to load", "slurm_load_ctl_conf"),
    "diag": ("request failed", "slurm_get_statistics"),
}
_KEYS = {"nodes": "nodes", "jobs": "jobs", "partitions": "partitions", "ping": "pings", "diag": "statistics"}


def number_of(version: str) -> int:
    """The last number of `v0.0.42`: its shape goes by it."""
    return int(version.rpartition(".")[2])


def meta(version: str) -> Json:
    """What every answer says about who made it."""
    number = number_of(version)
    if number <= LAST_OF_22_05:
        said = {"major": 22, "micro": 8, "minor": 5}
        plugin = {"type": f"openapi/{version}", "name": f"Slurm OpenAPI {version}"}
        return {"plugin": plugin, "Slurm": {"version": said, "release": "22.05.8"}}
    return {
        "plugin": {"type": "openapi/slurmctld", "data_parser": f"data_parser/{version}"},
        "slurm": {
            "version": {"major": "24", "micro": "5", "minor": "11"},
            "release": "24.11.5",
            "cluster": "simulated",
        },
    }


def ping(version: str, *, up: bool = True) -> Json:
    """What ping says of the controller, in the words of that version."""
    number = number_of(version)
    word = "UP" if up else "DOWN"
    if number <= LAST_OF_22_05:
        one: Json = {"hostname": "slurmctld", "ping": word, "status": 0 if up else 1, "mode": "primary"}
        return {"meta": meta(version), "errors": [], "pings": [one]}
    one = {"hostname": "slurmctld", "responding": up, "latency": 700, "primary": True}
    if number >= 45:  # noqa: PLR2004  (26.05 dropped both words in v0.0.45)
        one |= {"status": "No error" if up else "Unable to contact slurm controller"}
    else:
        one |= {"pinged": word, "mode": "primary"}
    return {"pings": [one], "meta": meta(version), "errors": [], "warnings": []}


def failure(fault: SlurmFault, version: str, what: str) -> Response:
    """The answer to a question for `nodes`, `jobs`, `partitions`, `diag` or `ping` under that fault."""
    if fault is SlurmFault.UNAUTHORIZED:
        return PlainTextResponse("Authentication failure", 401)
    if fault is SlurmFault.EMPTY:
        return JSONResponse({_KEYS[what]: [], "meta": meta(version), "errors": [], "warnings": []})
    if number_of(version) <= LAST_OF_22_05:
        return _failure_of_22_05(fault, version, what)
    if what == "ping" and fault in {SlurmFault.CONTROLLER_STOPPED, SlurmFault.CONTROLLER_HUNG}:
        return JSONResponse(ping(version, up=False))
    return _failure_since_23_02(fault, version, what)


def _failure_of_22_05(fault: SlurmFault, version: str, what: str) -> Response:
    error: dict[str, Json] = {"error": "Unspecified error", "errno": -1}
    if what in _SAID_BY_22_05:
        description, source = _SAID_BY_22_05[what]
        error = {
            "error": "Unspecified error",
            "error_number": -1,
            "description": description,
            "source": source,
        }
    body: dict[str, Json] = {"meta": meta(version), "errors": [error]}
    if what != "ping":
        body[_KEYS[what]] = {} if what == "diag" else []
    return JSONResponse(body, 200 if fault is SlurmFault.ERROR_INSIDE else 500)


def _failure_since_23_02(fault: SlurmFault, version: str, what: str) -> Response:
    code, number, error = _CODES[fault]
    said = {"description": f"Failure to query {what}", "error_number": number, "error": error, "source": what}
    # 24.11 and 26.05 leave the reason out for partitions, and put an empty list beside it for jobs.
    silent = what == "partitions" and fault is SlurmFault.CONTROLLER_STOPPED
    body = {"errors": [] if silent else [said], "warnings": [], "meta": meta(version)}
    return JSONResponse(body | ({"jobs": []} if what == "jobs" else {}), code)
