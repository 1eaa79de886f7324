"""Semantic versions as github.com/blang/semver/v4 reads and orders them, the way the scheduler does."""

import re

import msgspec

_LARGEST = 2**64 - 1
_NUMBER = re.compile(r"0|[1-9][0-9]*")
_IDENTIFIER = re.compile(r"[0-9A-Za-z-]+")


class VersionError(ValueError):
    """The text is no semantic version."""


class Version(msgspec.Struct, frozen=True, order=False):
    """Build metadata is read and dropped: it takes no part in any comparison."""

    major: int
    minor: int
    patch: int
    # Identifiers of a pre-release: numbers, and everything else as text.
    prerelease: tuple[int | str, ...] = ()

    def __str__(self) -> str:
        core = f"{self.major}.{self.minor}.{self.patch}"
        return f"{core}-{'.'.join(map(str, self.prerelease))}" if self.prerelease else core

    def compared(self, other: "Version") -> int:
        """−1, 0 or 1."""
        mine, others = self._rank(), other._rank()
        return (mine > others) - (mine < others)

    def _rank(self) -> tuple[object, ...]:
        # A release comes after its pre-releases, a number before a text, and of two the shorter first.
        identifiers = tuple(
            (0, part, "") if isinstance(part, int) else (1, 0, part) for part in self.prerelease
        )
        return self.major, self.minor, self.patch, not self.prerelease, identifiers


def parse(text: str) -> Version:
    """Raises VersionError."""
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise VersionError(f"{text[:80]!r} is no semantic version: no major.minor.patch elements found")
    rest, plus, build = parts[2].partition("+")
    patch, dash, prerelease = rest.partition("-")
    if plus:
        _identifiers(build, text)
    identifiers = _identifiers(prerelease, text) if dash else []
    return Version(
        _number(parts[0], text),
        _number(parts[1], text),
        _number(patch, text),
        tuple(_ordered(identifier, text) for identifier in identifiers),
    )


def parse_tolerantly(text: str) -> Version:
    """`semver(text, true)`: a leading v, leading zeros and missing parts are mended first."""
    parts = [_without_zeros(part) for part in text.removeprefix("v").split(".", 2)]
    if len(parts) < 3 and any(sign in parts[-1] for sign in "+-"):
        raise VersionError(
            f"{text[:80]!r} is no semantic version: a short version takes no pre-release or build"
        )
    return parse(".".join(parts + ["0"] * (3 - len(parts))))


def _without_zeros(part: str) -> str:
    if len(part) < 2:
        return part
    stripped = part.lstrip("0")
    return stripped if stripped[:1] in set("0123456789") else f"0{stripped}"


def _number(part: str, text: str) -> int:
    if not _NUMBER.fullmatch(part) or len(part) > 20 or int(part) > _LARGEST:
        raise VersionError(
            f"{text[:80]!r} is no semantic version: {part[:20]!r} is no number, or has leading zeros"
        )
    return int(part)


def _identifiers(dotted: str, text: str) -> list[str]:
    identifiers = dotted.split(".")
    if not all(_IDENTIFIER.fullmatch(identifier) for identifier in identifiers):
        raise VersionError(
            f"{text[:80]!r} is no semantic version: only letters, digits and - may follow - or +"
        )
    return identifiers


def _ordered(identifier: str, text: str) -> int | str:
    return _number(identifier, text) if identifier.isdigit() else identifier
