"""A request is compared entry by entry, key by key, in order."""

from __future__ import annotations

import pytest

from fixtures.machines import requests

WANTED = '[{"id":2,"type":"ClusterNetwork","name":"blue","ifName":"veth_cn########","uid":64535}]'


@pytest.mark.parametrize(
    ("asked", "alike"),
    [
        (
            '[{"id":2,"type":"ClusterNetwork","name":"blue-x","ifName":"veth_cn0123abcd","uid":64535}]',
            True,
        ),
        (
            '[{"id":2,"type":"ClusterNetwork","name":"blue","ifName":"veth_cn0123abcd","uid":64535}]',
            False,
        ),
        (
            '[{"id":2,"type":"ClusterNetwork","name":"blue-x","ifName":"veth_cn0123abc","uid":64535}]',
            False,
        ),
        (
            '[{"id":2,"type":"ClusterNetwork","name":"blue-x","ifName":"veth_n0123abcd","uid":64535}]',
            False,
        ),
        (
            '[{"type":"ClusterNetwork","id":2,"name":"blue-x","ifName":"veth_cn0123abcd","uid":64535}]',
            False,
        ),
        (
            '[{"id":2,"type":"ClusterNetwork","name":"blue-x","ifName":"veth_cn0123abcd"}]',
            False,
        ),
        (
            '[{"id":"2","type":"ClusterNetwork","name":"blue-x","ifName":"veth_cn0123abcd","uid":64535}]',
            False,
        ),
        ("[]", False),
        ("{", False),
        (None, False),
        ('{"id":2}', False),
    ],
)
def test_alike(asked: str | None, alike: bool) -> None:
    wanted = requests.renamed(requests.parse(WANTED), lambda _, name: f"{name}-x")
    assert requests.alike(wanted, requests.parse(asked)) is alike
