"""What the browser gets is what was put there: the vendored script, the tokens, the translations."""

import gettext
import hashlib
import re
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
PLOTLY = ROOT / "static/vendor/plotly-cartesian-4.1.1.min.js"
# Of the script in the npm package plotly.js-cartesian-dist-min 4.1.1; see static/vendor/README.md.
PLOTLY_SHA256 = "79542150855a52c567260e3137095dbe2b744e6d702a5cabe67da246942fba7a"
IDIOMORPH = ROOT / "static/vendor/idiomorph-0.8.0.min.js"
# Of `dist/idiomorph.min.js` in the npm package idiomorph 0.8.0.
IDIOMORPH_SHA256 = "4cbd535caf7663a51eda9bce6595371c384fc430d54b8d414e29a61167f19f96"
CSS = (ROOT / "static/sliceboard.css").read_text()
SCRIPT = (ROOT / "static/sliceboard.js").read_text()
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
CATALOGUE = ROOT / "locale/zh_Hans/LC_MESSAGES"


def test_plotly_is_the_published_bundle_with_its_licence() -> None:
    assert hashlib.sha256(PLOTLY.read_bytes()).hexdigest() == PLOTLY_SHA256
    assert "MIT" in PLOTLY.with_name("plotly-cartesian-4.1.1.LICENSE.txt").read_text()


def test_idiomorph_is_the_published_script_with_its_licence() -> None:
    assert hashlib.sha256(IDIOMORPH.read_bytes()).hexdigest() == IDIOMORPH_SHA256
    assert "Zero-Clause BSD" in IDIOMORPH.with_name("idiomorph-0.8.0.LICENSE.txt").read_text()


def test_no_page_loads_anything_from_elsewhere() -> None:
    for path in TEMPLATES:
        assert not re.search(r"(src|href)=\"(https?:)?//", path.read_text()), path
    assert "url(http" not in CSS
    assert "@import" not in CSS


def test_every_colour_is_a_token() -> None:
    rules = CSS[CSS.index('[data-theme="light"]') :]
    coloured = [line for line in rules.splitlines() if re.search(r"#[0-9a-f]{3,8}\b", line)]
    # Shadows under what floats, the edge of a swatch and the halo of a cross.
    assert all(re.search(r"shadow|\.cross|\.p-over", line) for line in coloured), coloured


def test_every_token_that_is_named_exists() -> None:
    named = set(re.findall(r"var\((--[\w-]+)\)", CSS + SCRIPT))
    for path in (ROOT / "dashboard").rglob("*.py"):
        named |= set(re.findall(r"var\((--[\w-]+)\)", path.read_text()))
    defined = set(re.findall(r"(--[\w-]+):", CSS))
    assert named <= defined


def test_every_icon_that_is_named_exists() -> None:
    known = set(re.findall(r'<symbol id="i-(\w+)"', (ROOT / "templates/parts/icons.html").read_text()))
    named = {icon for path in TEMPLATES for icon in re.findall(r'{% icon "(\w+)"', path.read_text())}
    named |= {icon for path in TEMPLATES for icon in re.findall(r'{% badge \S+ "(\w+)"', path.read_text())}
    assert named <= known


def test_every_text_is_translated() -> None:
    source = (CATALOGUE / "django.po").read_text()
    untranslated = re.findall(
        r'^(msgid .*)\n(?:msgid_plural .*\n)?msgstr(?:\[0\])? ""$(?!\n")', source, re.MULTILINE
    )
    assert untranslated == []
    assert "fuzzy" not in source


def test_the_compiled_translations_are_those_of_the_source(tmp_path: Path) -> None:
    compiled = tmp_path / "django.mo"
    try:
        subprocess.run(["msgfmt", "-o", compiled, CATALOGUE / "django.po"], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no msgfmt on this machine: install gettext")
    with compiled.open("rb") as fresh, (CATALOGUE / "django.mo").open("rb") as kept:
        assert _messages(gettext.GNUTranslations(fresh)) == _messages(gettext.GNUTranslations(kept))


def _messages(catalogue: gettext.GNUTranslations) -> dict[object, str]:
    return dict(catalogue._catalog)  # type: ignore[attr-defined]


def test_every_text_of_the_templates_is_in_the_catalogue() -> None:
    with (CATALOGUE / "django.mo").open("rb") as file:
        known = _messages(gettext.GNUTranslations(file))
    for path in TEMPLATES:
        for text, context in re.findall(r'{% translate "([^"]+)"(?: context "([^"]+)")?', path.read_text()):
            key = text.replace("%", "%%")
            assert (f"{context}\x04{key}" if context else key) in known, (path, text)


def test_on_paper_no_table_is_cut_off() -> None:
    heights = dict(re.findall(r"^(\.scroll[\w.-]*) \{ max-height: (\w+)", CSS, re.MULTILINE))
    assert heights == {".scroll.tall": "480px"}
    assert (
        ".scroll, .scroll.tall { overflow: visible; max-height: none; }" in CSS[CSS.index("@media print") :]
    )
