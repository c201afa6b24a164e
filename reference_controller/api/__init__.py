"""Typed views of the objects, their names, codecs and condition rules. Pure: no I/O, no clock."""
