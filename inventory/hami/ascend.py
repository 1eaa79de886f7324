"""The Ascend chips as HAMi's chart configures them: what it makes of an amount of memory without DRA.

The values are those of charts/hami, device-configmap.yaml (vnpus); memory in MiB.
"""

from collections.abc import Mapping

import msgspec

# With this value HAMi limits by software, as DRA does, and takes no template.
MODE_ANNOTATION = "huawei.com/vnpu-mode"
SOFTWARE_MODE = "hami-core"


class Template(msgspec.Struct, frozen=True):
    name: str
    memory: int
    cores: int


class Chip(msgspec.Struct, frozen=True):
    """`product_name` is what the DRA driver publishes; `templates` are in the order of their memory.

    `allocatable` is what a Pod gets of the `capacity` that takes the whole card.
    """

    product_name: str
    capacity: int
    allocatable: int
    # AI cores
    cores: int
    templates: tuple[Template, ...]

    def template(self, memory: int) -> Template | None:
        """The one that HAMi cuts for a request without its software mode; None where none is large enough."""
        return next((one for one in self.templates if memory <= one.memory), None)

    def given(self, memory: int) -> int | None:
        """What HAMi gives then; None where it refuses."""
        if (template := self.template(memory)) is not None:
            return template.memory
        return self.allocatable if memory <= self.capacity else None

    def percent(self, template: Template) -> int:
        """The AI cores of a template, as a percentage that is not below them."""
        return -(-template.cores * 100 // self.cores)


_FIVE_AND_TEN = (Template("vir05_1c_16g", 16384, 5), Template("vir10_3c_32g", 32768, 10))

CHIPS: Mapping[str, Chip] = {
    "Ascend910A": Chip(
        "910A",
        32768,
        32768,
        30,
        (
            Template("vir02", 2184, 2),
            Template("vir04", 4369, 4),
            Template("vir08", 8738, 8),
            Template("vir16", 17476, 16),
        ),
    ),
    "Ascend910B2": Chip(
        "910B2",
        65536,
        65536,
        24,
        (
            Template("vir03_1c_8g", 8192, 3),
            Template("vir06_1c_16g", 16384, 6),
            Template("vir12_3c_32g", 32768, 12),
        ),
    ),
    "Ascend910B3": Chip("910B3", 65536, 65536, 20, _FIVE_AND_TEN),
    "Ascend910B4-1": Chip("910B4-1", 65536, 65536, 20, _FIVE_AND_TEN),
    "Ascend910B4": Chip(
        "910B4",
        32768,
        32768,
        20,
        (Template("vir05_1c_8g", 8192, 5), Template("vir10_3c_16g", 16384, 10)),
    ),
    "Ascend310P": Chip(
        "310P3",
        24576,
        21527,
        8,
        (Template("vir01", 3072, 1), Template("vir02", 6144, 2), Template("vir04", 12288, 4)),
    ),
    "Ascend910C": Chip("Ascend910", 65536, 65536, 20, _FIVE_AND_TEN),
}
