"""What every component needs around its plans: API client, store, work queue, kopf wiring.

Nothing here knows a kind or a rule of VM networking. Plans never import this room.
"""
