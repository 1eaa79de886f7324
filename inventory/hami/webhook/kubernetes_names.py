"""What Kubernetes says of a name that it does not take (apimachinery/pkg/util/validation)."""

import re
from collections.abc import Iterator

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LONGEST_LABEL, _LONGEST_SUBDOMAIN = 63, 253
_KEY_EXAMPLES = ("MyName", "my.name", "123-abc")
_OF_LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
    "and end with an alphanumeric character"
)
_OF_SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character"
)
_OF_KEY = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character"
)


def label_faults(name: str) -> Iterator[str]:
    yield from _too_long(name, _LONGEST_LABEL)
    if _matches(_LABEL, name):
        return
    if _matches(_SUBDOMAIN, name):
        yield "must not contain dots"
    else:
        yield _mismatch(_OF_LABEL, _LABEL, "my-name", "123-abc")


def subdomain_faults(name: str) -> Iterator[str]:
    yield from _too_long(name, _LONGEST_SUBDOMAIN)
    if not _matches(_SUBDOMAIN, name):
        yield _mismatch(_OF_SUBDOMAIN, _SUBDOMAIN, "example.com")


def qualified_faults(name: str) -> Iterator[str]:
    prefix, slash, rest = name.rpartition("/")
    if "/" in prefix:
        expected = _mismatch(_OF_KEY, _KEY, *_KEY_EXAMPLES)
        yield (
            f"a valid label key {expected} with an optional DNS subdomain prefix and '/' "
            "(e.g. 'example.com/MyName')"
        )
        return
    if slash and not prefix:
        yield "prefix part must be non-empty"
    elif slash:
        yield from (f"prefix part {fault}" for fault in subdomain_faults(prefix))
    if not rest:
        yield "name part must be non-empty"
    yield from (f"name part {fault}" for fault in _too_long(rest, _LONGEST_LABEL))
    if not _matches(_KEY, rest):
        yield f"name part {_mismatch(_OF_KEY, _KEY, *_KEY_EXAMPLES)}"


def _matches(pattern: str, name: str) -> bool:
    return re.fullmatch(pattern, name, re.ASCII) is not None


def _too_long(name: str, longest: int) -> Iterator[str]:
    if len(name.encode(errors="surrogatepass")) > longest:
        yield f"must be no more than {longest} bytes"


def _mismatch(expected: str, pattern: str, *examples: str) -> str:
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{expected} (e.g. {shown}regex used for validation is '{pattern}')"
