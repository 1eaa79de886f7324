"""Where a claim would go, or what stops it, in words."""

from collections.abc import Iterable, Iterator

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from dashboard.words.amounts import dimension_label
from dashboard.words.misses import request_title, why
from dashboard.words.states import Badge
from dashboard.words.writing import PLAIN, Writing
from inventory.dra.simulator.explanation import Caveat, Verdict
from inventory.dra.simulator.pod_rules import PodRule
from inventory.dra.units import reading_order, unit_of
from inventory.queries.fit.answers import (
    DoubtRow,
    ExcludedRow,
    FitRow,
    NodeFitRow,
    ObstacleRow,
    PlacementRow,
    UnusablePoolRow,
    WaitingPodRow,
    WaitRow,
)
from inventory.queries.fit.questions import Waiting

VERDICT: dict[str, Badge] = {
    Verdict.FITS: Badge(pgettext_lazy("verdict", "fits"), "ok", "ok"),
    Verdict.POD_RULES: Badge(gettext_lazy("fits on other nodes"), "warn", "warn"),
    Verdict.NO_ROOM: Badge(gettext_lazy("no room"), "bad", "bad"),
    Verdict.POOLS: Badge(gettext_lazy("pool not usable"), "part", "warn"),
    Verdict.CLASS_MISSING: Badge(gettext_lazy("class missing"), "bad", "bad"),
    Verdict.SELECTOR_ERROR: Badge(gettext_lazy("selector error"), "bad", "bad"),
    Verdict.REFUSED: Badge(gettext_lazy("scheduler error"), "bad", "bad"),
    Verdict.NOTHING_TO_PLACE: Badge(gettext_lazy("nothing to allocate"), "note", "note"),
    Verdict.CANNOT_SIMULATE: Badge(gettext_lazy("cannot simulate"), "part", "warn"),
}
_WAITS = Badge(gettext_lazy("fits, but waits"), "wait", "warn")
# Where nothing can be asked for before something else has happened.
_FIRST: dict[str, Badge] = {
    Waiting.CLAIM: Badge(gettext_lazy("claim not made"), "wait", "warn"),
    Waiting.DELETION: Badge(gettext_lazy("claim being deleted"), "wait", "warn"),
}


_SAID: dict[str, str | Promise] = {
    Verdict.NO_ROOM: gettext_lazy("No node can meet it now."),
    Verdict.POOLS: gettext_lazy(
        "No node can meet it now, and some devices cannot be used because of their pool."
    ),
    Verdict.CLASS_MISSING: gettext_lazy("A device class that it asks for is not in the cluster."),
    Verdict.SELECTOR_ERROR: gettext_lazy(
        "A selector fails; the scheduler then gives up, even where there is room."
    ),
    Verdict.REFUSED: gettext_lazy("The scheduler gives up with an error, even where there is room."),
    Verdict.NOTHING_TO_PLACE: gettext_lazy("Every claim that it needs is allocated."),
    Verdict.CANNOT_SIMULATE: gettext_lazy("What the scheduler would do cannot be told here."),
}


def verdict(row: FitRow) -> Badge:
    if row.wait is None:
        return VERDICT[row.verdict]
    if not row.claims and row.wait.waiting in _FIRST:
        return _FIRST[row.wait.waiting]
    return _WAITS if row.verdict == Verdict.FITS else VERDICT[row.verdict]


def headline(row: FitRow, writing: Writing = PLAIN) -> str:
    """The answer in one sentence."""
    if not row.claims and row.wait is not None:
        return _without_claims(row.wait)
    match row.verdict:
        case Verdict.FITS:
            return writing.put(_fits_on(row), n=f"{row.fits_on:,}")
        case Verdict.POD_RULES:
            return _left_out(row, writing)
    return str(_SAID[row.verdict])


def _without_claims(wait: WaitRow) -> str:
    match wait.waiting:
        case Waiting.CLAIM:
            return _("A claim that it needs is not there yet.")
        case Waiting.DELETION:
            return _("A claim that it needs is being deleted.")
    return _("Every claim that it needs is allocated.")


