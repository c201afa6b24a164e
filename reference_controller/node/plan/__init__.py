"""Pure decisions of the node agent: observed world in; actions for the drivers and writes out."""
