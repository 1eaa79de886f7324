"""Whether an object of a listing can be told from all others."""

from inventory.kube.objects import LONGEST_NAME, Metadata

_LONGEST_UID = 128


class Identities:
    """The UIDs met in one listing."""

    def __init__(self, *, namespaced: bool) -> None:
        self._namespaced = namespaced
        self._names: dict[str, str] = {}

    def fault(self, metadata: Metadata) -> str:
        """Why the object cannot be told from others; empty if it can, and its UID is taken from now on."""
        name, namespace, uid = metadata.name, metadata.namespace, metadata.uid
        if not 0 < len(name) <= LONGEST_NAME:
            return _wrong("name", name, LONGEST_NAME)
        if not 0 < len(uid) <= _LONGEST_UID:
            return _wrong("uid", uid, _LONGEST_UID)
        if self._namespaced and not 0 < len(namespace) <= LONGEST_NAME:
            return _wrong("namespace", namespace, LONGEST_NAME)
        if uid in self._names:
            return f"metadata.uid is also that of {self._names[uid]}, which came first"
        self._names[uid] = f"{namespace}/{name}" if self._namespaced else name
        return ""


def _wrong(field: str, text: str, longest: int) -> str:
    if not text:
        return f"metadata.{field} is missing"
    return f"metadata.{field} has {len(text)} characters, {longest} at most are allowed"
