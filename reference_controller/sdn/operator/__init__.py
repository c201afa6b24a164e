"""The process around sdn's plans: what it watches, and how it gathers a world."""