def _fits_on(row: FitRow) -> str:
    """With what has to happen first: it does not go anywhere before."""
    n = row.fits_on
    match row.wait.waiting if row.wait is not None else "":
        case Waiting.CONSUMER:
            return ngettext(
                "It would fit on %(n)s node, but no Pod uses it yet.",
                "It would fit on %(n)s nodes, but no Pod uses it yet.",
                n,
            )
        case Waiting.QUOTA:
            return ngettext(
                "It would fit on %(n)s node, but a quota keeps its claim from being made.",
                "It would fit on %(n)s nodes, but a quota keeps its claim from being made.",
                n,
            )
        case Waiting.CLAIM:
            return ngettext(
                "It would fit on %(n)s node, once its claim is made.",
                "It would fit on %(n)s nodes, once its claim is made.",
                n,
            )
        case Waiting.GATES:
            return ngettext(
                "It would fit on %(n)s node, but the Pod has scheduling gates.",
                "It would fit on %(n)s nodes, but the Pod has scheduling gates.",
                n,
            )
        case Waiting.BYPASSED:
            return ngettext(
                "It would fit on %(n)s node, but the scheduler is bypassed.",
                "It would fit on %(n)s nodes, but the scheduler is bypassed.",
                n,
            )
    return ngettext("It fits now on %(n)s node.", "It fits now on %(n)s nodes.", n)


def _left_out(row: FitRow, writing: Writing) -> str:
    """With the rule, where it is the same everywhere."""
    n, rule = row.fits_elsewhere_on, _only_rule(row)
    if rule is None:
        message = ngettext(
            "It would fit on %(n)s node, but the Pod's own rules leave it out.",
            "It would fit on %(n)s nodes, but the Pod's own rules leave them all out.",
            n,
        )
        return writing.put(message, n=f"{n:,}")
    but = obstacle(rule, writing, nodes=n)
    if n == 1:
        return writing.put(_("It would fit on %(node)s, but %(why)s."), node=row.elsewhere[0].node, why=but)
    return writing.put(_("It would fit on %(n)s nodes, but %(why)s."), n=f"{n:,}", why=but)


def _only_rule(row: FitRow) -> ObstacleRow | None:
    """Of many nodes only the first are told one by one; then all that are left out are counted by rule."""
    told = len(row.elsewhere) == row.fits_elsewhere_on
    rules = {one.obstacle for one in row.elsewhere} if told else {one.obstacle for one in row.excluded}
    return next(iter(rules)) if len(rules) == 1 else None


def beside_devices(row: FitRow) -> str:
    """What this answer does not look at."""
    if row.verdict == Verdict.FITS and row.wait is None:
        return _(
            "Only devices and the Pod's node rules are looked at here. If it stays pending, the scheduler's "
            "own message says what else is in its way: processor, memory, volumes, ports, affinity to other "
            "Pods, …"
        )
    return ""


def placed_for(row: FitRow, writing: Writing = PLAIN) -> str:
    """Whose answer it is, on the page of a claim: it goes with whichever of its Pods is scheduled first."""
    if row.kind != "Pod":
        return ""
    pod, n = writing.code(row.name), row.pods_waiting
    if n > 1:
        message = _("Answered for Pod %(pod)s, which comes off best of the %(n)s Pods that wait for it.")
        return writing.put(message, pod=pod, n=f"{n:,}")
    return writing.put(_("Answered for Pod %(pod)s, which waits for it."), pod=pod)


def other_pod(row: WaitingPodRow, writing: Writing = PLAIN) -> str:
    """`train-1: no room`."""
    told = VERDICT[row.verdict] if row.waiting is None or row.verdict != Verdict.FITS else _WAITS
    return writing.put("%(pod)s: %(verdict)s", pod=writing.code(row.name), verdict=str(told.word))


