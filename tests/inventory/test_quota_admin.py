"""The administration of quotas."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from inventory.models import KindState, TeamQuota
from tests.factories import make_device, make_team


@pytest.mark.parametrize(("product", "is_told"), [("A100", False), ("A10O", True)])
def test_whoever_misspells_a_name_is_told_that_no_card_has_it(
    client: Client, db: None, product: str, is_told: bool
) -> None:
    device = make_device(product="A100")
    KindState.objects.create(cluster=device.cluster, kind="resourceslices", succeeded_at=timezone.now())
    client.force_login(User.objects.create_superuser("operator"))
    written = {"team": make_team().pk, "dimension": "memory", "quantity": "8Gi", "product": product}
    answer = client.post(reverse("admin:inventory_teamquota_add"), written, follow=True)
    assert TeamQuota.objects.get().product == product
    assert ("No card that was read is one of these" in answer.content.decode()) is is_told
