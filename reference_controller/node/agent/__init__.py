"""The process around the node's plans: what it watches, how it looks, how it carries out."""
