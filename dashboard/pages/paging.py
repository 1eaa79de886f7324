"""Long tables in pages; the number is in the URL."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.core.paginator import EmptyPage, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from dashboard.pages.refusal import Refused

ROWS = 50


class Paged(NamedTuple):
    rows: Iterable[Any]
    number: int
    pages: int
    total: int
    first: int
    last: int

    @property
    def previous(self) -> int:
        return self.number - 1

    @property
    def next(self) -> int:
        return self.number + 1


def paged(
    request: HttpRequest, rows: QuerySet[Any] | Sequence[Any], size: int = ROWS, *, total: int | None = None
) -> Paged:
    """Raises Refused for what is no page number, Http404 for a page past the last.

    `total`: how many rows there are, where that is known.
    """
    return numbered(request.GET.get("page", ""), rows, size, total=total)


def numbered(
    text: str, rows: QuerySet[Any] | Sequence[Any], size: int = ROWS, *, total: int | None = None
) -> Paged:
    """The page of this number, the first without one. Raises as `paged` does."""
    text = text or "1"
    if not text.isdecimal() or not 0 < len(text) < 8 or int(text) < 1:
        raise Refused(
            [("page", _("“%(text)s” is not the number of a page; 1 is the first") % {"text": text[:40]})]
        )
    paginator = Paginator(rows, size)
    if total is not None:
        paginator.count = total
    try:
        found = paginator.page(int(text))
    except EmptyPage as error:
        raise Http404(
            _("There is no page %(number)s; the last is %(last)d.")
            % {"number": text, "last": paginator.num_pages}
        ) from error
    return Paged(
        found.object_list,
        found.number,
        paginator.num_pages,
        paginator.count,
        found.start_index(),
        found.end_index(),
    )


def page_of(rows: Sequence[Any], row: Any, size: int = ROWS) -> str:
    """The number of the page that this row is on; empty without one."""
    return "" if row is None else str(rows.index(row) // size + 1)
