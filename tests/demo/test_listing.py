import pytest

from demo.resources import PODS as POD_RESOURCE
from demo.server import ApiServer
from demo.store import Store
from tests.demo.asking import PODS, Answered, ask, names
from tests.demo.factories import pod, store_of_pods

NAMESPACED = "/api/v1/namespaces/team-b/pods"


def chunks(url: str, path: str = PODS, **query: str | int) -> list[Answered]:
    read = [ask(url, path, **query)]
    while token := read[-1].json["metadata"].get("continue"):
        read.append(ask(url, path, **{**query, "continue": token}))
    return read


def test_chunks_together_are_the_whole_list_in_order() -> None:
    with ApiServer(store_of_pods(23)) as server:
        read = chunks(server.url, limit=5)
        assert [len(names(chunk)) for chunk in read] == [5, 5, 5, 5, 3]
        assert [name for chunk in read for name in names(chunk)] == names(ask(server.url, PODS))
        assert [chunk.json["metadata"].get("remainingItemCount") for chunk in read] == [18, 13, 8, 3, None]


def test_chunks_show_the_objects_as_they_were_when_the_list_began() -> None:
    store = store_of_pods(4)
    with ApiServer(store) as server:
        first = ask(server.url, PODS, limit=2).json["metadata"]
        store.delete(POD_RESOURCE, "team-a", "pod-003")
        store.put(pod("pod-002", status={"phase": "Running"}))
        store.put(pod("pod-0025"))
        rest = ask(server.url, PODS, limit=2, **{"continue": first["continue"]})
        assert names(rest) == ["pod-002", "pod-003"]
        assert rest.json["items"][0]["status"] == {}
        assert rest.json["metadata"]["resourceVersion"] == first["resourceVersion"]


def test_an_expired_token_offers_an_inconsistent_rest() -> None:
    store = store_of_pods(4)
    with ApiServer(store) as server:
        token = ask(server.url, PODS, limit=2).json["metadata"]["continue"]
        store.put(pod("pod-004"))
        store.compact()
        refused = ask(server.url, PODS, limit=2, **{"continue": token})
        assert (refused.status, refused.json["reason"]) == (410, "Expired")
        rest = chunks(server.url, limit=2, **{"continue": refused.json["metadata"]["continue"]})
        assert [name for chunk in rest for name in names(chunk)] == ["pod-002", "pod-003", "pod-004"]


def test_version_zero_ignores_the_limit() -> None:
    with ApiServer(store_of_pods(4)) as server:
        whole = ask(server.url, PODS, limit=2, resourceVersion="0")
        assert len(names(whole)) == 4
        assert "continue" not in whole.json["metadata"]


def test_an_exact_version_is_read_as_it_was_and_a_minimum_as_it_is() -> None:
    store = store_of_pods(2)
    with ApiServer(store) as server:
        store.put(pod("pod-002"))
        exact = ask(server.url, PODS, resourceVersion="2", resourceVersionMatch="Exact")
        latest = ask(server.url, PODS, resourceVersion="2", resourceVersionMatch="NotOlderThan")
        assert (len(names(exact)), exact.json["metadata"]["resourceVersion"]) == (2, "2")
        assert (len(names(latest)), latest.json["metadata"]["resourceVersion"]) == (3, "3")
        store.compact()
        assert ask(server.url, PODS, resourceVersion="2", resourceVersionMatch="Exact").status == 410


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"resourceVersionMatch": "Exact"}, 422),
        ({"resourceVersion": "0", "resourceVersionMatch": "Exact"}, 422),
        ({"resourceVersion": "1", "resourceVersionMatch": "Newest"}, 422),
        ({"resourceVersion": "yesterday"}, 422),
        ({"limit": "many"}, 400),
        ({"limit": "-1"}, 400),
        ({"continue": "bm90LWpzb24"}, 400),
        ({"continue": "eyJ2IjoidjEifQ"}, 400),
    ],
)
def test_options_that_make_no_sense_are_refused(query: dict[str, str], status: int) -> None:
    with ApiServer(store_of_pods(1)) as server:
        assert ask(server.url, PODS, **query).status == status


def test_a_namespace_lists_its_own_objects_in_chunks() -> None:
    store = store_of_pods(3)
    for name in ("a", "b", "c"):
        store.put(pod(name, "team-b"))
    store.put(pod("z", "team-c"))
    with ApiServer(store) as server:
        read = chunks(server.url, NAMESPACED, limit=2)
        assert [name for chunk in read for name in names(chunk)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("team=nlp", ["a"]),
        ("team==nlp", ["a"]),
        ("team!=nlp", ["b", "c"]),
        ("team in (nlp, vision)", ["a", "b"]),
        ("team notin (nlp,vision),!old", ["c"]),
        ("team", ["a", "b"]),
        ("!team", ["c"]),
        ("team in (nlp,vision),tier=gold", ["b"]),
    ],
)
def test_labels_select(selector: str, expected: list[str]) -> None:
    store = Store()
    store.put(pod("a", metadata={"labels": {"team": "nlp"}}))
    store.put(pod("b", metadata={"labels": {"team": "vision", "tier": "gold"}}))
    store.put(pod("c"))
    with ApiServer(store) as server:
        assert names(ask(server.url, PODS, labelSelector=selector)) == expected


@pytest.mark.parametrize(
    ("path", "selector", "expected"),
    [
        (PODS, "metadata.name=a", ["a"]),
        (PODS, "metadata.namespace!=team-a", ["c"]),
        (PODS, "spec.nodeName=node-1,status.phase=Running", ["a"]),
    ],
)
def test_fields_select(path: str, selector: str, expected: list[str]) -> None:
    store = Store()
    store.put(pod("a", spec={"nodeName": "node-1"}, status={"phase": "Running"}))
    store.put(pod("b", spec={"nodeName": "node-1"}, status={"phase": "Pending"}))
    store.put(pod("c", "team-b"))
    with ApiServer(store) as server:
        assert names(ask(server.url, path, fieldSelector=selector)) == expected


def test_slices_are_selected_by_driver_and_node(recorded_url: str) -> None:
    path = "/apis/resource.k8s.io/v1/resourceslices"
    found = ask(recorded_url, path, fieldSelector="spec.driver=gpu.nvidia.com,spec.nodeName=nv-node-1")
    assert names(found) == ["nv-node-1-gpu.nvidia.com-dfb2x"]


@pytest.mark.parametrize("query", [{"fieldSelector": "spec.color=red"}, {"labelSelector": "a=(b"}])
def test_a_selector_that_cannot_be_served_is_refused(recorded_url: str, query: dict[str, str]) -> None:
    assert ask(recorded_url, PODS, **query).status == 400


def test_a_selected_list_does_not_say_how_many_remain() -> None:
    with ApiServer(store_of_pods(5)) as server:
        first = ask(server.url, PODS, limit=2, labelSelector="!nothing").json["metadata"]
        assert "remainingItemCount" not in first
        assert first["continue"]
