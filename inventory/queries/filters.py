"""How every face narrows a list: repeated values are alternatives, different parameters must all hold.

An empty value is no condition, so that a form with nothing chosen asks for everything. A condition on a name
that the viewer may not read is met by nothing, as one on a name that is nowhere.
"""

from collections.abc import Callable, Sequence
from typing import Any

import django_filters
from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Case, F, Model, Q, QuerySet, When

from inventory.kube.label_selector import SelectorError
from inventory.models import Cluster, Namespace, Pod, Share, Team
from inventory.models.visibility import visible
from inventory.queries.label_selector import condition
from inventory.viewer import Viewer


class NamesField(forms.MultipleChoiceField):
    """Any names, any number of times."""

    def to_python(self, value: Any) -> list[str]:
        return [name for name in super().to_python(value) if name]

    def validate(self, value: Any) -> None:
        # PostgreSQL refuses the character anywhere in a text.
        if any("\x00" in name for name in value):
            raise ValidationError("a name has no null character")


class KnownNamesField(NamesField):
    """Names that Sliceboard itself keeps: one that it does not know is an error, not an empty answer."""

    known: QuerySet[Any]

    def validate(self, value: Any) -> None:
        super().validate(value)
        unknown = sorted(set(value) - set(self.known.all())) if value else []
        if unknown:
            raise ValidationError([f"{name!r} is not known here" for name in unknown])


class StatesField(NamesField):
    """Some of a closed set of values."""

    def validate(self, value: Any) -> None:
        choices: Any = self.choices
        allowed = [choice for choice, _ in choices]
        unknown = [name for name in value if name not in allowed]
        if unknown:
            one_of = ", ".join(map(str, allowed))
            raise ValidationError([f"{name!r} is not one of {one_of}" for name in unknown])


class Names(django_filters.MultipleChoiceFilter):  # type: ignore[misc]
    """The field is one of the given names."""

    field_class: type[NamesField] = NamesField

    def filter(self, qs: QuerySet[Any], value: Sequence[str]) -> QuerySet[Any]:
        return qs.filter(**{f"{self.field_name}__in": value}) if value else qs


