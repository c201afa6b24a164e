"""Does the suite see what is wrong? Defects planted in the reference implementation, a controller
that does nothing, and faults of the suite itself; each must be told for what it is.

The one room that may import `reference_controller`, and only to plant a defect.
"""
