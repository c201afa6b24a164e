"""The store keeps the newest version of every object, whatever order it hears of them."""

from typing import Any

from reference_controller.api import kinds
from reference_controller.api.internal import LauncherPod
from reference_controller.api.view import Json, Object
from reference_controller.runtime.store import Index, Store

BY_NODE = Index(kinds.POD, "node", lambda pod: [pod.spec.node_name])


def pod(version: int, *, node: str = "a", name: str = "p", uid: str = "u") -> Json:
    meta = {"namespace": "ns", "name": name, "uid": uid, "resourceVersion": str(version)}
    return {"metadata": meta, "spec": {"nodeName": node}}


def store() -> Store:
    return Store({kinds.POD: LauncherPod}, [BY_NODE])


def node_of(kept: Store) -> str:
    found = kept.get(kinds.POD, LauncherPod, "ns", "p")
    return found.spec.node_name if found else "gone"


def test_an_older_version_is_ignored() -> None:
    kept = store()
    kept.apply(kinds.POD, pod(5, node="new"))
    kept.apply(kinds.POD, pod(4, node="old"))
    assert node_of(kept) == "new"


def test_a_late_answer_does_not_bring_a_deleted_object_back() -> None:
    kept = store()
    kept.apply(kinds.POD, pod(5))
    kept.remove(kinds.POD, pod(7))
    kept.apply(kinds.POD, pod(6))
    assert node_of(kept) == "gone"


def test_a_successor_of_the_same_name_is_kept_when_the_old_deletion_arrives_late() -> None:
    kept = store()
    kept.apply(kinds.POD, pod(9, node="second", uid="v"))
    kept.remove(kinds.POD, pod(7, uid="u"))
    assert node_of(kept) == "second"


def test_a_list_forgets_only_what_is_older_than_itself() -> None:
    kept = store()
    kept.apply(kinds.POD, pod(5))
    assert kept.forget(kinds.POD, ("ns", "p"), "4") is None
    assert kept.forget(kinds.POD, ("ns", "p"), "6") is not None
    assert node_of(kept) == "gone"


def test_an_index_follows_its_objects() -> None:
    kept = store()
    kept.apply(kinds.POD, pod(1, node="a"))
    kept.apply(kinds.POD, pod(2, node="b"))
    kept.apply(kinds.POD, pod(3, node="b", name="q", uid="w"))
    assert kept.find(kinds.POD, LauncherPod, "node", "a") == []
    assert [item.name for item in kept.find(kinds.POD, LauncherPod, "node", "b")] == ["p", "q"]


def test_an_unreadable_object_leaves_the_last_readable_one_in_force() -> None:
    kept = store()
    kept.apply(kinds.POD, pod(1, node="a"))
    kept.apply(kinds.POD, {**pod(2), "spec": {"nodeName": {"not": "text"}}})
    assert node_of(kept) == "a"


def test_a_listener_hears_of_changes_only() -> None:
    kept, heard = store(), []

    def listen(kind: kinds.Kind, old: Object | None, new: Object | None) -> None:
        heard.append((kind.plural, old is not None, new is not None))

    kept.subscribe(listen)
    body: Any = pod(1)
    kept.apply(kinds.POD, body)
    kept.apply(kinds.POD, body)
    kept.remove(kinds.POD, pod(2))
    assert heard == [("pods", False, True), ("pods", True, False)]
