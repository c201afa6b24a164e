"""Binds the scenarios of `features/` to pytest, one module an area; nothing else."""
