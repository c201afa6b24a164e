"""The reference implementation: a complete small platform that satisfies every clause.

Four components, each its own process, each replaceable: `vm` (the controller that most users bring
themselves), and stand-ins for the parts around it: `virt`, `sdn` and one `node` agent per node.
They speak to each other only through the API server.
"""
