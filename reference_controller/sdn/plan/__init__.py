"""Pure decisions: about one network, and about one pool with all its claims."""
