"""Environments that the suite can run in: bring up, find, bring down, describe.

An environment is known to the suite only by its description, a TOML file
(`fixtures.cluster.description`). `embedded` makes a whole cluster on this machine. No controller is
imported here; components are processes.
"""
