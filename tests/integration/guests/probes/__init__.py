"""Programs that the tests of guests run in namespaces of their own; each prints JSON."""
