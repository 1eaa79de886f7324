"""Cards with everything that is held of them, ready to be drawn as bars."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

import msgspec
from django.db.models import prefetch_related_objects

from inventory.models import Card, Device
from inventory.queries import shares as share_queries
from inventory.queries.dimensions import dimensions
from inventory.queries.held import Holders, holders
from inventory.queries.shares import ShareRow
from inventory.queries.slices import OTHERS, OthersShares, TeamBrief, Track, teams, tracks
from inventory.viewer import Viewer


class HeldCard(msgspec.Struct, frozen=True):
    """A card; `device` is the id of the device that is all of it, or else of its first part.

    `place` is the node, or the pool of a card that is bound to no node.
    """

    id: int
    key: str
    device: int
    cluster: str
    node: str | None
    node_id: int | None
    driver: str
    pool: str
    pool_id: int
    product: str
    uuid: str
    partitioned: bool
    shareable: bool
    tainted: bool
    state: str
    reason: str
    use: Decimal | None
    shares: tuple[ShareRow, ...]
    others: OthersShares | None
    teams: tuple[TeamBrief, ...]
    tracks: tuple[Track, ...]

    @property
    def place(self) -> str:
        return self.node or self.pool

    @property
    def shares_held(self) -> int:
        """Those of others too."""
        return len(self.shares) + (self.others.shares if self.others else 0)


def rows(
    page: Iterable[Card], *, viewer: Viewer, known: Mapping[str, TeamBrief] | None = None
) -> list[HeldCard]:
    """A fixed number of queries, whatever the number of cards.

    `known`: the teams that the viewer may know, where they have been asked for.
    """
    cards = list(page)
    prefetch_related_objects(cards, "balances", "devices", "cluster", "pool", "node")
    found = teams(viewer=viewer) if known is None else known
    held = _held(cards, viewer)
    return [_row(card, held[card.pk], found) for card in cards]


def _held(cards: Iterable[Card], viewer: Viewer) -> Mapping[int, Holders]:
    """The counted shares of each card: what admin access sees it does not hold."""
    card_of = {device.pk: card.pk for card in cards for device in card.devices.all()}
    counted = share_queries.everyones().filter(device__in=card_of, admin_access=False)
    return holders(counted, card_of.__getitem__, viewer=viewer)


def _row(card: Card, held: Holders, known: Mapping[str, TeamBrief]) -> HeldCard:
    holding = {share.team for share in held.shares}
    return HeldCard(
        id=card.pk,
        key=card.key,
        device=_whole(card),
        cluster=card.cluster.name,
        node=card.node.name if card.node else None,
        node_id=card.node_id,
        driver=card.pool.driver,
        pool=card.pool.name,
        pool_id=card.pool_id,
        product=card.product,
        uuid=card.uuid,
        partitioned=card.partitioned,
        shareable=card.shareable,
        tainted=card.tainted,
        state=card.state,
        reason=card.reason,
        use=None if card.use_millionths is None else Decimal(card.use_millionths).scaleb(-6),
        shares=tuple(held.shares),
        others=held.others,
        teams=(
            *(team for slug, team in known.items() if slug in holding),
            *([OTHERS] if held.others else []),
        ),
        tracks=tracks(card.pool.driver, dimensions(card.balances.all()), held.shares, known, held.others),
    )


def _whole(card: Card) -> int:
    """The device that carries the card's own UUID or name, else its first."""
    parts: list[Device] = list(card.devices.all())
    whole = (part.pk for part in parts if part.name == card.key or (card.uuid and part.uuid == card.uuid))
    return next(whole, parts[0].pk if parts else 0)
