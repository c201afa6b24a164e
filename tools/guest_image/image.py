"""Finds the guest image, or makes it: kernel and initramfs of packages, template of a guest."""

import asyncio
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from reference_controller.node.drivers import machine, template
from reference_controller.node.drivers.machine import Boot, Shape, Sockets
from reference_controller.node.drivers.qemu import StartFailed
from reference_controller.node.drivers.template import Template, TemplateUnusable
from tools.guest_image import cpio, packages, rootfs, store
from tools.guest_image.errors import GuestImageUnavailable

Say = Callable[[str], None]

KVM_DEVICE = Path("/dev/kvm")
KVM_SECONDS = 30.0
"""A guest with KVM boots in two. Some machines have the device, but it does not work."""
TCG_SECONDS = 180.0
"""Emulated, a guest boots in four to twenty on a busy machine."""


@dataclass(frozen=True)
class GuestImage:
    """What a guest is started from."""

    kernel: Path
    initrd: Path
    template: Template


def locate(shape: Shape | None = None) -> GuestImage:
    """The image that ensure() made earlier. Takes milliseconds.

    Raises:
        GuestImageUnavailable: it has not been made, or QEMU is missing or has changed since.
    """
    boot = _boot()
    if boot is None:
        raise GuestImageUnavailable("there is no guest image yet; make it with `make setup`")
    for candidate in _shapes(shape or Shape()):
        place = _template_folder(boot, candidate)
        if place.is_dir():
            return _image(boot, _load(place, boot))
    raise GuestImageUnavailable(
        f"the guest image has no template for {_qemu_version(shape or Shape())};"
        " make it with `make setup`"
    )


def ensure(
    shape: Shape | None = None, *, say: Say | None = None, refresh: bool = False
) -> GuestImage:
    """Like locate(), but makes what is missing; `refresh` takes the newest packages even so.

    Progress goes to `say`, a line at a time; by default to the error output.

    Raises:
        GuestImageUnavailable: it cannot be made; the message says what to do.
    """
    say = say or _print
    wanted = shape or Shape()
    if not refresh:
        try:
            return locate(wanted)
        except GuestImageUnavailable:
            _qemu_version(wanted)
    with store.alone(say):
        boot = None if refresh else _boot()
        boot = boot or _make_image(say)
        for candidate in _shapes(wanted):
            place = _template_folder(boot, candidate)
            if place.is_dir() or _make_template(place, boot, candidate, say):
                return _image(boot, _load(place, boot))
    raise GuestImageUnavailable("no guest starts here, neither with KVM nor emulated: see above")


def _boot() -> Boot | None:
    found = store.image_folder()
    return None if found is None else Boot(found / "kernel", found / "initrd")


def _image(boot: Boot, found: Template) -> GuestImage:
    return GuestImage(boot.kernel, boot.initrd, found)


def _load(place: Path, boot: Boot) -> Template:
    try:
        return Template.load(place, boot)
    except TemplateUnusable as exc:
        raise GuestImageUnavailable(f"{exc}; delete {place} and run `make setup`") from exc


def _make_image(say: Say) -> Boot:
    from_packages = time.monotonic()
    packages.require_tools()
    store.folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=store.folder()) as work:
        sources = rootfs.Sources(Path(work), say)
        kernel, tree = rootfs.build(sources)
    say("packing the initramfs")
    initrd = cpio.archive(tree)
    key = store.key_of(kernel, initrd)
    target = store.folder() / key
    if not target.is_dir():
        with store.fresh_folder(target) as fresh:
            (fresh / "kernel").write_bytes(kernel)
            (fresh / "initrd").write_bytes(initrd)
            (fresh / "packages.txt").write_text(sources.manifest())
    store.point_to(key)
    say(f"kernel and initramfs are ready after {time.monotonic() - from_packages:.0f} s")
    return Boot(target / "kernel", target / "initrd")


def _make_template(place: Path, boot: Boot, shape: Shape, say: Say) -> bool:
    """Boot and save a guest; False when this accelerator does not work here."""
    kvm = shape.accelerator == machine.KVM
    say(f"booting the guest that all others are copied from ({'KVM' if kvm else 'emulated'})")
    started = time.monotonic()
    within = KVM_SECONDS if kvm else TCG_SECONDS
    try:
        # Sockets need a short path, which the cache need not have.
        with (
            tempfile.TemporaryDirectory(prefix="plumbline-") as run,
            store.fresh_folder(place) as fresh,
        ):
            asyncio.run(template.create(fresh, Path(run), boot, shape, within=within))
    except StartFailed as exc:
        if not kvm:
            raise GuestImageUnavailable(f"the guest image does not boot: {exc}") from exc
        say(f"KVM does not work here, guests will be emulated ({str(exc).splitlines()[0]})")
        return False
    say(f"the template is ready after {time.monotonic() - started:.0f} s, in {place}")
    return True


def _shapes(shape: Shape) -> list[Shape]:
    """The shape with each accelerator that may work here, best first."""
    kvm = os.access(KVM_DEVICE, os.R_OK | os.W_OK)
    accelerated = Shape(shape.memory_mib, shape.slots, machine.KVM, shape.binary)
    return [accelerated, shape] if kvm else [shape]


def _template_folder(boot: Boot, shape: Shape) -> Path:
    """Named by what a saved state depends on: QEMU, its command line, with KVM the processor."""
    nowhere = Path("/")
    words = machine.command_line(shape, Boot(nowhere, nowhere), Sockets(nowhere), name="template")
    digest = hashlib.sha256("\0".join([_qemu_version(shape), *words]).encode())
    if shape.accelerator == machine.KVM:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        digest.update(
            "\n".join(sorted({x for x in lines if x.startswith(("model", "flags"))})).encode()
        )
    return boot.kernel.parent / f"template-{digest.hexdigest()[: store.KEY_DIGITS]}"


def _qemu_version(shape: Shape) -> str:
    """First line of what QEMU says of itself. GuestImageUnavailable: there is none."""
    binary = shutil.which(shape.binary)
    if binary is None:
        raise GuestImageUnavailable(
            f"{shape.binary} is not installed; as root: apt-get install qemu-system-x86"
        )
    done = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise GuestImageUnavailable(f"{binary} does not run: {done.stderr.strip()}")
    return done.stdout.splitlines()[0]


def _print(line: str) -> None:
    print(f"guest image: {line}", file=sys.stderr, flush=True)
