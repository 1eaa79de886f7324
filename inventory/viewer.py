"""Whose eyes an answer is for."""

import msgspec


class Viewer(msgspec.Struct, frozen=True):
    """`teams` are the ids of the teams whose names may be seen; None: everything."""

    teams: frozenset[int] | None

    @property
    def sees_everything(self) -> bool:
        return self.teams is None

    @property
    def scope(self) -> str:
        """For ETags and caches: two viewers of the same scope see the same."""
        return "all" if self.teams is None else ",".join(map(str, sorted(self.teams)))


EVERYTHING = Viewer(None)
