"""Annotations that choose cards, and those that nothing reads any more."""

from collections.abc import Iterable, Iterator, Mapping

from inventory.hami.warnings.view import View, annotation_place
from inventory.hami.warnings.warning import Code, ConversionWarning, Correction, Severity, entry, warn
from inventory.hami.webhook.configuration import ASCEND, HYGON
from inventory.hami.webhook.devices import DraDevice
from inventory.hami.webhook.go import trimmed

# HAMi's own devices have it before the serial number, those of the DRA driver do not.
_HYGON_PREFIX = "HCU-"
_SEVERITIES = {
    "nvidia.com/vgpu-mode": Severity.DIFFERS,
    "nvidia.com/numa-bind": Severity.DIFFERS,
    "hami.io/gpu-scheduler-policy": Severity.NOTE,
    "hami.io/node-scheduler-policy": Severity.NOTE,
    "hami.io/device-scoring-weights": Severity.NOTE,
    "huawei.com/vnpu-mode": Severity.NOTE,
}
# HAMi reads these beside the resources' old names; the webhook reads only those that it is configured for.
_OLD_HYGON = {
    "hygon.com/use-dcutype": "hygon.com/use-hcutype",
    "hygon.com/nouse-dcutype": "hygon.com/nouse-hcutype",
}


def types(view: View) -> Iterator[ConversionWarning]:
    for device in view.used:
        names = device.annotations
        if (given := view.annotations.get(names.use_type)) is not None:
            yield from _types(view, device, names.use_type, given, excluding=False)
        if view.behaviour.has_lists and (given := view.annotations.get(names.no_use_type)) is not None:
            yield from _types(view, device, names.no_use_type, given, excluding=True)


def uuids(view: View) -> Iterator[ConversionWarning]:
    for device in view.used:
        names = device.annotations
        if (given := view.annotations.get(names.use_uuid)) is not None:
            yield from _uuids(view, device, names.use_uuid, given, excluding=False)
        if view.behaviour.has_lists and (given := view.annotations.get(names.no_use_uuid)) is not None:
            yield from _uuids(view, device, names.no_use_uuid, given, excluding=True)


def dropped(view: View) -> Iterator[ConversionWarning]:
    if not view.uses:
        return
    for name, severity in _SEVERITIES.items():
        if name in view.annotations:
            yield _about(view, Code.ANNOTATION_DROPPED, severity, name)
    yield from _old_hygon(view)
    if not view.behaviour.has_lists:
        yield from _exclusions(view)


def _old_hygon(view: View) -> Iterator[ConversionWarning]:
    for device in view.used:
        if device.vendor != HYGON:
            continue
        names = device.annotations
        read = (names.use_type, names.no_use_type)
        for old, new in _OLD_HYGON.items():
            if old in view.annotations and old not in read and new in read:
                instead = Correction(annotations={old: None, new: view.annotations[old]})
                yield _about(view, Code.ANNOTATION_DROPPED, Severity.DIFFERS, old, instead=instead)


def _exclusions(view: View) -> Iterator[ConversionWarning]:
    for device in view.used:
        for name in (device.annotations.no_use_uuid, device.annotations.no_use_type):
            if name in view.annotations:
                yield _about(view, Code.EXCLUSION_DROPPED, Severity.DIFFERS, name)


def _about(
    view: View,
    code: Code,
    severity: Severity,
    name: str,
    values: Mapping[str, str] | None = None,
    instead: str | Correction = "",
) -> ConversionWarning:
    named = {"annotation": name, "given": view.annotations[name], **(values or {})}
    return warn(code, severity, annotation_place(name), "", named, instead)


def _listed(view: View, given: str) -> list[str]:
    """What the webhook looks for; its first version takes the text as one."""
    if not view.behaviour.has_lists:
        return [given] if given else []
    return [value for part in given.split(",") if (value := trimmed(part))]


