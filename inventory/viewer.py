"""Who looks: the teams whose names somebody may read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Viewer:
    """`teams` are ids of teams; None: an operator, or Sliceboard itself, who sees everything."""

    teams: frozenset[int] | None

    @property
    def scope(self) -> str:
        """For caches and ETags: the same for those who see the same."""
        return "all" if self.teams is None else ",".join(map(str, sorted(self.teams)))

    def sees(self, team: int | None) -> bool:
        """What belongs to no team is seen by operators alone."""
        return self.teams is None or team in self.teams


EVERYTHING = Viewer(None)
