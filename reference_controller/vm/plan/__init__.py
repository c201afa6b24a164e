"""Pure decisions of the VM controller: a world in, ordered writes out (design rules 1-3).

Modules call each other through module attributes, so that a single decision can be replaced.
No clock, no randomness, no I/O: the present time is part of the world.
"""
