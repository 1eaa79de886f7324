"""What must follow a change made in the admin, without waiting for the next poll."""

from collections.abc import Mapping
from typing import Any

from django.db.models.signals import post_delete, post_init, post_save, pre_delete
from django.dispatch import receiver

from inventory.kube import kinds
from inventory.kube.kinds import Kind
from inventory.models import Team, TeamNamespace, TeamRule, TeamRuleValue
from inventory.ownership import presets
from inventory.ownership.rulebook import Subject
from inventory.sync import progress
from inventory.teams.assignment import assign_all, changing_teams, hold_polls

_KINDS: Mapping[Subject, Kind[Any]] = {
    Subject.NAMESPACE: kinds.NAMESPACES,
    Subject.CLAIM: kinds.RESOURCE_CLAIMS,
    Subject.POD: kinds.PODS,
}


@receiver(post_save, sender=TeamRule)
def annotations_needed(sender: Any, instance: TeamRule, **kwargs: Any) -> None:
    """Of annotations only those are kept that a rule looks at: this one may ask for another."""
    subject = Subject(instance.subject)
    in_annotations = instance.key and instance.source == TeamRule.Source.ANNOTATION
    if in_annotations and instance.key not in presets.annotations(subject):
        # A poll that is writing would write over it.
        with changing_teams():
            progress.read_anew(_KINDS[subject], instance.cluster)


@receiver(post_init, sender=Team)
def team_read(sender: Any, instance: Team, **kwargs: Any) -> None:
    instance.stored_slug = instance.__dict__.get("slug")


@receiver(post_save, sender=Team)
def team_saved(sender: Any, instance: Team, created: bool, **kwargs: Any) -> None:  # noqa: FBT001
    """A new team is found by its slug alone, by rules that look for slugs; name and colour decide nothing."""
    before, instance.stored_slug = instance.stored_slug, instance.slug
    if TeamRule.objects.exclude(key="").exists() if created else before != instance.slug:
        assign_all()


@receiver(pre_delete, sender=Team)
def team_going(sender: Any, **kwargs: Any) -> None:
    """A poll that has given it something ends first: it would wait for the team, and we for its cluster."""
    hold_polls()


@receiver(post_delete, sender=Team)
@receiver([post_save, post_delete], sender=TeamNamespace)
@receiver([post_save, post_delete], sender=TeamRule)
@receiver([post_save, post_delete], sender=TeamRuleValue)
def teams_changed(sender: Any, **kwargs: Any) -> None:
    assign_all()
