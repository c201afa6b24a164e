"""Settings that cannot be used are named, with what to do, before anything starts."""

from __future__ import annotations

from ipaddress import IPv4Network
from pathlib import Path

import pytest

from reference_controller.vm import settings

CLUSTER = "17eb5ee6-192c-4f5e-8d0a-6b1f0c2f9a11"


def test_defaults() -> None:
    parsed = settings.parse({"CLUSTER_UUID": CLUSTER})
    assert (parsed.oui, parsed.cidrs, parsed.sdn_enabled) == ("5e:e6:19", (), False)
    assert parsed.retention == 600


def test_everything_given() -> None:
    parsed = settings.parse(
        {
            "CLUSTER_UUID": CLUSTER,
            "VIRTUAL_MACHINE_CIDRS": "10.66.10.0/24, 10.66.20.0/24",
            "SDN_ENABLED": "true",
            "VIRTUAL_MACHINE_IP_LEASES_RETENTION_DURATION": "1m30s",
        }
    )
    assert parsed.cidrs == (IPv4Network("10.66.10.0/24"), IPv4Network("10.66.20.0/24"))
    assert (parsed.sdn_enabled, parsed.retention) == (True, 90)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CLUSTER_UUID", ""),
        ("CLUSTER_UUID", "x"),
        ("VIRTUAL_MACHINE_CIDRS", "10.66.10.1/24"),
        ("VIRTUAL_MACHINE_CIDRS", "fd00::/64"),
        ("VIRTUAL_MACHINE_CIDRS", "10.0.0.0/8,10.1.0.0/16"),
        ("SDN_ENABLED", "yes"),
        ("VIRTUAL_MACHINE_IP_LEASES_RETENTION_DURATION", "10"),
        ("VIRTUAL_MACHINE_IP_LEASES_RETENTION_DURATION", "10m!"),
    ],
)
def test_what_cannot_be_used_is_named(name: str, value: str) -> None:
    with pytest.raises(settings.Unusable, match=name):
        settings.parse({"CLUSTER_UUID": CLUSTER, name: value})


@pytest.mark.parametrize(
    ("text", "seconds"), [("10m", 600), ("1h", 3600), ("1m30s", 90), ("5s", 5), ("250ms", 0.25)]
)
def test_durations(text: str, seconds: float) -> None:
    assert settings.duration(text) == seconds


def test_admission_needs_both_options_and_three_files(tmp_path: Path) -> None:
    assert settings.server(None, None) is None
    with pytest.raises(settings.Unusable, match="--webhook-port"):
        settings.server(tmp_path, None)
    with pytest.raises(settings.Unusable, match=r"tls\.crt"):
        settings.server(tmp_path, 9443)
    for name in ("tls.crt", "tls.key", "ca.crt"):
        (tmp_path / name).touch()
    with pytest.raises(settings.Unusable, match="70000"):
        settings.server(tmp_path, 70000)
    found = settings.server(tmp_path, 9443)
    assert found is not None
    assert found.port == 9443


def test_a_missing_kubeconfig_is_named(tmp_path: Path) -> None:
    with pytest.raises(settings.Unusable, match="--kubeconfig"):
        settings.kubeconfig(str(tmp_path / "none"))
