"""As much of ELF (64 bit, little endian) as the guest image needs.

Which libraries a program loads, which modules a kernel module depends on; and one tiny program, for
the one thing that no packaged program does.
"""

import struct
from collections.abc import Iterator

MAGIC = b"\x7fELF\x02\x01"
SHT_STRTAB = 3
SHT_DYNAMIC = 6
DT_NEEDED = 1
HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SEGMENT = struct.Struct("<IIQQQQQQ")
SECTION = struct.Struct("<IIQQQQIIQQ")
DYNAMIC = struct.Struct("<qQ")
LOAD_ADDRESS = 0x400000


def is_elf(content: bytes) -> bool:
    """Whether the content is an ELF file of the kind that is read here."""
    return content.startswith(MAGIC)


def needed(content: bytes) -> tuple[str, ...]:
    """Sonames of the libraries that a program or library loads; none for a static one."""
    sections = list(_sections(content))
    for kind, link, offset, size, _ in sections:
        if kind != SHT_DYNAMIC:
            continue
        _, _, names, length, _ = sections[link]
        strings = content[names : names + length]
        return tuple(
            _string(strings, value)
            for tag, value in DYNAMIC.iter_unpack(content[offset : offset + size])
            if tag == DT_NEEDED
        )
    return ()


def module_dependencies(content: bytes) -> tuple[str, ...]:
    """Names of the modules that a kernel module says must be loaded before it."""
    for _, _, offset, size, name in _sections(content):
        if name != ".modinfo":
            continue
        for entry in content[offset : offset + size].split(b"\0"):
            if entry.startswith(b"depends="):
                return tuple(filter(None, entry.removeprefix(b"depends=").decode().split(",")))
    return ()


def reseed_program() -> bytes:
    """A static program for x86-64 that makes the kernel's random generator take in its pool now.

    It ends with the error number of ioctl(open("/dev/urandom"), RNDRESEEDCRNG), 0 for success.
    """
    path = b"/dev/urandom\0"
    first = bytes.fromhex("b802000000")  # mov eax, SYS_open
    # After `lea rdi, [rip+distance]` to the path, which follows the code:
    rest = bytes.fromhex(
        "31f6 31d2 0f05"  # xor esi, esi; xor edx, edx; syscall
        "89c7 b810000000 be07520000 0f05"  # mov edi, eax; mov eax, SYS_ioctl; mov esi, ...; syscall
        "89c7 f7df b83c000000 0f05"  # mov edi, eax; neg edi; mov eax, SYS_exit; syscall
    )
    code = first + b"\x48\x8d\x3d" + struct.pack("<i", len(rest)) + rest + path
    start = HEADER.size + SEGMENT.size
    end = start + len(code)
    header = HEADER.pack(
        MAGIC + b"\x01" + bytes(9),
        *(2, 62, 1),  # executable, x86-64, version
        *(LOAD_ADDRESS + start, HEADER.size, 0, 0),  # entry, segments, no sections, no flags
        *(HEADER.size, SEGMENT.size, 1, 0, 0, 0),
    )
    segment = SEGMENT.pack(1, 5, 0, LOAD_ADDRESS, LOAD_ADDRESS, end, end, 0x1000)
    return header + segment + code


def _sections(content: bytes) -> Iterator[tuple[int, int, int, int, str]]:
    """Type, link, offset, size and name of each section."""
    if not is_elf(content):
        return
    fields = HEADER.unpack_from(content)
    table, size, count, names_index = fields[6], fields[11], fields[12], fields[13]
    if not count:
        return
    headers = [SECTION.unpack_from(content, table + index * size) for index in range(count)]
    names = headers[names_index]
    strings = content[names[4] : names[4] + names[5]]
    for name, kind, _, _, offset, length, link, *_ in headers:
        yield kind, link, offset, length, _string(strings, name)


def _string(strings: bytes, start: int) -> str:
    return strings[start : strings.index(b"\0", start)].decode()
