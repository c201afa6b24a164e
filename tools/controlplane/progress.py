"""Says how far a long piece of work is: a bar on a terminal, else a line within every 3 s."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

LINE_SECONDS = 2.5


class Progress:
    """Reports on one stream; every method works on a terminal and in a log."""

    def __init__(
        self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._console = Console(file=stream or sys.stderr, highlight=False, soft_wrap=True)
        self._clock = clock

    @contextmanager
    def counting(self, title: str, total: int | None) -> Iterator[Callable[[int], None]]:
        """Yields a function that takes the count so far; call it at least once a second."""
        if self._console.is_terminal:
            columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            with Bar(*columns, console=self._console) as bar:
                task = bar.add_task(title, total=total)
                yield lambda done: bar.update(task, completed=done)
            return
        begun = said = self._clock()
        of = f" of {total}" if total else ""
        self._line(f"{title}: begins")

        def count(done: int) -> None:
            nonlocal said
            now = self._clock()
            if now - said >= LINE_SECONDS:
                said = now
                self._line(f"{title}: {done}{of}, {now - begun:.0f} s")

        yield count
        self._line(f"{title}: done after {self._clock() - begun:.0f} s")

    @contextmanager
    def waiting(self, title: str) -> Iterator[None]:
        """Shows that something is awaited whose progress cannot be seen."""
        begun = self._clock()
        over = threading.Event()

        def tell() -> None:
            while not over.wait(LINE_SECONDS):
                self._line(f"{title}: {self._clock() - begun:.0f} s")

        self._line(title)
        teller = threading.Thread(target=tell)
        teller.start()
        try:
            yield
        finally:
            over.set()
            teller.join()

    def finished(self, message: str) -> None:
        """Says the last word."""
        self._line(message)

    def _line(self, text: str) -> None:
        self._console.print(text, markup=False)
