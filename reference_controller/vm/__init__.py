"""The VM controller: what users replace when they bring their own implementation.

`plan` decides, `operator` watches and writes. See docs/explanation for the flow of a hotplug.
"""
