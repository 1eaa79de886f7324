"""What all resources have in common: a list and its items, read only."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, ClassVar

import msgspec
from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.exceptions import NotFound
from rest_framework.metadata import SimpleMetadata
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from dashboard.access.viewer import viewer_of
from dashboard.api import paging, parameters, tables
from dashboard.api.conditional import etag, marked, not_modified
from dashboard.api.renderers import CsvRenderer, JsonRenderer, wants_csv
from dashboard.api.schema import ResourceSchema
from inventory.models import Cluster
from inventory.queries.filters import Filters
from inventory.queries.freshness import Freshness, freshness, generation
from inventory.snapshot import snapshot
from inventory.viewer import Viewer

_AT_ONCE = 1000
# Inside the class, `list` is its own method.
Rows = list[Any]


class Metadata(SimpleMetadata):
    """What OPTIONS tells. Which fields are written is in the schema: rows have no fields of DRF's."""

    def determine_actions(self, request: Request, view: Any) -> dict[str, Any]:
        return {}


class Resource(GenericViewSet[Any]):
    """One kind of row. `kinds` are the Kubernetes kinds that an answer rests on."""

    row: ClassVar[type[msgspec.Struct]]
    filters: ClassVar[type[Filters]]
    kinds: ClassVar[Sequence[str]]

    schema = ResourceSchema()
    metadata_class = Metadata
    http_method_names: Sequence[str] = ("get", "head", "options")
    filter_backends = (parameters.FilterBackend,)
    pagination_class: type[BasePagination] | None = paging.Paging
    lookup_value_converter = "int"

    now: datetime
    freshness: Freshness

    @property
    def viewer(self) -> Viewer:
        return viewer_of(self.request.user)

    def rows(self, page: Iterable[Any]) -> Rows:
        raise NotImplementedError

    def item(self, found: Any) -> Any:
        return self.rows([found])[0]

    def generation(self) -> Sequence[str]:
        """What an answer changes with, besides the question."""
        return generation(self.freshness, viewer=self.viewer)

    def dimensions(self, queryset: QuerySet[Any]) -> Sequence[str]:
        """For which a table has columns; empty where rows have no dimensions of their own."""
        return []

    def get_renderers(self) -> Rows:
        return [JsonRenderer(), CsvRenderer()] if self.action == "list" else [JsonRenderer()]

    def list(self, request: Request) -> HttpResponseBase:
        known = (*self.filters.base_filters, *paging.PARAMETERS, *parameters.COMMON)
        fields = self._fields(request, known)
        page = paging.asked_page(request)
        with snapshot():
            queryset = self.filter_queryset(self.get_queryset())
            self._look(names=request.query_params.getlist("cluster"))
            tag = etag(request, self.generation())
            if (unchanged := not_modified(request, tag, self.freshness.as_of)) is not None:
                return unchanged
            if wants_csv(request):
                return marked(self._table(request, queryset, page, fields), tag, self.freshness.as_of)
            return marked(self._page(queryset, fields), tag, self.freshness.as_of)

    def retrieve(self, request: Request, pk: int) -> HttpResponseBase:
        fields = self._fields(request, parameters.COMMON)
        with snapshot():
            found = self.get_queryset().filter(pk=pk).first() if pk < 2**63 else None
            if found is None:
                raise NotFound
            self._look(ids=[found.pk if isinstance(found, Cluster) else found.cluster_id])
            tag = etag(request, self.generation())
            if (unchanged := not_modified(request, tag, self.freshness.as_of)) is not None:
                return unchanged
            body = self.get_serializer(self.item(found), context={"fields": fields}).data
            seen = {"as_of": self.freshness.as_of, "stale": self.freshness.stale}
            return marked(Response({**body, **seen}), tag, self.freshness.as_of)

    def _fields(self, request: Request, known: Sequence[str]) -> Sequence[str] | None:
        parameters.refuse_unknown(request.query_params, known)
        parameters.single(request.query_params, "format")
        return parameters.chosen_fields(request.query_params, self.row.__struct_fields__)

    def _look(self, *, names: Sequence[str] = (), ids: Sequence[int] = ()) -> None:
        self.now = timezone.now()
        self.freshness = freshness(self.now, viewer=self.viewer, names=names, ids=ids, kinds=self.kinds)

    def _page(self, queryset: QuerySet[Any], fields: Sequence[str] | None) -> Response:
        paginator = paging.Paging()
        page = paginator.paginate_queryset(queryset, self.request, self)
        serializer = self.get_serializer(self.rows(page), many=True, context={"fields": fields})
        return paginator.envelope(serializer.data, self.freshness)

    def _table(
        self, request: Request, queryset: QuerySet[Any], page: paging.Page, fields: Sequence[str] | None
    ) -> StreamingHttpResponse:
        """The page asked for, or, where none is asked for, all there is."""
        paths = tables.columns(self.row, self.dimensions(queryset), fields)
        if any(name in request.query_params for name in paging.PARAMETERS):
            found: Iterable[Any] = paging.Paging().paginate_queryset(queryset, request, self)
            return tables.streamed(self.basename, paths, self.rows(found))
        return tables.streamed(self.basename, paths, self._all(queryset))

    def _all(self, queryset: QuerySet[Any]) -> Iterator[Any]:
        """In one view of the database, however long the client takes to read it."""
        with snapshot():
            found = queryset.iterator(chunk_size=_AT_ONCE)
            while chunk := list(islice(found, _AT_ONCE)):
                yield from self.rows(chunk)
