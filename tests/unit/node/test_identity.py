"""What is put into a guest to make it somebody."""

import io
import tarfile

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from reference_controller.node.drivers.identity import Identity, archive, machine_id

OPENSSH = (
    serialization.Encoding.PEM,
    serialization.PrivateFormat.OpenSSH,
    serialization.NoEncryption(),
)


def identity(host_key: str) -> Identity:
    return Identity("vm-a", machine_id("uid"), "ssh-ed25519 AAAA someone\n", host_key)


def test_the_archive_has_names_and_keys_for_their_owners_eyes_only() -> None:
    key = ed25519.Ed25519PrivateKey.generate()
    packed = archive(identity(key.private_bytes(*OPENSSH).decode()))
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        assert {member.mode for member in tar} == {0o600}
        files = {member.name: tar.extractfile(member).read() for member in tar}  # type: ignore[union-attr]
    raw = key.private_bytes_raw() + key.public_key().public_bytes_raw()
    assert files == {
        "etc/hostname": b"vm-a\n",
        "etc/machine-id": machine_id("uid").encode() + b"\n",
        "etc/dropbear/host_key": b"\0\0\0\x0bssh-ed25519\0\0\0\x40" + raw,
        "root/.ssh/authorized_keys": b"ssh-ed25519 AAAA someone\n",
    }


def test_another_kind_of_host_key_is_told() -> None:
    key = ec.generate_private_key(ec.SECP256R1()).private_bytes(*OPENSSH).decode()
    with pytest.raises(ValueError, match="not ed25519"):
        archive(identity(key))


def test_something_that_is_no_key_is_told() -> None:
    with pytest.raises(ValueError, match="not an unencrypted OpenSSH private key"):
        archive(identity("nonsense"))


def test_a_machine_id_is_stable_and_looks_like_one() -> None:
    assert machine_id("a") == machine_id("a") != machine_id("b")
    assert len(bytes.fromhex(machine_id("a"))) == 16
