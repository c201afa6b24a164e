"""The list of networks has one meaning; the pod's annotations are read with suspicion."""

import json

import pytest

from reference_controller.api.networks import (
    AddressConfig,
    InterfaceAnswer,
    InterfaceRequest,
    NetworkEntry,
    NetworkKey,
    decode_answers,
    decode_requests,
    effective,
    encode_answers,
    encode_requests,
    has_main,
)

N1 = InterfaceRequest(2, NetworkKey("Network", "n1"), "veth_n12345678")


def test_absent_and_empty_mean_main() -> None:
    assert effective(None) == effective(()) == (NetworkEntry(type="Main", id=1),)
    assert has_main(None)


def test_a_list_without_main_has_none() -> None:
    assert not has_main((NetworkEntry(type="Network", name="x"),))


def test_networks_spec_has_the_documented_bytes() -> None:
    assert encode_requests([N1]) == (
        '[{"id":2,"type":"Network","name":"n1","ifName":"veth_n12345678","uid":64535,"gid":64535}]'
    )


def test_nothing_to_ask_is_no_annotation() -> None:
    assert encode_requests([]) is None


def test_requests_survive_their_encoding() -> None:
    pooled = InterfaceRequest(3, NetworkKey("ClusterNetwork", "c"), "veth_cn1", ("vm-abc",))
    assert decode_requests(encode_requests([N1, pooled])) == (N1, pooled)


@pytest.mark.parametrize("text", ["", "{", "3", '"x"', "null", '[{"type":[]}]', "[" * 100_000])
def test_malformed_status_is_no_answer(text: str) -> None:
    assert decode_answers(text) is None
    assert decode_requests(text) == ()


def test_answers_survive_their_encoding() -> None:
    config = AddressConfig(name="a", address="10.1.0.5", network="10.1.0.0/24")
    answer = InterfaceAnswer(
        type="Network", name="n1", if_name="veth_n1", mac="m", ip_address_configs=(config,)
    )
    assert decode_answers(encode_answers([answer])) == (answer,)


@pytest.mark.parametrize(
    ("changes", "right"),
    [
        ({}, True),
        ({"type": "ClusterNetwork"}, False),
        ({"ifName": "veth_nold"}, False),
        ({"ipAddressConfigs": [{"name": "old"}]}, False),
    ],
)
def test_only_an_answer_to_this_request_counts(changes: dict[str, object], right: bool) -> None:
    body = {"type": "Network", "name": "n1", "ifName": "veth_n12345678", **changes}
    [answer] = decode_answers(json.dumps([body])) or ()
    assert answer.answers(N1) is right


def test_one_false_condition_makes_an_answer_unhealthy() -> None:
    body = {"type": "Network", "name": "n1", "conditions": [{"type": "X", "status": "False"}]}
    [answer] = decode_answers(json.dumps([body])) or ()
    assert not answer.healthy
