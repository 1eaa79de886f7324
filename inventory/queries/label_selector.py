"""Kubernetes label selectors as conditions on a column of labels."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Expression, F, Func, Q, TextField, Value
from django.db.models.lookups import In, IsNull

from inventory.kube.label_selector import parse


class LabelText(Func):
    """The text of one label; null where the object lacks it.

    Django's own key transforms take a label named `1` for a place in a list.
    """

    output_field = TextField()

    def __init__(self, labels: F | Expression, key: str) -> None:
        super().__init__(labels)
        self.key = key

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, tuple[Any, ...]]:
        sql, params = compiler.compile(self.source_expressions[0])
        return f"JSON_EXTRACT({sql}, %s)", (*params, f'$."{self.key}"')

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, tuple[Any, ...]]:
        sql, params = compiler.compile(self.source_expressions[0])
        return f"({sql} ->> %s::text)", (*params, self.key)


def condition(text: str, labels: F | Expression) -> Q:
    """The selector as a condition on the labels. Raises SelectorError."""
    found = Q()
    for one in parse(text):
        found &= _holds(LabelText(labels, one.key), one.values, wanted=one.wanted)
    return found


def _holds(label: LabelText, values: Sequence[str] | None, *, wanted: bool) -> Q:
    if values is None:
        return Q(IsNull(label, not wanted))
    among = Q(In(label, [Value(value) for value in values]))
    return among if wanted else _holds(label, None, wanted=False) | ~among
