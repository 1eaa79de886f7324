"""Every change of what is recorded, whoever makes it: in the transaction of the change itself."""

from collections.abc import Sequence
from typing import Any

from django.apps import apps
from django.db.models import Model
from django.db.models.signals import m2m_changed, post_save, pre_delete, pre_save

from dashboard.access.audit.entries import record
from dashboard.access.audit.recorded import FIELDS, RELATIONS, difference, hidden, values
from dashboard.access.models import AuditEntry
from inventory.models import ConversionPreview

Action = AuditEntry.Action
_BEFORE = "_audited_before"


def connect() -> None:
    for label in FIELDS:
        model = apps.get_model(label)
        pre_save.connect(remember, sender=model)
        post_save.connect(saved, sender=model)
        pre_delete.connect(deleted, sender=model)
    for label, names in RELATIONS.items():
        for name in names:
            through = getattr(apps.get_model(label), name).through
            m2m_changed.connect(_relation(name), sender=through, weak=False)
    post_save.connect(previewed, sender=ConversionPreview)


def remember(
    sender: type[Model], *, instance: Model, raw: bool, update_fields: frozenset[str] | None, **kwargs: Any
) -> None:
    """What is stored before it is overwritten; a poll, which writes other columns, is not held up."""
    names = _written(sender, update_fields)
    stored = None if raw or not names else sender._base_manager.filter(pk=instance.pk).first()
    setattr(instance, _BEFORE, stored)


def saved(
    sender: type[Model],
    *,
    instance: Model,
    created: bool,
    update_fields: frozenset[str] | None,
    **kwargs: Any,
) -> None:
    names = _written(sender, update_fields)
    if created:
        record(Action.CREATED, instance, after=hidden(values(instance, names)))
    elif (old := instance.__dict__.pop(_BEFORE, None)) is not None:
        before, after = difference(old, instance, names)
        if after:
            record(Action.CHANGED, instance, before=before, after=after)


def deleted(sender: type[Model], instance: Model, **kwargs: Any) -> None:
    names = FIELDS[sender._meta.label_lower]
    record(Action.DELETED, instance, before=hidden(values(instance, names)))


def previewed(sender: Any, *, instance: ConversionPreview, created: bool, **kwargs: Any) -> None:
    """The preview itself keeps which Pods."""
    if created:
        record(Action.PREVIEWED, instance, after={"pods": len(instance.pods)})


def _written(sender: type[Model], update_fields: frozenset[str] | None) -> Sequence[str]:
    names = FIELDS[sender._meta.label_lower]
    return names if update_fields is None else [name for name in names if name in update_fields]


def _relation(name: str) -> Any:
    def changed(
        sender: Any,
        *,
        instance: Any,
        action: str,
        reverse: bool,
        model: type[Model],
        pk_set: set[Any] | None,
        **kwargs: Any,
    ) -> None:
        """Before and after, as names. What is emptied at once is asked for while it is there."""
        if action == "pre_clear":
            for thing in _emptied(instance, name, reverse=reverse, model=model):
                _record_relation(thing, name, before=_names(thing, name), after=[])
        elif action in ("post_add", "post_remove") and pk_set:
            added = action == "post_add"
            things = model._base_manager.filter(pk__in=pk_set) if reverse else [instance]
            moved = [instance] if reverse else model._base_manager.filter(pk__in=pk_set)
            for thing in things:
                _record_move(thing, name, sorted(map(str, moved)), added=added)

    return changed


def _emptied(instance: Any, name: str, *, reverse: bool, model: type[Model]) -> Any:
    return model._base_manager.filter(**{name: instance}) if reverse else [instance]


def _record_move(thing: Any, name: str, moved: list[str], *, added: bool) -> None:
    now = _names(thing, name)
    before = sorted(set(now).difference(moved) if added else {*now, *moved})
    _record_relation(thing, name, before=before, after=now)


def _record_relation(thing: Model, name: str, *, before: list[str], after: list[str]) -> None:
    if before != after:
        record(Action.CHANGED, thing, before={name: before}, after={name: after})


def _names(thing: Any, name: str) -> list[str]:
    return sorted(str(one) for one in getattr(thing, name).all())
