"""Keys and certificates of a rig."""

from __future__ import annotations

import base64
from pathlib import Path

import yaml
from cryptography import x509
from cryptography.x509.oid import NameOID

from e2e.environments.embedded import certificates, kubeconfig
from e2e.environments.embedded.certificates import Authority


def test_a_client_is_a_user_in_a_group(tmp_path: Path) -> None:
    pair = Authority(tmp_path).client("someone", "system:masters")
    subject = x509.load_pem_x509_certificate(pair.certificate.read_bytes()).subject
    assert subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value == "someone"
    assert subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)[0].value == "system:masters"


def test_keys_are_their_owners_only(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    folder = authority.webhook_folder("webhook")
    certificates.ssh_key(tmp_path / "ssh")
    keys = [authority.server("s").key, authority.signing_keys("a").private, folder / "tls.key"]
    for key in [*keys, tmp_path / "ssh"]:
        assert key.stat().st_mode & 0o077 == 0
    assert {item.name for item in folder.iterdir()} == {"tls.crt", "tls.key", "ca.crt"}


def test_an_ssh_key_has_the_public_half_that_it_says(tmp_path: Path) -> None:
    public = certificates.ssh_key(tmp_path / "key")
    assert public.startswith("ssh-ed25519 AAAA")
    assert (tmp_path / "key").read_text().startswith("-----BEGIN OPENSSH PRIVATE KEY-----")


def test_a_kubeconfig_is_whole_in_itself(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    pair = authority.client("someone", "group")
    kubeconfig.write(
        tmp_path / "config",
        name="n",
        server="https://127.0.0.1:1",
        ca_base64=authority.bundle_base64,
        user=kubeconfig.with_certificate(pair),
    )
    document = yaml.safe_load((tmp_path / "config").read_text())
    assert document["current-context"] == "n"
    encoded = document["users"][0]["user"]["client-key-data"]
    assert base64.b64decode(encoded) == pair.key.read_bytes()
    assert (tmp_path / "config").stat().st_mode & 0o077 == 0
