"""A kind of card as the webhook is configured for it."""

import msgspec


class ChoosingAnnotations(msgspec.Struct, frozen=True):
    """The annotations by which a Pod names or excludes cards, in the order of the webhook."""

    use_uuid: str
    no_use_uuid: str
    use_type: str
    no_use_type: str


class DraDevice(msgspec.Struct, frozen=True):
    """`word` is the chip of Ascend (Ascend310P), empty for the others.

    A name is empty where none is configured. `reference_units` says how many compute units a card has, where
    cores are a percentage of them; 0 where it is not configured.
    """

    vendor: str
    word: str
    count: str
    memory: str
    cores: str
    device_class: str
    driver: str
    request: str
    type_value: str
    annotations: ChoosingAnnotations
    suffix: str
    # Whether the first selector asks for the driver as well as for the type.
    selects_driver: bool
    cores_are_percent_of_units: bool = False
    reference_units: int = 0

    def names(self) -> tuple[str, str, str]:
        return self.count, self.memory, self.cores
