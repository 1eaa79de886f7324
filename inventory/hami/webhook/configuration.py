"""The device configuration of the webhook: which cards it converts, under which names.

The defaults are those of HAMi-DRA (pkg/config/dra_device.go), the same in every version that has a list of
vendors.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from inventory.hami.webhook.device_config import ConfigurationError, decoded
from inventory.hami.webhook.devices import ChoosingAnnotations, DraDevice
from inventory.hami.webhook.go import quote

NVIDIA, HYGON, ASCEND = "nvidia", "hygon", "ascend"
VENDORS = (NVIDIA, HYGON, ASCEND)
NVIDIA_DRIVER = "hami-core-gpu.project-hami.io"
_HYGON_DRIVER = "dra.hygon.com"
_ASCEND_PREFIX = "huawei.com/"
_ASCEND_WORDS = (
    "Ascend910A",
    "Ascend910B2",
    "Ascend910B3",
    "Ascend910B4-1",
    "Ascend910B4",
    "Ascend310P",
    "Ascend910C",
)
# Of a single chip whose name says nothing.
_ASCEND_WORD = "Ascend310P"


# Before HAMi called these cards HCU.
OLD_HYGON_NAMES = {
    "resourceCountName": "hygon.com/dcunum",
    "resourceMemoryName": "hygon.com/dcumem",
    "resourceCoreName": "hygon.com/dcucores",
}


def configured(vendors: Sequence[str] = (), config: Any = None) -> tuple[DraDevice, ...]:
    """`vendors` are those of its flag, which override those of the file. Raises ConfigurationError."""
    settings = decoded(config)
    if settings.get("vendor"):
        raise ConfigurationError("config field vendor was removed; use vendors instead")
    selected = vendors or settings.get("vendors", ())
    if not selected:
        raise ConfigurationError("at least one device vendor must be configured")
    return tuple(_of_all(selected, settings))


def _of_all(vendors: Sequence[str], settings: Mapping[str, Any]) -> Iterator[DraDevice]:
    resources: dict[str, str] = {}
    suffixes: dict[str, str] = {}
    seen: set[str] = set()
    for vendor in vendors:
        if vendor in seen:
            raise ConfigurationError(f"duplicate device vendor {quote(vendor)}")
        seen.add(vendor)
        for device in _of(vendor, settings):
            for name in filter(None, device.names()):
                _claim_for(vendor, "resource name", name, resources)
            _claim_for(vendor, "claim name suffix", device.suffix, suffixes)
            yield device


def _claim_for(vendor: str, what: str, name: str, taken: dict[str, str]) -> None:
    if name in taken:
        both = f"{quote(taken[name])} and {quote(vendor)}"
        raise ConfigurationError(f"{what} {quote(name)} is configured by both {both}")
    taken[name] = vendor


def _of(vendor: str, settings: Mapping[str, Any]) -> Sequence[DraDevice]:
    match vendor:
        case "nvidia":
            return (_nvidia(settings.get(vendor, {})),)
        case "hygon":
            return (_hygon(settings.get(vendor, {})),)
        case "ascend":
            return _ascend(settings.get(vendor, {}))
        case _:
            raise ConfigurationError(f"unsupported device vendor {quote(vendor)}")


def _nvidia(given: Mapping[str, Any]) -> DraDevice:
    return DraDevice(
        vendor=NVIDIA,
        word="",
        count=given.get("resourceCountName") or "nvidia.com/gpu",
        memory=given.get("resourceMemoryName") or "nvidia.com/gpumem",
        cores=given.get("resourceCoreName") or "nvidia.com/gpucores",
        device_class=given.get("deviceClassName") or NVIDIA_DRIVER,
        driver=given.get("draDriverName") or NVIDIA_DRIVER,
        request="gpu",
        type_value="hami-gpu",
        annotations=ChoosingAnnotations(
            "nvidia.com/use-gpuuuid",
            "nvidia.com/nouse-gpuuuid",
            "nvidia.com/use-gputype",
            "nvidia.com/nouse-gputype",
        ),
        suffix=NVIDIA,
        selects_driver=False,
    )


def _hygon(given: Mapping[str, Any]) -> DraDevice:
    return DraDevice(
        vendor=HYGON,
        word="",
        count=given.get("resourceCountName") or "hygon.com/hcunum",
        memory=given.get("resourceMemoryName") or "hygon.com/hcumem",
        cores=given.get("resourceCoreName") or "hygon.com/hcucores",
        device_class=given.get("deviceClassName") or _HYGON_DRIVER,
        driver=given.get("draDriverName") or _HYGON_DRIVER,
        request=given.get("requestName") or "hcu",
        type_value="hcu",
        annotations=ChoosingAnnotations(
            given.get("useUUIDAnnotation") or "hygon.com/use-gpuuuid",
            given.get("noUseUUIDAnnotation") or "hygon.com/nouse-gpuuuid",
            given.get("useTypeAnnotation") or "hygon.com/use-hcutype",
            given.get("noUseTypeAnnotation") or "hygon.com/nouse-hcutype",
        ),
        suffix=HYGON,
        selects_driver=True,
        cores_are_percent_of_units=True,
        reference_units=given.get("referenceComputeUnits", 0),
    )


def _ascend(given: Mapping[str, Any]) -> Sequence[DraDevice]:
    chips = given.get("devices") or ()
    if not chips and (count := given.get("resourceCountName")):
        return (_single_chip(count, given),)
    chips = chips or [_default_chip(word) for word in _ASCEND_WORDS]
    unnamed = [str(index) for index, chip in enumerate(chips) if not chip.get("resourceName")]
    if len(unnamed) == len(chips):
        places = " ".join(unnamed)
        raise ConfigurationError(f"no ascend devices configured: empty resourceName at indexes [{places}]")
    return [_chip(chip, given) for chip in chips if chip.get("resourceName")]


def _default_chip(word: str) -> Mapping[str, str]:
    name = _ASCEND_PREFIX + word
    return {
        "commonWord": word,
        "resourceName": name,
        "resourceMemoryName": f"{name}-memory",
        "resourceCoreName": f"{name}-core",
    }


def _single_chip(count: str, given: Mapping[str, Any]) -> DraDevice:
    """The form before there was a list: one chip, with UUID annotations of its own."""
    word = count.removeprefix(_ASCEND_PREFIX)
    device = _chip(
        {
            "commonWord": _ASCEND_WORD if word in (count, "") else word,
            "resourceName": count,
            "resourceMemoryName": given.get("resourceMemoryName") or f"{count}-memory",
            "resourceCoreName": given.get("resourceCoreName") or f"{count}-core",
        },
        given,
    )
    annotations = msgspec.structs.replace(
        device.annotations,
        use_uuid=given.get("useUUIDAnnotation") or device.annotations.use_uuid,
        no_use_uuid=given.get("noUseUUIDAnnotation") or device.annotations.no_use_uuid,
    )
    return msgspec.structs.replace(device, annotations=annotations)


def _chip(chip: Mapping[str, str], given: Mapping[str, Any]) -> DraDevice:
    word = chip.get("commonWord") or chip["resourceName"].removeprefix(_ASCEND_PREFIX)
    return DraDevice(
        vendor=ASCEND,
        word=word,
        count=chip["resourceName"],
        memory=chip.get("resourceMemoryName", ""),
        cores=chip.get("resourceCoreName", ""),
        device_class=given.get("deviceClassName") or "hami-vnpu-core.project-hami.io",
        driver=given.get("draDriverName") or "ascend.project-hami.io",
        request=given.get("requestName") or "npu",
        type_value="HAMivNPUCore",
        annotations=ChoosingAnnotations(
            f"hami.io/use-{word}-uuid",
            f"hami.io/no-use-{word}-uuid",
            given.get("useTypeAnnotation") or "hami.io/use-nputype",
            given.get("noUseTypeAnnotation") or "hami.io/no-use-nputype",
        ),
        suffix=word.lower() or ASCEND,
        selects_driver=True,
    )
