"""What can be wrong with the guest image, in words for whoever called."""


class GuestImageUnavailable(Exception):
    """There is no guest image (yet), or it cannot be made here; the message says what to do."""
