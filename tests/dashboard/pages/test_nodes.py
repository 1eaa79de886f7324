import re

import pytest

from tests.dashboard.pages.conftest import Get
from tests.factories import make_device, make_node, make_pool


@pytest.mark.django_db
def test_every_card_of_a_node_is_a_square_in_its_row_whatever_its_kind(get: Get) -> None:
    node, pool = make_node("node-1"), make_pool("node-1")
    for name, product in (("gpu-0", "A100"), ("gpu-1", "A100"), ("gpu-2", "T4")):
        make_device(name, pool=pool, node=node, product=product)
    assert len(set(re.findall(r'aria-label="(gpu-\d): use', get("/nodes/")))) == 3
