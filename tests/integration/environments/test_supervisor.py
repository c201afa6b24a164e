"""Processes of PID 1, in a pid namespace of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ORPHANS = """
import asyncio, os, sys
from pathlib import Path
from e2e.environments.embedded.supervisor import Supervisor

async def main():
    supervisor = Supervisor(Path(sys.argv[1]))
    # Its grandchildren become children of PID 1 when it ends.
    parent = supervisor.start("parent", ["sh", "-c", "sleep 0.1 & sleep 0.2 & exit 7"])
    other = supervisor.start("other", ["sh", "-c", "sleep 0.4; exit 3"])
    killed = supervisor.start("killed", ["sleep", "60"])
    killed.kill()
    print([await child.exited for child in (parent, killed, other)])
    print(sorted(name for name in os.listdir("/proc") if name.isdigit()))

asyncio.run(main())
"""


def test_exit_codes_are_kept_and_orphans_are_reaped(tmp_path: Path) -> None:
    done = subprocess.run(
        ["unshare", "-Urmpf", "--mount-proc", sys.executable, "-c", ORPHANS, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.stderr == ""
    codes, alive = done.stdout.splitlines()
    assert codes == "[7, -15, 3]"
    assert alive == "['1']"
