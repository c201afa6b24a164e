"""A component's process: it lives as long as its service and leaves at once when that ends."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Coroutine
from typing import Any, NoReturn

import structlog

log = structlog.get_logger()


def run(service: Coroutine[Any, Any, None], refusals: tuple[type[Exception], ...] = ()) -> NoReturn:
    """Run `service`; exit with 0 when it returns, with 1 when it raises.

    `refusals` are errors whose text says all that the user needs; others leave a traceback.

    Nothing is closed on the way out: kopf takes seconds to wind its watches down, a restarted
    component would be missing all that time, and dying at any moment is normal here anyway
    (design rule 2).
    """
    status = 0
    try:
        asyncio.Runner().run(service)
    except refusals as error:
        sys.stderr.write(f"cannot begin: {error}\n")
        status = 1
    except Exception:
        log.exception("the component ends")
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
