import io

import pytest
from django.core.management import CommandError, call_command

from inventory.models import Balance
from tests.inventory.sync.conftest import Follow
from tests.inventory.sync.objects import card, claim, resource_slice, result, store


def run(*arguments: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_poll_reads_a_cluster_at_once_and_says_what_it_did(follow: Follow) -> None:
    follow(store(resource_slice(card())))
    assert run("poll")[0].startswith("lab: applied")


def test_poll_says_why_a_cluster_could_not_be_read(follow: Follow) -> None:
    followed = follow(store(), dra_versions=[])
    with pytest.raises(CommandError, match="not read: lab"):
        run("poll", followed.cluster.name)


@pytest.mark.parametrize("command", ["poll", "check_ledger"])
def test_a_cluster_that_is_not_known_is_named(db: None, command: str) -> None:
    with pytest.raises(CommandError, match="no such cluster: nowhere"):
        run(command, "nowhere")


def test_check_ledger_finds_right_books_right_and_wrong_books_wrong(follow: Follow) -> None:
    shared = result(consumedCapacity={"memory": "8Gi", "cores": "50"})
    follow(store(resource_slice(card()), claim("c", shared))).applied()
    assert "every stored value agrees" in run("check_ledger")[0]
    Balance.objects.filter(dimension="cores").update(allocated=1)
    with pytest.raises(CommandError, match="1 stored values differ"):
        run("check_ledger", "lab")
