"""Makes a checkout ready to run, on a machine where nothing was installed by hand.

Runs on the machine's own Python before there is a virtual environment: standard library only.
"""
