"""Whether an object can be told from all others."""

from inventory.kube.objects import LONGEST_NAME, Metadata

_LONGEST_UID = 128


class Identities:
    """The UIDs met in one listing."""

    def __init__(self, *, namespaced: bool) -> None:
        self._namespaced = namespaced
        self._names: dict[str, str] = {}

    def fault(self, metadata: Metadata, *, again: bool = False) -> str:
        """Why the object cannot be told from others; empty if it can, and its UID is taken from now on.

        `again`: an object may come more than once, under its own name.
        """
        if fault := unnamed(metadata, namespaced=self._namespaced):
            return fault
        name = f"{metadata.namespace}/{metadata.name}" if self._namespaced else metadata.name
        first = self._names.get(metadata.uid)
        if first is not None and not (again and first == name):
            return f"metadata.uid is also that of {first}, which came first"
        self._names[metadata.uid] = name
        return ""


def unnamed(metadata: Metadata, *, namespaced: bool) -> str:
    """What is missing or too long of the names that every object has; empty if nothing is."""
    name, namespace, uid = metadata.name, metadata.namespace, metadata.uid
    if not 0 < len(name) <= LONGEST_NAME:
        return _wrong("name", name, LONGEST_NAME)
    if not 0 < len(uid) <= _LONGEST_UID:
        return _wrong("uid", uid, _LONGEST_UID)
    if namespaced and not 0 < len(namespace) <= LONGEST_NAME:
        return _wrong("namespace", namespace, LONGEST_NAME)
    return ""


def _wrong(field: str, text: str, longest: int) -> str:
    if not text:
        return f"metadata.{field} is missing"
    return f"metadata.{field} has {len(text)} characters, {longest} at most are allowed"
