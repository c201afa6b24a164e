"""A whole cluster on this machine: real etcd, API server and controller manager, two nodes with
network namespaces of their own, and the components of a platform, each its own process.

Everything lives in the user, mount and pid namespaces of one process, the rig (`rig`), and in a
tmpfs that only those namespaces see: with that process all of it is gone. `launch` starts a rig and
`running` finds those that run.
"""
