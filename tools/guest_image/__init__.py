"""The guest image: kernel and initramfs from Debian packages, and a template to clone guests from.

`locate()` finds it, `ensure()` makes what is missing, `python -m tools.guest_image` does so from a
shell. What the guest offers is written in `rootfs/README.md`; running guests is the business of
`reference_controller.node.drivers`.
"""

from tools.guest_image.errors import GuestImageUnavailable
from tools.guest_image.image import GuestImage, ensure, locate

__all__ = ["GuestImage", "GuestImageUnavailable", "ensure", "locate"]
