"""The guest's files: programs, libraries and kernel modules of packages, and a few of our own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tools.guest_image import cpio, elf, packages
from tools.guest_image.errors import GuestImageUnavailable

OWN_FILES = Path(__file__).resolve().parent / "rootfs"
KERNEL = "linux-image-cloud-amd64"
"""A meta package: it depends on the newest kernel."""

PROGRAMS: Mapping[str, str] = {
    # busybox's own shell prefers its applets to the programs on PATH, `ip` for one.
    "usr/bin/sh": "dash:bin/dash",
    "usr/bin/busybox": "busybox-static:bin/busybox",
    "usr/bin/ip": "iproute2:bin/ip",
    "usr/bin/chrt": "util-linux:usr/bin/chrt",
    "usr/sbin/dhcpcd": "dhcpcd-base:usr/sbin/dhcpcd",
    "usr/sbin/dropbear": "dropbear-bin:usr/sbin/dropbear",
    "usr/sbin/qemu-ga": "qemu-guest-agent:usr/sbin/qemu-ga",
}
"""Path in the guest: package and path in it."""

MODULES = ("virtio_pci", "virtio_console", "virtio-rng", "veth", "virtio_net")
"""Loaded at boot, after what they depend on."""
LATER_MODULES = ("qemu_fw_cfg",)
"""In the image, loaded when wanted."""

LIBRARY_FOLDERS = ("usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu")
LOADER = "ld-linux-x86-64.so.2"
FOLDERS = ("dev", "proc", "run", "sys", "tmp", "var/lib/dhcpcd", "usr/lib64")
LINKS = {
    "bin": "usr/bin",
    "sbin": "usr/sbin",
    "lib": "usr/lib",
    "lib64": "usr/lib64",
    "var/run": "/run",
    "init": "usr/bin/busybox",
    f"usr/lib64/{LOADER}": f"../lib/x86_64-linux-gnu/{LOADER}",
}


@dataclass
class Sources:
    """Unpacked packages in `folder`, and which they are."""

    folder: Path
    say: Callable[[str], None]
    chosen: dict[str, packages.Package] = field(default_factory=dict)

    def add(self, names: set[str]) -> None:
        """Download and unpack what is not here yet."""
        new = packages.candidates(names - self.chosen.keys())
        self.say(f"downloading {len(new)} Debian packages ({packages.megabytes(new):.0f} MB)")
        packages.fetch(new, self.folder)
        self.chosen.update({package.name: package for package in new})

    def manifest(self) -> str:
        """The packages, one a line: name, version, sha256."""
        chosen = sorted(self.chosen.values(), key=lambda package: package.name)
        return "".join(f"{one.name} {one.version} {one.sha256}\n" for one in chosen)

    def read(self, package: str, path: str) -> bytes:
        """A file of a package, whether or not it was packaged with merged /usr."""
        for candidate in (path, f"usr/{path}"):
            place = self.folder / package / candidate
            if place.is_file():
                return place.read_bytes()
        raise GuestImageUnavailable(
            f"the package {package} has no {path} any more; adapt tools/guest_image/rootfs.py"
        )

    def library(self, soname: str) -> tuple[str, bytes] | None:
        """The package that has a library, and the library."""
        for package in sorted(self.chosen):
            for folder in LIBRARY_FOLDERS:
                place = self.folder / package / folder / soname
                if place.is_file():
                    return package, place.read_bytes()
        return None


def build(sources: Sources) -> tuple[bytes, dict[str, cpio.Entry]]:
    """The kernel, and the tree of the initramfs.

    Raises:
        GuestImageUnavailable: a package, a program or a library is not to be had.
    """
    kernel = next(
        name for name in packages.candidates([KERNEL])[0].depends if name.startswith("linux-image-")
    )
    sources.add({kernel, *(origin.partition(":")[0] for origin in PROGRAMS.values())})
    tree = {folder: cpio.directory() for folder in FOLDERS}
    tree["root"] = tree["root/.ssh"] = tree["etc/dropbear"] = cpio.directory(0o700)
    tree.update({path: cpio.link(target) for path, target in LINKS.items()})
    for path, origin in PROGRAMS.items():
        package, _, place = origin.partition(":")
        tree[path] = cpio.file(sources.read(package, place), executable=True)
    for soname, content in libraries(sources).items():
        tree[f"usr/lib/x86_64-linux-gnu/{soname}"] = cpio.file(content, executable=True)
    tree["usr/sbin/reseed"] = cpio.file(elf.reseed_program(), executable=True)
    tree.update(own_files())
    tree.update(modules(sources.folder / kernel))
    (image,) = (sources.folder / kernel / "boot").glob("vmlinuz-*")
    return image.read_bytes(), tree


def own_files() -> dict[str, cpio.Entry]:
    """The files beside this module: etc/ as it is, sbin/ executable in usr/sbin."""
    tree = {}
    for place in sorted(OWN_FILES.glob("etc/*")):
        tree[f"etc/{place.name}"] = cpio.file(place.read_bytes())
    for place in sorted(OWN_FILES.glob("sbin/*")):
        tree[f"usr/sbin/{place.name}"] = cpio.file(place.read_bytes(), executable=True)
    return tree


def libraries(sources: Sources) -> dict[str, bytes]:
    """Everything that the programs load, by soname; packages that are needed for it are added."""
    found: dict[str, bytes] = {}
    wanted = {LOADER: "dash"}
    for origin in PROGRAMS.values():
        package, _, place = origin.partition(":")
        wanted.update(dict.fromkeys(elf.needed(sources.read(package, place)), package))
    while wanted:
        missing = {soname: user for soname, user in wanted.items() if not sources.library(soname)}
        if missing:
            _add_libraries(sources, missing)
        following = {}
        for soname in wanted:
            hit = sources.library(soname)
            if hit is None:
                raise GuestImageUnavailable(
                    f"no dependency of {wanted[soname]} has the library {soname}"
                )
            package, found[soname] = hit
            following.update(dict.fromkeys(elf.needed(found[soname]), package))
        wanted = {soname: user for soname, user in following.items() if soname not in found}
    return found


def _add_libraries(sources: Sources, missing: Mapping[str, str]) -> None:
    """Get the library packages that the users of missing libraries depend on."""
    asked = {
        name
        for user in set(missing.values())
        for name in sources.chosen[user].depends
        if name.startswith(("lib", "zlib")) and name not in sources.chosen
    }
    if asked:
        sources.add(asked)


def modules(package: Path) -> dict[str, cpio.Entry]:
    """The kernel modules, and the order in which to load them."""
    places = {place.stem: place for place in package.glob("**/kernel/**/*.ko")}
    tree: dict[str, cpio.Entry] = {}
    order: list[str] = []

    def take(name: str) -> None:
        # File names have dashes where dependencies have underscores.
        place = places.get(name) or places.get(name.replace("_", "-"))
        if place is None:
            raise GuestImageUnavailable(f"the kernel package {package.name} has no module {name}")
        if place.stem in order:
            return
        content = place.read_bytes()
        for dependency in elf.module_dependencies(content):
            take(dependency)
        order.append(place.stem)
        tree[f"usr/lib/modules/{place.name}"] = cpio.file(content)

    for name in MODULES:
        take(name)
    at_boot = "\n".join(order) + "\n"
    for name in LATER_MODULES:
        take(name)
    tree["usr/lib/modules/order"] = cpio.file(at_boot.encode())
    return tree
