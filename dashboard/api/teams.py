from collections.abc import Iterable, Sequence

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.access.viewer import viewer_of
from dashboard.api import parameters
from dashboard.api.conditional import etag, marked, not_modified
from dashboard.api.resource import Resource
from dashboard.api.serializers import RowSerializer
from inventory.models import Team
from inventory.queries import quotas, teams
from inventory.snapshot import snapshot


class TeamSerializer(RowSerializer):
    row = teams.TeamRow


class Teams(Resource):
    """Teams that you may see: what each holds, what waits, and its quotas in force."""

    serializer_class = TeamSerializer
    row = teams.TeamRow
    filters = teams.TeamFilter
    kinds = teams.KINDS
    lookup_field = "slug"
    lookup_value_converter = "str"

    def get_queryset(self) -> QuerySet[Team]:
        return teams.queryset(viewer=viewer_of(self.request.user))

    def rows(self, page: Iterable[Team]) -> list[teams.TeamRow]:
        user = self.request.user
        return teams.rows(page, self.now, viewer=viewer_of(user), reader=user.pk)

    def generation(self) -> Sequence[str]:
        return (
            *super().generation(),
            *quotas.generation(self.now, viewer=self.viewer),
            *teams.generation(viewer=self.viewer, reader=self.request.user.pk),
        )

    def retrieve(self, request: Request, slug: str) -> HttpResponseBase:  # type: ignore[override]
        fields = self._fields(request, parameters.COMMON)
        with snapshot():
            # PostgreSQL takes no text with a null character, not even to look for it.
            found = self.get_queryset().filter(slug=slug).first() if "\x00" not in slug else None
            if found is None:
                raise NotFound
            self._look()
            tag = etag(request, self.generation())
            if (unchanged := not_modified(request, tag, self.freshness.as_of)) is not None:
                return unchanged
            body = self.get_serializer(self.item(found), context={"fields": fields}).data
            seen = {"as_of": self.freshness.as_of, "stale": self.freshness.stale}
            return marked(Response({**body, **seen}), tag, self.freshness.as_of)
