"""One certificate authority for everything in the rig, and the keys made from it.

Keys exist only in the rig's tmpfs; they die with it.
"""

from __future__ import annotations

import base64
import os
import ssl
from dataclasses import dataclass
from pathlib import Path

import trustme
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

LOOPBACK = ("127.0.0.1", "localhost")


@dataclass(frozen=True)
class Pair:
    """A certificate and its key, as files."""

    certificate: Path
    key: Path


@dataclass(frozen=True)
class Signing:
    """A private key and its public half, as files."""

    private: Path
    public: Path


class Authority:
    """Issues certificates into one folder."""

    def __init__(self, folder: Path) -> None:
        self._ca = trustme.CA(organization_name="plumbline")
        self._folder = folder
        self.bundle = folder / "ca.crt"
        self._ca.cert_pem.write_to_path(self.bundle)

    @property
    def bundle_base64(self) -> str:
        """The authority's certificate as kubeconfigs and webhook configurations want it."""
        return base64.b64encode(self._ca.cert_pem.bytes()).decode()

    def server(self, name: str) -> Pair:
        """A certificate for a server on the loopback device; good for its clients too."""
        return self._issue(self._folder, name, self._ca.issue_cert(*LOOPBACK, common_name=name))

    def client(self, name: str, group: str) -> Pair:
        """A certificate that the API server takes for user `name` in `group`."""
        # Without any subject alternative name it would carry an empty, critical one: refused.
        leaf = self._ca.issue_cert(name, common_name=name, organization_name=group)
        return self._issue(self._folder, name, leaf)

    def webhook_folder(self, name: str) -> Path:
        """A folder with `tls.crt`, `tls.key`, `ca.crt`, as a component's --cert-dir wants it."""
        folder = self._folder / name
        folder.mkdir(mode=0o700)
        self._issue(folder, "tls", self._ca.issue_cert(*LOOPBACK, common_name=name))
        self._ca.cert_pem.write_to_path(folder / "ca.crt")
        return folder

    def signing_keys(self, name: str) -> Signing:
        """A key pair for ServiceAccount tokens."""
        key = ec.generate_private_key(ec.SECP256R1())
        made = Signing(self._folder / f"{name}.key", self._folder / f"{name}.pub")
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        write_secret(made.private, private)
        public = key.public_key()
        made.public.write_bytes(
            public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        )
        return made

    def client_context(self, pair: Pair | None = None) -> ssl.SSLContext:
        """TLS towards a server of this authority, as the user of `pair`."""
        context = ssl.create_default_context(cafile=str(self.bundle))
        if pair is not None:
            context.load_cert_chain(pair.certificate, pair.key)
        return context

    @staticmethod
    def _issue(folder: Path, name: str, leaf: trustme.LeafCert) -> Pair:
        pair = Pair(folder / f"{name}.crt", folder / f"{name}.key")
        for number, blob in enumerate(leaf.cert_chain_pems):
            blob.write_to_path(pair.certificate, append=number > 0)
        write_secret(pair.key, leaf.private_key_pem.bytes())
        return pair


def write_secret(path: Path, content: bytes) -> None:
    """Writes a file that only its owner can read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def ssh_key(private: Path) -> str:
    """Makes an ed25519 key in OpenSSH's format; returns the public line."""
    key = ed25519.Ed25519PrivateKey.generate()
    text = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    write_secret(private, text)
    return key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
