from pathlib import Path

from inventory.ownership.presets import PRESETS, annotations
from inventory.ownership.rulebook import Subject

DOCUMENT = (Path(__file__).parents[3] / "docs/teams.md").read_text()


def test_every_preset_is_documented_with_its_keys() -> None:
    for preset in PRESETS.values():
        (line,) = [line for line in DOCUMENT.splitlines() if line.startswith(f"| `{preset.name}` |")]
        assert all(f"`{rule.key}`" in line for rule in preset.rules)


def test_the_annotations_of_presets_are_kept_so_that_they_can_be_tried_out() -> None:
    assert annotations(Subject.NAMESPACE) == {
        "field.cattle.io/projectId",
        "scheduling.volcano.sh/queue-name",
    }
    assert annotations(Subject.POD) == {"scheduling.volcano.sh/queue-name"}
    assert annotations(Subject.CLAIM) == set()
