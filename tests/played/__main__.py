"""python -m tests.played: plays the seeded fleets on a real kube-scheduler and records what it says."""

import asyncio
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.played.generator import generate
from tests.played.player import play, running_scheduler
from tests.servers.control_plane import built_programs, running_control_plane

_RECORDING = Path(__file__).parents[1] / "recordings" / "scheduler" / "played.jsonl"
_FLEETS, _ASKS = 40, 12


async def _record(programs: Path, folder: Path) -> None:
    async with running_control_plane(programs, folder) as api, running_scheduler(programs, folder, api):
        played = [await play(api, generate(seed, _ASKS)) for seed in range(_FLEETS)]
    lines = (json.dumps(one, separators=(",", ":"), sort_keys=True) for one in played)
    _RECORDING.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _main() -> str | None:
    programs = built_programs()
    if programs is None:
        return "there is no kube-scheduler: 'make servers' builds it"
    with TemporaryDirectory() as folder:
        asyncio.run(_record(programs, Path(folder)))
    return None


if __name__ == "__main__":
    sys.exit(_main())