def placed_together(row: FitRow, writing: Writing = PLAIN) -> str:
    """Of a Pod with several claims: it gets all of them or none."""
    if len(row.claims) < 2:
        return ""
    names = writing.join(", ", map(writing.code, row.claims))
    return writing.put(_("Its claims are placed together: %(names)s."), names=names)


def wait(row: WaitRow, writing: Writing = PLAIN) -> str:
    """What has to happen before the scheduler looks for devices."""
    names = writing.join(", ", map(writing.code, row.names))
    match row.waiting:
        case Waiting.CONSUMER:
            return writing.put(
                _("No Pod waits for %(names)s: a claim is allocated when a Pod that uses it is scheduled."),
                names=names,
            )
        case Waiting.CLAIM:
            message = _("Not made yet: %(names)s. The scheduler waits until the claim is there.")
            return writing.put(message, names=names)
        case Waiting.QUOTA:
            message = _("The claim cannot be made, a quota of the namespace is used up: %(detail)s.")
            return writing.put(message, detail=writing.said(row.detail or ""))
        case Waiting.GATES:
            message = _("The scheduler does not look at the Pod before its gates are gone: %(names)s.")
            return writing.put(message, names=names)
        case Waiting.DELETION:
            return writing.put(_("Being deleted: %(names)s. No Pod gets such a claim."), names=names)
        case Waiting.BYPASSED:
            message = _(
                "Placed without the scheduler: %(names)s (spec.nodeName: %(node)s). Nobody else allocates "
                "claims, and without them such a Pod does not start."
            )
            return writing.put(message, names=names, node=writing.code(row.detail or ""))
    return _("Devices are not what it waits for.")


def doubt(row: DoubtRow, writing: Writing = PLAIN) -> str:
    """What makes the answer less certain than it looks."""
    n, detail = row.count or 0, writing.said(row.detail or "")
    match row.caveat:
        case Caveat.NO_ORDER:
            return _("Before Kubernetes 1.36 the scheduler takes any of several devices, not the first.")
        case Caveat.NODES_UNREAD:
            return _("Nodes cannot be read: the Pod's own rules are not applied.")
        case Caveat.NODES_LEFT:
            message = ngettext(
                "%(n)s node was not looked at: %(detail)s.", "%(n)s nodes were not looked at: %(detail)s.", n
            )
            return writing.put(message, n=f"{n:,}", detail=detail)
        case Caveat.DEVICES_UNREAD:
            message = ngettext(
                "%(n)s device cannot be read here, the scheduler may take it: %(detail)s.",
                "%(n)s devices cannot be read here, the scheduler may take them, for example %(detail)s.",
                n,
            )
            return writing.put(message, n=f"{n:,}", detail=detail)
        case Caveat.KIND_UNREAD:
            message = _("Not read from the cluster: %(detail)s. What they say is not part of this answer.")
            return writing.put(message, detail=detail)
        case Caveat.REPLACED:
            message = _(
                "Claim %(detail)s is allocated for another request. This is asked as if it were deleted "
                "first: what it holds counts as free."
            )
            return writing.put(message, detail=detail)
    return writing.put(_("Not understood here: %(detail)s."), detail=detail)


def obstacle(row: ObstacleRow, writing: Writing = PLAIN, *, nodes: int = 1) -> str:
    """A rule of the Pod that leaves out so many nodes."""
    detail = writing.code(row.detail or "")
    match row.rule:
        case PodRule.UNSCHEDULABLE:
            return ngettext("the node is cordoned", "the nodes are cordoned", nodes)
        case PodRule.NODE_NAME:
            return writing.put(_("the Pod names node %(detail)s"), detail=detail)
        case PodRule.TAINT:
            message = ngettext(
                "the node's taint %(detail)s is not tolerated",
                "the nodes' taint %(detail)s is not tolerated",
                nodes,
            )
            return writing.put(message, detail=detail)
        case PodRule.NODE_SELECTOR:
            return writing.put(_("the Pod's nodeSelector wants %(detail)s"), detail=detail)
        case PodRule.AFFINITY:
            return _("the Pod's node affinity wants other nodes")
    return writing.put(_("its claim %(detail)s is bound to other nodes"), detail=detail)


