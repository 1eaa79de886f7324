import re
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client

from inventory.models import Claim, Cluster, Membership
from tests.dashboard.pages.conftest import Get
from tests.factories import make_claim, make_device, make_namespace, make_pod, make_share, make_team


def test_a_recorded_pending_claim_says_what_the_scheduler_says(recorded_cluster: Cluster, read: Get) -> None:
    claim = Claim.objects.get(name__startswith="share-c")
    page = read(f"/claims/{claim.pk}/")
    assert (
        "It is not allocated. The scheduler says: 0/9 nodes are available: 1 cannot allocate all claims"
        in page
    )
    assert "npu npu-ascend310p3.project-hami.io 1 8 GiB memory 50 cores none" in page
    assert "goes with its Pod share-c" in page


def test_a_recorded_claim_of_three_pods_holds_its_card_once(recorded_cluster: Cluster, read: Get) -> None:
    claim = Claim.objects.get(name="shared")
    page = read(f"/claims/{claim.pk}/")
    assert "1 allocation result" in page
    assert "16 GiB memory , 40 % cores" in page
    assert "Pods shared-0 , shared-1 , shared-2" in page


def test_the_list_is_narrowed_by_state(recorded_cluster: Cluster, read: Get) -> None:
    page = read("/claims/?state=pending")
    assert "share-c" in page
    assert "first-available" not in page


@pytest.mark.django_db
def test_a_claim_that_nobody_uses_says_so(read: Get) -> None:
    claim = make_claim("idle", state=Claim.State.ALLOCATED)
    make_share(make_device(), claim)
    page = read(f"/claims/{claim.pk}/")
    assert "allocated, not in use" in page
    assert "used by nobody: it is reserved for no Pod" in page


@pytest.mark.django_db
def test_an_allocation_from_before_the_claim_was_made_is_told_as_a_wrong_clock(read: Get) -> None:
    made = datetime(2026, 11, 29, 8, tzinfo=UTC)
    claim = make_claim("early", created_at=made, allocated_at=datetime(1970, 1, 1, tzinfo=UTC))
    told = "allocated 1970-01-01 00:00:00 UTC before it was made: the scheduler’s clock is wrong"
    assert told in read(f"/claims/{claim.pk}/")


def test_a_consumer_that_is_gone_is_told(read: Get) -> None:
    claim = make_claim()
    claim.consumers.create(position=0, resource="pods", name="left", uid="u", gone=True)
    assert "pods left gone" in read(f"/claims/{claim.pk}/")


@pytest.mark.django_db
def test_a_pod_tells_its_card_its_share_and_its_claim(read: Get) -> None:
    device = make_device(uuid="GPU-1")
    share = make_share(
        device, make_claim("slice"), share_id="0123", consumed={"memory": "8Gi", "cores": "50"}
    )
    pod = make_pod("train", uses=share.claim)
    page = read(f"/pods/{pod.pk}/")
    assert "gpu-0 A100" in page
    assert "GPU-1 8 GiB memory , 50 cores slice card 0123" in page
    assert "train" in read(f"/pods/?q={pod.name}")


@pytest.mark.django_db
def test_a_pod_that_waits_says_for_what(read: Get) -> None:
    pod = make_pod("waits", phase="Pending", scheduling_message="0/3 nodes are available")
    assert "The scheduler says: 0/3 nodes are available" in read(f"/pods/{pod.pk}/")
    assert "waits team-vision" in read("/pods/?state=waiting")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/pods/1/", "/claims/1/", "/nodes/1/", "/nodes/lab/gone/", "/clusters/gone/"]
)
def test_what_never_was_is_not_found(get: Get, path: str) -> None:
    get(path, 404)


@pytest.fixture
def member(client: Client) -> User:
    """Of the team whose page is read; what follows is read by them."""
    user = User.objects.create_user("ada")
    Membership.objects.create(team=make_team("vision"), user=user)
    client.force_login(user)
    return user


def _seen(client: Client, path: str) -> str:
    text = re.sub(r"<script.*?</script>|<[^>]*>", " ", client.get(path).content.decode(), flags=re.DOTALL)
    return " ".join(text.split())


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/pods/", "/claims/", "/pods/?state=waiting", "/claims/?state=pending"])
def test_a_member_is_not_told_that_there_is_nothing_where_others_have_it(
    client: Client, member: User, path: str
) -> None:
    make_pod(uses=make_claim(namespace=make_namespace("theirs", team=make_team("nlp"))))
    page = _seen(client, path)
    assert "None is in namespaces of your teams" in page
    assert "There is no" not in page
    assert "Those of others are withheld." in page or "Clear the filters" in page


@pytest.mark.django_db
def test_a_claim_of_another_team_that_a_pod_uses_is_withheld_and_not_denied(
    client: Client, member: User
) -> None:
    theirs = make_claim("secret", namespace=make_namespace("theirs", team=make_team("nlp")))
    make_share(make_device(), theirs)
    pod = make_pod("train", uses=theirs, team=make_team("vision"))
    page = _seen(client, f"/pods/{pod.pk}/")
    assert "What it holds through claims of another team is withheld." in page
    assert "another team withheld withheld card" in page
    for denied in ("not made yet", "It holds no share", "0 shares", "secret"):
        assert denied not in page
    assert "no share" not in _seen(client, "/pods/")
    assert "another team withheld" in _seen(client, "/pods/")


@pytest.mark.django_db
def test_what_is_rounded_stands_exactly_beside_where_one_thing_is_looked_at(read: Get) -> None:
    device = make_device()
    share = make_share(device, make_claim("slice"), consumed={"memory": "4810Mi", "cores": "50"})
    pod = make_pod("train", uses=share.claim)
    for path in (f"/pods/{pod.pk}/", f"/claims/{share.claim_id}/"):
        assert "4.7 GiB memory (4810Mi) , 50 cores" in read(path)
    assert "4810Mi" not in read("/pods/")
