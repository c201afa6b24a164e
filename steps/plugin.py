"""All sentences, as one plugin: `-p steps.plugin`."""

from __future__ import annotations

pytest_plugins = (
    "steps.networks",
    "steps.machines",
    "steps.guests",
    "steps.sdn",
    "steps.addresses",
    "steps.restarts",
)