def placement(row: PlacementRow, writing: Writing = PLAIN) -> str:
    """`gpu → hami-gpu-0, A100, 8 GiB memory, 30 % cores`."""
    device = writing.device(row.driver, row.pool, row.device)
    parts = [writing.put("%(request)s → %(device)s", request=row.request, device=device)]
    parts += [part for part in (row.product, _("admin access") if row.admin_access else "") if part]
    for dimension, quantity in sorted((row.consumed or {}).items(), key=lambda item: reading_order(item[0])):
        shown = writing.amount(quantity, unit_of(row.driver, dimension, quantity.notation))
        parts.append(writing.put("%(amount)s %(what)s", amount=shown, what=dimension_label(dimension)))
    if not row.shared:
        parts.append(_("the whole device"))
    return writing.join(", ", parts)


def excluded(row: ExcludedRow, writing: Writing = PLAIN) -> str:
    message = ngettext("%(n)s node: %(why)s", "%(n)s nodes: %(why)s", row.nodes)
    return writing.put(message, n=f"{row.nodes:,}", why=obstacle(row.obstacle, writing, nodes=row.nodes))


def pool(row: UnusablePoolRow) -> str:
    return _("%(pool)s: %(reason)s") % {"pool": f"{row.driver}/{row.name}", "reason": row.reason}


def fits_heading(row: FitRow, most: int) -> str:
    """Over the nodes on which it fits, of which no more than so many are shown."""
    if row.fits_on <= most:
        return _("Nodes on which it fits")
    message = _("Nodes on which it fits: the first %(shown)s of %(n)s, by name")
    return message % {"shown": f"{most:,}", "n": f"{row.fits_on:,}"}


def elsewhere_heading(row: FitRow, most: int) -> str:
    """Over the nodes on which it would fit, of which no more than so many are shown."""
    if row.fits_elsewhere_on <= most:
        return _("It would fit here, if the Pod could go there")
    message = _("It would fit here, if the Pod could go there: the first %(shown)s of %(n)s, by name")
    return message % {"shown": f"{most:,}", "n": f"{row.fits_elsewhere_on:,}"}


def lines(row: FitRow) -> Iterator[str]:
    """The whole answer as text, for a terminal."""
    yield f"{row.kind} {row.namespace}/{row.name}: {headline(row)}"
    of_several = placed_for(row) if row.pods_waiting > 1 else ""
    for told in (of_several, placed_together(row), wait(row.wait) if row.wait is not None else ""):
        if told:
            yield f"  {told}"
    if row.message:
        yield f"  {row.message}" + (f" ({row.device})" if row.device else "")
    yield from (f"  {doubt(one)}" for one in row.doubts)
    yield from _section(fits_heading(row, len(row.fits)), map(_fit, row.fits))
    yield from _section(elsewhere_heading(row, len(row.elsewhere)), map(_fit, row.elsewhere))
    for request in row.requests:
        yield f"  {request_title(request)}"
        yield from (f"    {group.devices:>6,}  {why(group)}" for group in request.groups)
    yield from _section(_("Left out by the Pod's own rules"), map(excluded, row.excluded))
    # Where it fits, nobody misses them.
    yield from _section(_("Pools that cannot be used"), map(pool, () if row.fits else row.pools))


def _section(heading: str, found: Iterable[str]) -> Iterator[str]:
    for position, line in enumerate(found):
        if position == 0:
            yield f"  {heading}:"
        yield f"    {line}"


def _fit(fit: NodeFitRow) -> str:
    placements = "; ".join(map(placement, fit.placements))
    return f"{fit.node}: {placements}" + (f" ({obstacle(fit.obstacle)})" if fit.obstacle else "")
