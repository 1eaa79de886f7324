"""Objects as YAML, for files and for people.

What is written reads back as it was, by whatever reads YAML for Kubernetes: a text that some reader could
take for a number, a truth value or a date is quoted, and so are characters that do not show.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import yaml

from inventory.kube.objects import Raw

# Readers differ in what they take for a number (1e3, 0o17, 1_000), a truth value (y) or a date (2026-1-1).
_AMBIGUOUS = re.compile(
    r"[-+]?(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][-+]?\d+)?"
    r"|[-+]?0[xXoObB][\da-fA-F_]+"
    r"|\d{4}-\d\d?-\d\d?.*"
    r"|[yYnN]",
    re.ASCII,
)
# Controls, and what changes the order of letters or has no width: a text with them is not what it looks like.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u061c\u115f\u1160\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f"
    "\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_STRING = "tag:yaml.org,2002:str"
_NUMBER = "tag:yaml.org,2002:float"
_PLAIN_EXPONENTS = range(-30, 1)
# To libyaml, of the width of a line.
_NO_LIMIT = -1


class UnwritableError(ValueError):
    """No YAML stands for it; the message says why."""


class _Dumper(yaml.CSafeDumper):
    """Every value where it stands: anchors would be refused by many readers."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.CSafeDumper, text: str) -> yaml.ScalarNode:
    if _UNSEEN.search(text):
        return dumper.represent_scalar(_STRING, text, style='"')
    if "\n" in text:
        return dumper.represent_scalar(_STRING, text, style="|")
    tag = dumper.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    is_ambiguous = tag != _STRING or _AMBIGUOUS.fullmatch(text)
    return dumper.represent_scalar(_STRING, text, style='"' if is_ambiguous else None)


def _number(dumper: yaml.CSafeDumper, number: Decimal) -> yaml.ScalarNode:
    return dumper.represent_scalar(_NUMBER, number_text(number))


def number_text(number: Decimal) -> str:
    """With a point, without which not every reader sees a number: 0.5, 1.0E+30."""
    exponent = number.as_tuple().exponent
    if isinstance(exponent, str):
        raise UnwritableError(f"{number} is no number that JSON has")
    if exponent in _PLAIN_EXPONENTS:
        plain = format(number, "f")
        return plain if "." in plain else f"{plain}.0"
    mantissa, _, power = format(number, "E").partition("E")
    return f"{mantissa if '.' in mantissa else f'{mantissa}.0'}E{power or '+0'}"


_Dumper.add_representer(Decimal, _number)
_Dumper.add_representer(str, _text)


def yaml_text(document: Any) -> str:
    """One document, its keys in their order, with a line feed at its end. Raises UnwritableError."""
    try:
        text = yaml.dump(
            document,
            Dumper=_Dumper,
            sort_keys=False,
            allow_unicode=True,
            default_flow_style=False,
            width=_NO_LIMIT,
        )
    except (yaml.YAMLError, UnicodeEncodeError, RecursionError) as error:
        raise UnwritableError(" ".join(str(error).split())) from error
    return _UNSEEN.sub(_escaped, text)


def yaml_stream(documents: Iterable[Raw]) -> str:
    """Several documents, as `kubectl apply -f` takes them. Raises UnwritableError."""
    return "---\n".join(map(yaml_text, documents))


def _escaped(found: re.Match[str]) -> str:
    """Only ever inside double quotes: texts with such characters have them."""
    code = ord(found[0])
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"
