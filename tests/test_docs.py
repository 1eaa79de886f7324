"""The documents say what is: commands and settings exist, and links lead somewhere."""

import ast
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))
CONFIGURATION = (ROOT / "docs/configuration.md").read_text()

# What these machines have not: an engine for containers, a cluster, an account at a broker and a database.
UNTRIED = (
    "kubectl apply -f deploy/cluster-role.yaml",
    "mkdir -p secrets",
    "openssl rand -base64 48 > secrets/secret_key",
    "openssl rand -hex 24 > secrets/database_password",
    'echo "postgresql://sliceboard:$(cat secrets/database_password)@postgresql/sliceboard"'
    " > secrets/database_url",
    "chmod 0444 secrets/*",
    "docker compose up --build --detach",
    "docker compose exec web python manage.py create_operator ada",
)


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def commands(document: Path) -> Iterator[str]:
    for block in re.findall(r"^```sh\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL):
        yield from filter(None, block.replace("\\\n", " ").splitlines())


def is_known(command: str) -> bool:
    """Whether its target, management command, module or program exists."""
    if command in UNTRIED:
        return True
    if exported := re.fullmatch(r"export (\w+)=\S+", command):
        return exported[1].removesuffix("_FILE") in documented_variables()
    words = re.sub(r"^(?:[A-Z_]+=\S+ )+", "", command).split()
    match words:
        case ["make", target]:
            return target in make_targets()
        case [".venv/bin/python", "manage.py", name, *_]:
            return name in get_commands()
        case [".venv/bin/python", "-m", module, *_]:
            return find_spec(module) is not None
        case [program, *_] if program.startswith(".venv/bin/"):
            return find_spec(program.removeprefix(".venv/bin/").replace("-", "_")) is not None
    return False


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def documented_variables() -> set[str]:
    return set(re.findall(r"^\| `([A-Z_]+)` \|", CONFIGURATION, re.MULTILINE))


def variables_of(path: str) -> set[str]:
    """The first argument of every call of a reader in dashboard.environment."""
    calls = (node for node in ast.walk(ast.parse((ROOT / path).read_text())) if isinstance(node, ast.Call))
    return {
        call.args[0].value
        for call in calls
        if ast.unparse(call.func).startswith("environment.")
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    }


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_every_command_in_a_document_exists(document: Path) -> None:
    assert [command for command in commands(document) if not is_known(command)] == []


def test_a_command_that_does_not_exist_would_be_found() -> None:
    for command in ("make everything", ".venv/bin/python manage.py nothing", ".venv/bin/nothing", "rm -rf /"):
        assert not is_known(command)


def test_the_commands_that_nobody_tried_are_still_in_the_documents() -> None:
    written = {command for document in DOCUMENTS for command in commands(document)}
    assert written.issuperset(UNTRIED)


def test_every_setting_is_documented_and_every_documented_one_exists() -> None:
    of_the_commands = {"HOST", "PORT", "KUBECONFIG", "DEMO_PASSWORD", "DEMO_TOKEN"}
    assert documented_variables() == variables_of("dashboard/settings.py") | of_the_commands


def test_every_check_is_documented() -> None:
    checks = set(re.findall(r"sliceboard\.[EW]\d{3}", (ROOT / "dashboard/checks.py").read_text()))
    assert checks == set(re.findall(r"sliceboard\.[EW]\d{3}", CONFIGURATION))


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_every_link_to_a_file_leads_to_one(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[\w-]+)?\)", document.read_text())
    assert [target for target in targets if not (document.parent / target).exists()] == []


def test_the_readme_in_both_languages_has_the_same_commands_and_links() -> None:
    english, chinese = ROOT / "README.md", ROOT / "README.zh-hans.md"
    assert list(commands(english)) == list(commands(chinese))
    links = r"\]\((docs/[^)]+)\)"
    assert set(re.findall(links, english.read_text())) == set(re.findall(links, chinese.read_text()))
