"""Bringing environments up, running the conformance scenarios in them, and the command for it."""
