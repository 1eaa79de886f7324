"""The stored teams compared with what the rules give, and with the open intervals of history."""

from collections.abc import Iterator

from inventory.models import Claim, Cluster, Namespace, Pod, ShareInterval
from inventory.ownership.rulebook import Rulebook
from inventory.sync import teams
from inventory.sync.touched import batches


def differences(cluster: Cluster) -> Iterator[str]:
    """Everything that is somebody else's than is stored, in words; none if all is right."""
    book = teams.rulebook(cluster)
    namespaces = Namespace.objects.filter(cluster=cluster)
    yield from _told("namespace", teams.owned_namespaces(book, namespaces), book)
    for batch in batches(Claim.objects.filter(cluster=cluster).values_list("pk", flat=True)):
        yield from _told("claim", teams.owned_claims(book, batch), book)
        yield from _of_history(cluster, batch, book)
    for batch in batches(Pod.objects.filter(cluster=cluster).values_list("pk", flat=True)):
        yield from _told("Pod", teams.owned_pods(book, batch), book)


def _told(kind: str, owned: Iterator[tuple[teams.Row, int | None]], book: Rulebook) -> Iterator[str]:
    for row, team in owned:
        if row.team != team:
            yield (
                f"{kind} {row.name}: team is stored as {book.slug_of(row.team)!r}, "
                f"the rules give {book.slug_of(team)!r}"
            )


def _of_history(cluster: Cluster, claim_ids: list[int], book: Rulebook) -> Iterator[str]:
    owners = dict(Claim.objects.filter(pk__in=claim_ids).values_list("uid", "team_id"))
    open_ones = ShareInterval.objects.filter(cluster=cluster, ended_at=None, claim_uid__in=owners)
    for uid, slug in open_ones.order_by().values_list("claim_uid", "team_slug"):
        if slug != book.slug_of(owners[uid]):
            yield f"claim {uid}: its open interval is {slug!r}'s, the claim {book.slug_of(owners[uid])!r}'s"
