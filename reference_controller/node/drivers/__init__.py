"""Hands of the node agent: what it does to guests, links and the wire; no Kubernetes in sight.

`qmp` and `guest_agent` speak the two protocols of a running QEMU, `machine` is the command line of
one, `process` its process, `qemu` one running guest, `template` saves and clones the copy-on-write
template, `identity` makes a clone somebody of its own. Decisions belong to `node.plan`; the drivers
get paths and values as arguments and know no settings.
"""
