"""Builds the control plane from its Go modules into the cache, once.

Everything happens in a scratch folder beside the result, which then appears by one rename. The
scratch folder holds Go's caches too (4 GB and 1.5 GB at the end): whatever happens, it is deleted.
One build at a time: a second one waits and finds the first one's result.
"""

import fcntl
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tools.controlplane.location import (
    BINARIES,
    MODULE,
    ControlPlane,
    ControlPlaneMissing,
    built_folder,
    locate,
    version_of,
)
from tools.controlplane.progress import Progress
from tools.controlplane.toolchain import environment, find_go, kubernetes_version, link_flags

NEEDED_BYTES = 7 * 10**9
"""Measured at its peak: objects 3.6 GB, modules 1.5 GB, binaries and the linker's files 1 GB."""
REPORT_SECONDS = 0.5
LAST_LINES = 15
PARTIAL = ".partial"


class BuildFailed(ControlPlaneMissing):
    """The build did not come to an end; the message says why and what to do."""


def ensure(progress: Progress | None = None) -> ControlPlane:
    """Finds a control plane or builds one.

    Raises:
        ControlPlaneMissing: there is none and it cannot be built.
    """
    try:
        return locate()
    except ControlPlaneMissing:
        return build(progress or Progress())


def build(
    progress: Progress, environ: Mapping[str, str] = os.environ, *, go: Path | None = None
) -> ControlPlane:
    """Builds into the cache, or waits for another process that is doing so.

    Raises:
        BuildFailed: no room, or the compiler failed.
        GoMissing: nothing to compile with.
    """
    target = built_folder(environ)
    compiler = go or find_go()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(target.parent, progress):
            if target.is_dir():
                return ControlPlane.inside(target)
            _sweep(target.parent)
            _require_room(target.parent)
            with _scratch(target) as scratch:
                _compile(compiler, scratch, progress, environ)
                _accept(scratch / "bin", target)
    except OSError as exc:
        raise BuildFailed(
            f"the cache {target.parent} cannot be written: {exc.strerror or exc}; free some room, "
            "or set PLUMBLINE_CACHE to another folder"
        ) from exc
    progress.finished(f"control plane built in {target}")
    return ControlPlane.inside(target)


@contextmanager
def _alone(folder: Path, progress: Progress) -> Iterator[None]:
    with (folder / "build.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with progress.waiting("waiting for another build of the control plane"):
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _scratch(target: Path) -> Iterator[Path]:
    scratch = Path(tempfile.mkdtemp(prefix=f"{target.name}.", suffix=PARTIAL, dir=target.parent))
    try:
        yield scratch
    finally:
        # Compilers that were killed a moment ago may still have a file to close.
        for _attempt in range(3):
            shutil.rmtree(scratch, ignore_errors=True)


def _sweep(folder: Path) -> None:
    """Deletes what a killed build left; the lock proves that nobody is using it."""
    for left in folder.glob(f"*{PARTIAL}"):
        shutil.rmtree(left)


def _require_room(folder: Path) -> None:
    if (free := shutil.disk_usage(folder).free) < NEEDED_BYTES:
        raise BuildFailed(
            f"building the control plane needs {NEEDED_BYTES / 1e9:.0f} GB for a few minutes and "
            f"{folder} has {free / 1e9:.1f} GB; free some room, or set PLUMBLINE_CACHE to a folder "
            "on a larger disk"
        )


def _compile(go: Path, scratch: Path, progress: Progress, environ: Mapping[str, str]) -> None:
    settings = environment(environ, scratch)
    packages: list[str] = []
    with progress.counting("control plane: fetching modules", None) as count:
        _run([str(go), "list", "-deps", "tool"], settings, count, packages.append)
    version = kubernetes_version((MODULE / "go.mod").read_text())
    with progress.counting("control plane: compiling packages", len(packages)) as count:
        argv = [str(go), "install", "-v", f"-ldflags={link_flags(version)}", "tool"]
        _run(argv, settings, count, lambda _line: None)


def _run(
    argv: list[str],
    settings: Mapping[str, str],
    count: Callable[[int], None],
    collect: Callable[[str], None],
) -> None:
    """Runs Go, counting the lines that it says on stderr; kills it and its children on the way out.

    A session of its own: Ctrl-C reaches only us, so that what is killed is decided here.
    """
    lines: queue.Queue[str | None] = queue.Queue()
    last: list[str] = []
    # pdeathsig: a killed build does not go on compiling.
    with subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", "--", *argv],
        cwd=MODULE,
        env=settings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        readers = (
            threading.Thread(target=_collect, args=(process.stdout, collect)),
            threading.Thread(target=_pump, args=(process.stderr, lines)),
        )
        for reader in readers:
            reader.start()
        try:
            said = 0
            while True:
                try:
                    line = lines.get(timeout=REPORT_SECONDS)
                except queue.Empty:
                    count(said)
                    continue
                if line is None:
                    break
                said += 1
                last = [*last[1 - LAST_LINES :], line.rstrip()]
                count(said)
            code = process.wait()
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            for reader in readers:
                reader.join()
    if code != 0:
        raise BuildFailed(_explain(code, last))


def _collect(stream: Iterator[str], collect: Callable[[str], None]) -> None:
    for line in stream:
        collect(line.strip())


def _pump(stream: Iterator[str], lines: "queue.Queue[str | None]") -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def _explain(code: int, last: list[str]) -> str:
    said = "\n".join(f"  {line}" for line in last)
    if "no space left on device" in said:
        advice = "the disk is full; free some room, or set PLUMBLINE_CACHE to a larger one"
    elif "dial tcp" in said or "proxyconnect" in said:
        advice = "the Go module proxy is out of reach; check the network and GOPROXY"
    elif "signal: killed" in said:
        advice = "the compiler was killed, most likely for want of memory (2 GB suffice)"
    else:
        advice = "the last lines of Go tell more"
    return f"building the control plane failed (go exited {code}): {advice}\n{said}"


def _accept(built: Path, target: Path) -> None:
    """Gives etcd its name, tries every binary, and makes the result appear at once."""
    (built / "server").rename(built / "etcd")
    for name in BINARIES:
        version_of(built / name)
    built.rename(target)
