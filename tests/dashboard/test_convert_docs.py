"""What docs/conversion.md shows is what comes out."""

import io
import re
from pathlib import Path

import pytest
from django.core.management import call_command

from inventory.hami.warnings.warning import Code

DOCUMENT = (Path(__file__).parents[2] / "docs/conversion.md").read_text()
GIVEN, MADE = re.findall(r"^```yaml\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)
(TOLD,) = re.findall(r"^```text\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("arguments", "shown"), [((), TOLD), (("-o", "yaml"), MADE)])
def test_the_command_prints_what_the_document_shows(
    arguments: tuple[str, ...], shown: str, tmp_path: Path
) -> None:
    manifest = tmp_path / "embed.yaml"
    manifest.write_text(GIVEN)
    out = io.StringIO()
    call_command("convert", str(manifest), *arguments, stdout=out)
    assert out.getvalue() == shown


def test_every_warning_is_explained() -> None:
    (table,) = re.findall(r"^\| code \|.*?\n\n", DOCUMENT, re.MULTILINE | re.DOTALL)
    firsts = [line.split("|")[1] for line in table.strip().splitlines()[2:]]
    explained = {code for first in firsts for code in re.findall(r"`([a-z-]+)`", first)}
    assert explained == set(Code)
