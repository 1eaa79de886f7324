"""Why devices do not do for a request, in words."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from dashboard.words.amounts import dimension_label
from dashboard.words.states import Badge
from dashboard.words.writing import PLAIN, Writing
from inventory.dra.simulator.allocated import DeviceId
from inventory.dra.simulator.rejections import Check
from inventory.dra.units import Unit
from inventory.kube.quantity import Quantity
from inventory.queries.fit.answers import FitRow, GroupRow, UnmetRequestRow

CHECK: dict[str, Badge] = {
    Check.POOL: Badge(pgettext_lazy("check", "pool"), "part"),
    Check.HELD: Badge(gettext_lazy("held whole"), "whole"),
    Check.TAKEN: Badge(pgettext_lazy("check", "taken"), "full"),
    Check.FEATURE: Badge(pgettext_lazy("check", "feature"), "note"),
    Check.SELECTOR: Badge(pgettext_lazy("check", "selector"), "find"),
    Check.NODE: Badge(pgettext_lazy("check", "node"), "deny"),
    Check.UNKNOWN: Badge(gettext_lazy("not known"), "part", "warn"),
    Check.DIMENSION: Badge(pgettext_lazy("check", "dimension"), "never"),
    Check.POLICY: Badge(pgettext_lazy("check", "request policy"), "deny"),
    Check.CAPACITY: Badge(pgettext_lazy("check", "capacity"), "bad", "bad"),
    Check.COUNTER: Badge(pgettext_lazy("check", "shared counter"), "bad", "bad"),
    Check.TAINT: Badge(pgettext_lazy("check", "taint"), "warn", "warn"),
    Check.CONSTRAINT: Badge(pgettext_lazy("check", "constraint"), "warn", "warn"),
}

# What other devices would have to become, no near miss.
_FAR = frozenset({Check.SELECTOR, Check.NODE, Check.FEATURE, Check.DIMENSION})


def request_title(row: UnmetRequestRow, writing: Writing = PLAIN) -> str:
    """`r0 of claim-a: 2 of 4 devices found on one node`."""
    claim = row.claim.rpartition("/")[2]
    named = writing.put(_("%(request)s of %(claim)s"), request=writing.code(row.request), claim=claim)
    if row.found and row.wanted > 1:
        message = _("%(named)s: %(found)s of %(wanted)s devices found on one node")
        return writing.put(message, named=named, found=str(row.found), wanted=str(row.wanted))
    return named


def device_id(example: str) -> DeviceId:
    """An example is `driver/pool/name`, and only a pool may have slashes."""
    driver, _slash, rest = example.partition("/")
    pool, _slash, name = rest.rpartition("/")
    return DeviceId(driver, pool, name)


def devices(row: UnmetRequestRow) -> int:
    """How many were looked at for the request: each is in one group."""
    return sum(group.devices for group in row.groups)


def nearest(row: FitRow, writing: Writing = PLAIN) -> str:
    """The nearest miss in one sentence; empty where nothing comes near."""
    group = next((request.groups[0] for request in row.requests if request.groups), None)
    if group is None or group.check in _FAR or not group.selected:
        return ""
    message = ngettext(
        "Nearest miss, %(n)s device: %(why)s.",
        "Nearest misses, %(n)s devices: %(why)s.",
        group.devices,
    )
    return writing.put(message, n=f"{group.devices:,}", why=why(group, writing))


def why(group: GroupRow, writing: Writing = PLAIN) -> str:
    """Why these devices do not do."""
    match group.check:
        case Check.CAPACITY | Check.COUNTER if group.need is not None and group.left is not None:
            return _too_little(group, group.need, group.left, writing)
        case Check.POLICY if group.need is not None:
            return writing.put(
                _("%(need)s of %(what)s cannot be asked of them: %(detail)s"),
                what=dimension_label(group.subject or ""),
                need=writing.amount(group.need, group.unit or Unit.COUNT),
                detail=writing.said(group.detail or ""),
            )
        case Check.SELECTOR:
            return _selector(group, writing)
    return _other(group, writing)


def short(group: GroupRow, left: Quantity | None, writing: Writing = PLAIN) -> str:
    """Why one device of the group does not do, which has so much left of what is short."""
    if group.check != Check.CAPACITY or group.need is None or left is None or left.nanos < 0:
        return why(group, writing)
    unit = group.unit or Unit.COUNT
    return writing.put(
        _("%(need)s of %(what)s needed, %(left)s left"),
        what=dimension_label(group.subject or ""),
        need=writing.amount(group.need, unit),
        left=writing.amount(left, unit),
    )


def _too_little(group: GroupRow, need: Quantity, left: Quantity, writing: Writing) -> str:
    label, unit = dimension_label(group.subject or ""), group.unit or Unit.COUNT
    if left.nanos < 0:
        return writing.put(
            _("%(what)s: over-drawn by %(amount)s"), what=label, amount=writing.amount(-left, unit)
        )
    return writing.put(
        _("%(need)s of %(what)s needed, at most %(left)s left"),
        what=label,
        need=writing.amount(need, unit),
        left=writing.amount(left, unit),
    )


def _selector(group: GroupRow, writing: Writing) -> str:
    expression = writing.code(group.subject or "")
    source = _source(group.detail or "")
    if group.values:
        message = _("%(values)s; %(source)s wants %(expression)s")
        values = writing.said(group.values)
        return writing.put(message, values=values, source=source, expression=expression)
    return writing.put(
        _("other values; %(source)s wants %(expression)s"), source=source, expression=expression
    )


def _source(detail: str) -> str:
    """Whose selector it is, `class gpu.example.com` or `request r0`, in the reader's words."""
    kind, _space, name = detail.partition(" ")
    message = {"class": _("class %(name)s"), "request": _("request %(name)s")}.get(kind)
    return detail if message is None else message % {"name": name}


def _other(group: GroupRow, writing: Writing) -> str:
    subject, detail = group.subject or "", group.detail or ""
    match group.check:
        case Check.DIMENSION:
            return writing.put(_("they publish no %(what)s under that name"), what=writing.code(subject))
        case Check.HELD if group.selected:
            return _("held whole by another claim")
        case Check.HELD:
            return _("held whole by another claim, and not what the selectors want")
        case Check.TAKEN:
            return _("taken by another request of the same Pod")
        case Check.TAINT:
            return writing.put(_("tainted %(taint)s, not tolerated"), taint=writing.code(subject))
        case Check.POOL:
            return writing.put(_("pool %(pool)s: %(reason)s"), pool=subject, reason=writing.said(detail))
        case Check.NODE:
            return _("not usable from these nodes")
        case Check.FEATURE:
            return writing.put(_("need the feature %(gate)s, which is off"), gate=subject)
    return writing.said(detail or group.check)
