"""The users, teams and limits that the demo begins with."""

import pytest

from dashboard import demo_people
from inventory.models import Team, TeamQuota


@pytest.mark.django_db
def test_limits_are_such_as_people_could_write_and_stay_as_an_operator_has_changed_them() -> None:
    demo_people.settle("of the demo", "t" * 64)
    for quota in TeamQuota.objects.all():
        quota.full_clean()
    assert TeamQuota.objects.count() == len(demo_people.QUOTAS)
    changed = TeamQuota.objects.filter(team=Team.objects.get(slug="quota")).get()
    changed.quantity = "2"
    changed.save()
    other = TeamQuota.objects.create(
        team=changed.team, dimension=changed.dimension, hard=changed.hard, quantity="1", device_class="gpu"
    )
    demo_people.settle("of the demo", "t" * 64)
    changed.refresh_from_db()
    assert changed.quantity == "2"
    assert set(TeamQuota.objects.filter(team=changed.team)) == {changed, other}
