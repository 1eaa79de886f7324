"""Ages up to a day as ages, then dates; all in UTC."""

from datetime import UTC, datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext


def age(since: datetime, now: datetime) -> str:
    """`1 min 19 s`, `3 h 5 min`; from a day on `2026-11-29`."""
    elapsed = max(timedelta(), now - since)
    if elapsed >= timedelta(days=1):
        return since.astimezone(UTC).strftime("%Y-%m-%d")
    return duration(timedelta(seconds=elapsed // timedelta(seconds=1)))


def duration(elapsed: timedelta) -> str:
    """The two largest units; under a second as milliseconds."""
    seconds = int(elapsed.total_seconds())
    if 0 < elapsed.total_seconds() < 1:
        return _("%(n)d ms") % {"n": elapsed // timedelta(milliseconds=1)}
    if seconds < 60:
        return _("%(n)d s") % {"n": seconds}
    if seconds < 3600:
        return _joined(
            _("%(n)d min") % {"n": seconds // 60}, _("%(n)d s") % {"n": seconds % 60}, seconds % 60
        )
    if seconds < 86_400:
        minutes = seconds % 3600 // 60
        return _joined(_("%(n)d h") % {"n": seconds // 3600}, _("%(n)d min") % {"n": minutes}, minutes)
    days = seconds // 86_400
    return ngettext("%(n)d day", "%(n)d days", days) % {"n": days}


def words() -> dict[str, str]:
    """The same words with a place for each number, for the script that lets ages grow."""
    return {
        "s": _("%(n)d s"),
        "min": _("%(n)d min"),
        "h": _("%(n)d h"),
        "ago": _("%(age)s ago"),
    }


def ago(since: datetime, now: datetime) -> str:
    if now - since >= timedelta(days=1):
        return _("on %(date)s") % {"date": age(since, now)}
    return _("%(age)s ago") % {"age": age(since, now)}


def instant(moment: datetime) -> str:
    """`2026-11-29 15:04:12 UTC`, for titles and the foot."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def clock(moment: datetime, now: datetime) -> str:
    """`15:02` on the same day, the date on another."""
    moment = moment.astimezone(UTC)
    return moment.strftime("%H:%M" if moment.date() == now.astimezone(UTC).date() else "%Y-%m-%d")


def _joined(larger: str, smaller: str, rest: int) -> str:
    return f"{larger} {smaller}" if rest else larger