def _types(
    view: View, device: DraDevice, name: str, given: str, *, excluding: bool
) -> Iterator[ConversionWarning]:
    wanted, without = _listed(view, given), Correction(annotations={name: None})
    if not wanted and device.vendor == ASCEND:
        yield _about(view, Code.TYPE_EMPTY_NEWLY_READ, Severity.NEVER_FITS, name, instead=without)
    elif not wanted:
        yield _about(view, Code.TYPE_EMPTY, Severity.NEVER_FITS, name, instead=without)
    elif "," in given and not view.behaviour.has_lists:
        yield _about(view, Code.LIST_NOT_SPLIT, Severity.NEVER_FITS, name)
    elif device.vendor == ASCEND:
        yield _about(view, Code.TYPE_NEWLY_READ, Severity.NOTE, name)
    elif not (models := _models(view, device)):
        instead = entry(name, "<the product name, as the driver publishes it>")
        yield _about(view, Code.TYPE_IS_WHOLE, Severity.DIFFERS, name, instead=instead)
    elif excluding:
        yield from _excluding(view, name, wanted, models)
    else:
        yield from _choosing(view, name, wanted, models)


def _models(view: View, device: DraDevice) -> frozenset[str]:
    cards = view.surroundings.cards_of(device.driver)
    return cards.models - {""} if cards else frozenset()


def _choosing(
    view: View, name: str, wanted: list[str], models: frozenset[str]
) -> Iterator[ConversionWarning]:
    whole, before = models & set(wanted), _in_part(wanted, models)
    instead = Correction(annotations={name: ",".join(sorted(before))}) if before else ""
    if not whole:
        values = {"models": ", ".join(sorted(before or models))}
        yield _about(view, Code.TYPE_MATCHES_NONE, Severity.NEVER_FITS, name, values, instead)
    elif lost := before - whole:
        values = {"models": ", ".join(sorted(lost))}
        yield _about(view, Code.TYPE_MATCHES_FEWER, Severity.DIFFERS, name, values, instead)


def _excluding(
    view: View, name: str, wanted: list[str], models: frozenset[str]
) -> Iterator[ConversionWarning]:
    before = _in_part(wanted, models)
    if let_in := before - set(wanted):
        values = {"models": ", ".join(sorted(let_in))}
        instead = Correction(annotations={name: ",".join(sorted(before))})
        yield _about(view, Code.TYPE_EXCLUDES_LESS, Severity.DIFFERS, name, values, instead)


def _in_part(wanted: Iterable[str], models: Iterable[str]) -> frozenset[str]:
    """As HAMi compares: any part of the model's name, in capital letters or small."""
    parts = [value.upper() for value in wanted]
    return frozenset(model for model in models if any(part in model.upper() for part in parts))


def _uuids(
    view: View, device: DraDevice, name: str, given: str, *, excluding: bool
) -> Iterator[ConversionWarning]:
    wanted, without = _listed(view, given), Correction(annotations={name: None})
    prefixed = [value for value in wanted if value.startswith(_HYGON_PREFIX)]
    if not wanted:
        yield _about(view, Code.UUID_EMPTY, Severity.NEVER_FITS, name, instead=without)
    elif "," in given and not view.behaviour.has_lists:
        yield _about(view, Code.LIST_NOT_SPLIT, Severity.NEVER_FITS, name)
    elif device.vendor == HYGON and prefixed:
        severity = Severity.DIFFERS if excluding or len(prefixed) < len(wanted) else Severity.NEVER_FITS
        bare = ",".join(value.removeprefix(_HYGON_PREFIX) for value in wanted)
        yield _about(view, Code.UUID_PREFIX, severity, name, instead=Correction(annotations={name: bare}))
    elif unknown := _unknown(view, device, wanted):
        severity = Severity.NOTE if excluding or len(unknown) < len(wanted) else Severity.NEVER_FITS
        values = {"uuids": ", ".join(unknown), "driver": device.driver}
        yield _about(view, Code.UUID_UNKNOWN, severity, name, values)


def _unknown(view: View, device: DraDevice, wanted: list[str]) -> list[str]:
    """Those that no card has; none where the cards are not known."""
    cards = view.surroundings.cards_of(device.driver)
    return [value for value in wanted if value not in cards.uuids] if cards else []
