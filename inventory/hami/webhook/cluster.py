"""What the webhook asks of the API server while it converts one Pod, and what it is answered."""

from collections.abc import Container, Sequence

from inventory.hami.converted import ConvertedClaim
from inventory.hami.webhook.claims import TEMPLATE
from inventory.hami.webhook.go import quote
from inventory.hami.webhook.names import is_random


class CreateError(ValueError):
    """The message is the webhook's own."""


class Cluster:
    """Records the calls; of what exists before it knows what it is told."""

    def __init__(self, existing: Container[tuple[str, str]], *, is_dry_run: bool) -> None:
        self.calls: list[str] = []
        # What was made and is still there, in order. Nothing in a dry run.
        self.created: list[ConvertedClaim] = []
        self._existing, self._is_dry_run = existing, is_dry_run

    def create(self, claim: ConvertedClaim) -> None:
        """Raises CreateError. Nothing is asked in a dry run."""
        if self._is_dry_run:
            return
        if self._is_taken(claim):
            self.calls.append(f"create {claim.label} -> AlreadyExists")
            raise CreateError(_already_exists(claim))
        self.calls.append(f"create {claim.label}")
        self.created.append(claim)

    def delete(self, claims: Sequence[ConvertedClaim]) -> None:
        """What is not there any more is no failure to the webhook."""
        if self._is_dry_run:
            return
        for claim in claims:
            is_there = any(one is claim for one in self.created)
            self.calls.append(f"delete {claim.label}" + ("" if is_there else " -> NotFound"))
            self.created = [one for one in self.created if one is not claim]

    def _is_taken(self, claim: ConvertedClaim) -> bool:
        if is_random(claim.name):
            return False
        place = (claim.namespace, claim.name)
        return place in self._existing or place in {(one.namespace, one.name) for one in self.created}


def _already_exists(claim: ConvertedClaim) -> str:
    plural = "resourceclaimtemplates" if claim.kind == TEMPLATE else "resourceclaims"
    taken = f"{plural}.resource.k8s.io {quote(claim.name)} already exists"
    return f"failed to create {claim.label}: {taken}"
