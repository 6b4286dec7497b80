"""python -m bench.scale: measure, and write the page where a file is named."""

import argparse
import asyncio
import os
import sys
from pathlib import Path

import uvloop

from bench.scale.machine import company, machine
from bench.scale.results import page, rows
from bench.scale.run import Plan, measure
from gateway.cli.terminal import answer, tell

_PLANS = {
    "small": Plan(pods=(100, 500, 5_000), rounds=1, window_seconds=5, delay_seconds=5),
    "full": Plan(pods=(500, 50_000, 100_000), rounds=2, window_seconds=5, delay_seconds=15),
}
_MOST_SECONDS = 1200


def main() -> int:
    """Measure; 1 where the largest fleet exceeds a bound."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=main.__doc__)
    parser.add_argument("--size", choices=_PLANS, default="full", help="small is for trying")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page there too")
    arguments = parser.parse_args()
    *ours, core = sorted(os.sched_getaffinity(0))
    if not ours:
        tell("two cores are needed: one for the gateway, one for what it reads")
        return 2
    os.sched_setaffinity(0, ours)
    before = company()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        plan = _PLANS[arguments.size]
        measured = runner.run(asyncio.wait_for(measure(plan, core, tell), _MOST_SECONDS))
    text = page(measured, [*machine(), before], "make bench")
    answer(text)
    if arguments.write:
        arguments.write.write_text(text)
    return 0 if all(row.holds(measured[-1]) for row in rows(measured)) else 1


sys.exit(main())
