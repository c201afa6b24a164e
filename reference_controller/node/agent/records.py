"""What a guest's directory tells of it: the record that outlives the agent (FT-04).

`pod` says whose guest it is, `started` that its machine was complete once, `ended` how it ended.
Together with the running machine itself that is all that a restarted agent needs to go on.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from .attention import Attention


@dataclass
class Record:
    """One admitted pod.

    Attributes:
        attention: follows the running guest.
        ended: the pod phase that the guest's end meant; empty until then.
        leaving: ids of NICs that the guest has been asked to let go.
        start: the making of the guest, while it lasts.
    """

    directory: Path
    namespace: str
    name: str
    attention: Attention | None = None
    ended: str = ""
    leaving: set[int] = field(default_factory=set)
    start: asyncio.Task[None] | None = None

    @property
    def uid(self) -> str:
        """The pod's UID."""
        return self.directory.name

    @classmethod
    def create(cls, directory: Path, namespace: str, name: str) -> Self:
        """Take note of a pod."""
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "pod").write_text(json.dumps({"namespace": namespace, "name": name}))
        return cls(directory, namespace, name)

    @classmethod
    def load_all(cls, run_dir: Path) -> Iterator[Self]:
        """The records that an earlier agent left."""
        for path in sorted(run_dir.glob("*/pod")):
            try:
                pod = json.loads(path.read_text())
                record = cls(path.parent, pod["namespace"], pod["name"])
            except (ValueError, LookupError):
                # Torn while it was written: nothing was started yet, and the pod comes again.
                shutil.rmtree(path.parent)
                continue
            ended = path.parent / "ended"
            if ended.exists():
                record.ended = ended.read_text()
            yield record

    @property
    def started(self) -> bool:
        """Whether the guest was complete once; it is never started again then."""
        return self._started.exists()

    def note_start(self) -> None:
        """The guest is complete."""
        self._started.touch()

    def note_stop(self) -> None:
        """The guest was ended on purpose, with its pod."""
        self._started.unlink(missing_ok=True)

    def note_end(self, phase: str) -> None:
        """The guest has ended by itself."""
        self.ended = phase
        (self.directory / "ended").write_text(phase)

    def discard(self) -> None:
        """Delete the record."""
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def _started(self) -> Path:
        return self.directory / "started"