class KnownNames(Names):
    """`known` are the names that a viewer may know."""

    field_class = KnownNamesField

    def __init__(self, *args: Any, known: Callable[[Viewer], QuerySet[Any]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.known = known

    @property
    def field(self) -> KnownNamesField:
        field: KnownNamesField = super().field
        field.known = self.known(self.parent.viewer)
        return field


class States(Names):
    field_class = StatesField


class Related(Names):
    """One of the things related to the row has one of the names, and `also` holds of that very one.

    `whose` is the model of what the viewer must be allowed to see for it, and the path to it.
    """

    def __init__(
        self,
        *args: Any,
        also: dict[str, Any] | None = None,
        whose: tuple[type[Model], str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.also, self.whose = also or {}, whose

    def conditions(self, value: Sequence[str]) -> Q:
        found = Q(**{f"{self.field_name}__in": value, **self.also})
        if self.whose is None:
            return found
        model, path = self.whose
        return found & visible(model, self.parent.viewer, path)

    def filter(self, qs: QuerySet[Any], value: Sequence[str]) -> QuerySet[Any]:
        if not value:
            return qs
        model: type[Model] = qs.model
        matching = model._default_manager.filter(self.conditions(value)).order_by()
        return qs.filter(pk__in=matching.values("pk"))


class Held(Related):
    """A condition on a share. All of a query's are asked of one and the same share: see `Filters`."""

    def filter(self, qs: QuerySet[Any], value: Sequence[str]) -> QuerySet[Any]:
        return qs

    def narrow(self, shares: QuerySet[Share], value: Sequence[str]) -> QuerySet[Share]:
        return shares.filter(self.conditions(value))


class HeldBy(Held):
    """A condition on whose a share is: one that the viewer may not see does not meet it."""

    def narrow(self, shares: QuerySet[Share], value: Sequence[str]) -> QuerySet[Share]:
        return super().narrow(shares, value).filter(visible(Share, self.parent.viewer))


class HeldByKnown(HeldBy, KnownNames):
    """The same with values that Sliceboard itself keeps."""


class Truth(django_filters.ChoiceFilter):  # type: ignore[misc]
    """`true` or `false`, and nothing else."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, choices=(("true", "true"), ("false", "false")), **kwargs)

    def filter(self, qs: QuerySet[Any], value: str) -> QuerySet[Any]:
        return qs.filter(**{self.field_name: value == "true"}) if value else qs


class Search(Names):
    """A part of one of the names, in any case; of those `in_namespace` only where the viewer sees that."""

    def __init__(self, *fields: str, in_namespace: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.fields, self.in_namespace = fields, in_namespace

    def filter(self, qs: QuerySet[Any], value: Sequence[str]) -> QuerySet[Any]:
        found = Q()
        inside = visible(Namespace, self.parent.viewer, "namespace") if self.in_namespace else Q()
        for text in value or ():
            for field in self.fields:
                found |= Q(**{f"{field}__icontains": text})
            for field in self.in_namespace:
                found |= inside & Q(**{f"{field}__icontains": text})
        return qs.filter(found)


class LabelSelectorField(NamesField):
    def validate(self, value: Any) -> None:
        super().validate(value)
        for text in value:
            try:
                condition(text, F("labels"))
            except SelectorError as error:
                raise ValidationError(str(error)) from error


class LabelSelector(Names):
    """A Kubernetes label selector over the labels in `field_name`."""

    field_class = LabelSelectorField

    def filter(self, qs: QuerySet[Any], value: Sequence[str]) -> QuerySet[Any]:
        found = Q()
        for text in value or ():
            found |= condition(text, F(self.field_name))
        return qs.filter(found)


class Ordering(django_filters.OrderingFilter):  # type: ignore[misc]
    """Unknown values last in either direction; equals by their ids, so that pages do not overlap.

    The names of teams that the viewer may not know are not known here either.
    """

    def filter(self, qs: QuerySet[Any], value: Sequence[str] | None) -> QuerySet[Any]:
        if not value:
            return qs.order_by(*qs.model._meta.ordering, "pk") if not qs.query.order_by else qs
        return qs.order_by(*(self._expression(name) for name in value), "pk")

    def _expression(self, name: str) -> Any:
        field = self._column(self.get_ordering_value(name.removeprefix("-")))
        return field.desc(nulls_last=True) if name.startswith("-") else field.asc(nulls_last=True)

    def _column(self, path: str) -> Any:
        of_team = path.removesuffix("team__slug")
        if of_team == path:
            return F(path)
        known = visible(Team, self.parent.viewer, f"{of_team}team")
        return Case(When(known, then=F(path))) if known else F(path)


class Filters(django_filters.FilterSet):  # type: ignore[misc]
    """Base of all filters. `held_through` leads from a share to the row that is narrowed by its shares."""

    held_through = ""

    def __init__(self, *args: Any, viewer: Viewer, **kwargs: Any) -> None:
        self.viewer = viewer
        super().__init__(*args, **kwargs)

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Raises ValidationError where a value is not allowed."""
        if not self.form.is_valid():
            raise ValidationError(self.form.errors.as_data())
        queryset = super().filter_queryset(queryset)
        held = [
            (one, self.form.cleaned_data[name]) for name, one in self.filters.items() if isinstance(one, Held)
        ]
        asked = [(one, value) for one, value in held if value]
        if not asked:
            return queryset
        shares: QuerySet[Share] = Share.objects.order_by()
        for one, value in asked:
            shares = one.narrow(shares, value)
        return queryset.filter(pk__in=shares.values(self.held_through))


def cluster_filter(field_name: str = "cluster__name") -> KnownNames:
    return KnownNames(field_name=field_name, known=lambda _viewer: _clusters())


def team_filter(field_name: str, *, held: bool = False) -> Names:
    kind = HeldByKnown if held else KnownNames
    return kind(field_name=field_name, known=_teams)


def pod_of_share() -> HeldBy:
    """By a Pod for which its claim is reserved."""
    use = "claim__pod_claims"
    return HeldBy(field_name=f"{use}__pod__name", also={f"{use}__reserved": True}, whose=(Pod, f"{use}__pod"))


def _clusters() -> QuerySet[Any]:
    return Cluster.objects.values_list("name", flat=True)


def _teams(viewer: Viewer) -> QuerySet[Any]:
    return Team.objects.visible_to(viewer).values_list("slug", flat=True)
