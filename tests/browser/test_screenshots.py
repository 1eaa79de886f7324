"""The pictures of the documents are of every page, and small."""

import re

from tests.browser.every_page import ERRORS, PAGES, SIGNED_OUT
from tests.browser.screenshots import DESK, IMAGES, IN_THE_DARK, PHONE, PICTURES, WHOLE
from tests.dashboard.running import ROOT

_MOST_BYTES = 5_000_000


def test_every_page_has_a_picture_on_a_desk_and_one_on_a_phone() -> None:
    taken = {(one.page.name, one.screen) for one in PICTURES}
    for page in (SIGNED_OUT, *PAGES, *ERRORS):
        assert {(page.name, DESK), (page.name, PHONE)} <= taken
    assert {*IN_THE_DARK, *WHOLE} <= {page.name for page in PAGES}


def test_the_pictures_that_are_kept_are_those_that_are_taken() -> None:
    assert {path.name for path in IMAGES.iterdir()} == {one.file for one in PICTURES}
    assert sum(path.stat().st_size for path in IMAGES.iterdir()) < _MOST_BYTES


def test_the_documents_show_every_picture() -> None:
    shown = set()
    for document in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        shown |= set(re.findall(r"\((?:docs/)?images/([\w-]+\.webp)\)", document.read_text()))
    assert shown == {one.file for one in PICTURES}
