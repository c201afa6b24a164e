"""A pool gives each claim its own address, keeps what is held, and frees late enough."""

import datetime
from ipaddress import IPv4Address
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from reference_controller.api.sdn import AddressPool, IPAddress, IPAddressLease
from reference_controller.api.writes import Create, Delete, MergePatch, Plan
from reference_controller.sdn.plan import allocation, leases, ranges

NOW = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.UTC)


def pool(
    *, network: str = "10.1.0.0/24", spans: tuple[str, ...] = (), ttl: str = "2s"
) -> AddressPool:
    segment: dict[str, Any] = {"network": network}
    if spans:
        segment["ranges"] = list(spans)
    return AddressPool.parse(
        {
            "kind": "ClusterIPAddressPool",
            "metadata": {"name": "p"},
            "spec": {"leaseTTL": ttl, "pools": [segment]},
        }
    )


def claim(name: str, *, static: str = "", second: int = 0, uid: str = "") -> IPAddress:
    spec: dict[str, Any] = {"networkRef": {"kind": "ClusterNetwork", "name": "n"}, "type": "Auto"}
    if static:
        spec |= {"type": "Static", "static": {"ip": static}}
    created = f"2026-01-01T00:00:{second:02}Z"
    meta = {"name": name, "namespace": "ns", "uid": uid or f"uid-{name}"}
    return IPAddress.parse({"metadata": {**meta, "creationTimestamp": created}, "spec": spec})


def lease(of: IPAddress, ip: str, *, orphaned: datetime.datetime | None = None) -> IPAddressLease:
    body = leases.create(pool(), of, IPv4Address(ip)).body
    if orphaned:
        body["status"] = {"orphaningTimestamp": orphaned.isoformat()}
    return IPAddressLease.parse(body)


def world(
    *claims: IPAddress,
    of: AddressPool | None = None,
    held: tuple[IPAddressLease, ...] = (),
    in_use: frozenset[tuple[str, str, str]] = frozenset(),
    now: datetime.datetime = NOW,
) -> allocation.World:
    return allocation.World(of or pool(), claims, held, in_use, {}, now)


def leased(plan: Plan) -> list[str]:
    return [write.body["spec"]["ip"] for write in plan.writes if isinstance(write, Create)]


def statuses(plan: Plan) -> dict[str, dict[str, Any]]:
    return {
        write.name: write.body["status"]
        for write in plan.writes
        if isinstance(write, MergePatch) and write.kind.kind == "IPAddress"
    }


def test_the_oldest_claim_gets_the_lowest_address() -> None:
    plan = allocation.decide(world(claim("late", second=2), claim("early", second=1)))
    assert leased(plan) == ["10.1.0.1", "10.1.0.2"]
    holder = plan.writes[0]
    assert isinstance(holder, Create)
    assert holder.body["spec"]["ipAddressRef"]["name"] == "early"


def test_a_claim_is_allocated_by_the_lease_that_the_server_has() -> None:
    mine = claim("a")
    status = statuses(allocation.decide(world(mine, held=(lease(mine, "10.1.0.9"),))))["a"]
    assert (status["phase"], status["address"]) == ("Allocated", "10.1.0.9")
    assert status["network"] == "10.1.0.0/24"


def test_an_exhausted_pool_says_so_and_serves_no_one_twice() -> None:
    first, second = claim("a"), claim("b", second=1)
    plan = allocation.decide(
        world(first, second, of=pool(network="10.1.0.0/30", spans=("10.1.0.2-10.1.0.2",)))
    )
    assert leased(plan) == ["10.1.0.2"]
    [condition] = statuses(plan)["b"]["conditions"]
    assert (condition["status"], condition["reason"]) == ("False", "NoFreeIPAddress")


def test_a_claim_that_cannot_be_served_holds_up_nobody() -> None:
    plan = allocation.decide(world(claim("a", static="10.9.9.9"), claim("b", second=1)))
    assert leased(plan) == ["10.1.0.1"]
    assert statuses(plan)["a"]["conditions"][0]["reason"] == "AddressOutOfRange"


def test_a_static_address_in_use_names_its_holder() -> None:
    holder = claim("a", static="10.1.0.5")
    plan = allocation.decide(
        world(holder, claim("b", static="10.1.0.5", second=1), held=(lease(holder, "10.1.0.5"),))
    )
    assert "ns/a" in statuses(plan)["b"]["conditions"][0]["message"]


def test_an_address_that_a_pod_still_uses_is_not_orphaned() -> None:
    gone = claim("a")
    used = frozenset({("ns", "a", "10.1.0.1")})
    assert allocation.decide(world(held=(lease(gone, "10.1.0.1"),), in_use=used)).writes == ()


def test_an_unused_lease_is_orphaned_then_deleted_after_its_time() -> None:
    gone = claim("a")
    [orphaning] = allocation.decide(world(held=(lease(gone, "10.1.0.1"),))).writes
    assert isinstance(orphaning, MergePatch)
    waiting = allocation.decide(
        world(held=(lease(gone, "10.1.0.1", orphaned=NOW - datetime.timedelta(seconds=1)),))
    )
    assert (waiting.writes, waiting.again_after) == ((), 1.0)
    over = lease(gone, "10.1.0.1", orphaned=NOW - datetime.timedelta(seconds=2))
    [deletion] = allocation.decide(world(held=(over,))).writes
    assert isinstance(deletion, Delete)


def test_an_orphaned_address_goes_to_nobody_else() -> None:
    orphan = lease(claim("a"), "10.1.0.1", orphaned=NOW)
    assert leased(allocation.decide(world(claim("b"), held=(orphan,)))) == ["10.1.0.2"]


def test_a_claim_made_again_takes_its_lease_over() -> None:
    orphan = lease(claim("a"), "10.1.0.7", orphaned=NOW)
    plan = allocation.decide(world(claim("a", uid="new"), held=(orphan,)))
    assert leased(plan) == []
    assert statuses(plan)["a"]["address"] == "10.1.0.7"


def test_a_pool_edit_never_takes_an_address_from_its_holder() -> None:
    mine = claim("a")
    plan = allocation.decide(
        world(mine, of=pool(spans=("10.1.0.100-10.1.0.110",)), held=(lease(mine, "10.1.0.5"),))
    )
    assert statuses(plan)["a"]["phase"] == "Allocated"
    assert not any(isinstance(write, Delete) for write in plan.writes)


def test_a_malformed_pool_is_explained_and_frees_nothing() -> None:
    plan = allocation.decide(
        world(claim("a"), of=pool(spans=("x-y",)), held=(lease(claim("b"), "10.1.0.1"),))
    )
    assert statuses(plan)["a"]["conditions"][0]["reason"] == "MalformedPool"
    assert len(plan.writes) == 1


@given(
    prefix=st.integers(min_value=28, max_value=32),
    count=st.integers(min_value=1, max_value=20),
)
def test_every_usable_address_is_given_once_before_the_pool_is_exhausted(
    prefix: int, count: int
) -> None:
    some = pool(network=f"10.1.0.0/{prefix}")
    plan = allocation.decide(world(*(claim(f"c{i}", second=i) for i in range(count)), of=some))
    [segment] = ranges.segments(some)
    usable = list(segment.addresses())
    assert leased(plan) == [str(ip) for ip in usable[:count]]
    assert len(usable) == {28: 14, 29: 6, 30: 2, 31: 2, 32: 1}[prefix]
