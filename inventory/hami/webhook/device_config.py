"""The file of the device configuration: its fields and their types, as the webhook declares them.

Nothing comes of most of them, but one of the wrong type keeps the webhook from starting.
"""

from collections.abc import Mapping
from typing import Any

from inventory.hami.webhook.typed_yaml import (
    Decoder,
    Reader,
    integer,
    real,
    sequence,
    struct,
    text,
    truth,
)


class ConfigurationError(ValueError):
    """The webhook would not start; the message is its own."""


def decoded(config: Any) -> Mapping[str, Any]:
    """The fields that are set. Raises ConfigurationError."""
    decoder = Decoder()
    found: Mapping[str, Any] | None = decoder.read(config, _CONFIG)
    if decoder.complaints:
        raise ConfigurationError(decoder.failure())
    return found or {}


def _texts(*names: str) -> dict[str, Reader]:
    return dict.fromkeys(names, text())


_NAMES = _texts("resourceCountName", "resourceMemoryName", "resourceCoreName")
_PLACES = _texts("deviceClassName", "draDriverName")
_UUID_ANNOTATIONS = _texts("useUUIDAnnotation", "noUseUUIDAnnotation")
_TYPE_ANNOTATIONS = _texts("useTypeAnnotation", "noUseTypeAnnotation")
_INT32 = integer("int32", 32)

_MIG_TEMPLATE = struct("config.MigTemplate", {**_texts("name"), "memory": _INT32, "count": _INT32})
_MIG_GEOMETRIES = struct(
    "config.AllowedMigGeometries",
    {
        "models": sequence("[]string", text()),
        "allowedGeometries": sequence("[]config.Geometry", sequence("config.Geometry", _MIG_TEMPLATE)),
    },
)
_NVIDIA = struct(
    "config.NvidiaConfig",
    {
        **_NAMES,
        **_PLACES,
        **_texts("resourceMemoryPercentageName", "resourcePriorityName", "runtimeClassName"),
        **dict.fromkeys(("defaultMemory", "defaultCores", "defaultGPUNum"), _INT32),
        **dict.fromkeys(("overwriteEnv", "disableCoreLimit"), truth),
        "deviceSplitCount": integer("uint", 64, signed=False),
        "deviceMemoryScaling": real,
        "deviceCoreScaling": real,
        "libCudaLogLevel": text("config.LibCudaLogLevel"),
        "gpuCorePolicy": text("config.GPUCoreUtilizationPolicy"),
        "knownMigGeometries": sequence("[]config.AllowedMigGeometries", _MIG_GEOMETRIES),
    },
)
_HYGON = struct(
    "config.HygonConfig",
    {
        **_NAMES,
        **_PLACES,
        **_UUID_ANNOTATIONS,
        **_TYPE_ANNOTATIONS,
        **_texts("requestName"),
        "referenceComputeUnits": integer("int64", 64),
    },
)
_CHIP = struct(
    "config.AscendVNPUConfig",
    _texts("commonWord", "chipName", "resourceName", "resourceMemoryName", "resourceCoreName"),
)
_ASCEND = struct(
    "config.AscendConfig",
    {
        **_NAMES,
        **_PLACES,
        **_UUID_ANNOTATIONS,
        **_TYPE_ANNOTATIONS,
        **_texts("requestName", "runtimeClassName"),
        "devices": sequence("[]config.AscendVNPUConfig", _CHIP),
    },
)
_CONFIG = struct(
    "config.Config",
    {
        # The field before there was a list.
        "vendor": text(),
        "vendors": sequence("[]string", text()),
        "nvidia": _NVIDIA,
        "hygon": _HYGON,
        "ascend": _ASCEND,
    },
)
