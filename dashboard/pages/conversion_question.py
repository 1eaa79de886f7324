"""What is asked of the conversion: manifests and what to convert them as, from a form or an address."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from dashboard.pages.packing import PackingError, packed, unpacked
from dashboard.pages.refusal import Refused
from inventory.hami.previews import Settings
from inventory.kube.manifests import LONGEST_BYTES
from inventory.kube.untrusted import printable
from inventory.models import Cluster
from inventory.queries.conversion.settings import DEFAULT_PROFILE, LONGEST_CONFIG, SettingsError, settings

_DEFAULT_NAMESPACE = "default"
_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
# Web servers take a request line of 4,094 bytes, if they are not told otherwise.
LONGEST_ADDRESS = 3_800
_LONGEST_FAULT = 400


class Question(NamedTuple):
    """`vendors` are divided by commas, and `config` is YAML. Without a cluster the name is empty."""

    manifest: str = ""
    profile: str = DEFAULT_PROFILE.value
    cluster: str = ""
    namespace: str = _DEFAULT_NAMESPACE
    vendors: str = ""
    config: str = ""

    @property
    def has_configuration(self) -> bool:
        return bool(self.vendors or self.config)


class Resolved(NamedTuple):
    settings: Settings
    cluster: Cluster | None


def from_address(query: QueryDict) -> Question:
    """Raises Refused."""
    return _with_texts(
        query, _unpacked(query, "m", LONGEST_BYTES), _unpacked(query, "config", LONGEST_CONFIG)
    )


def from_form(request: HttpRequest) -> Question:
    """A file takes the place of what is written. Browsers send line ends of their own."""
    file = request.FILES.get("file")
    if file is not None and file.size:
        manifest = file.read(LONGEST_BYTES + 1).decode("utf-8-sig", errors="replace")
    else:
        manifest = request.POST.get("manifest", "")
    return _with_texts(request.POST, _unified(manifest), _unified(request.POST.get("config", "")))


def address(question: Question) -> str | None:
    """That shows the same again, and keeps nothing; None where it would be too long for web servers."""
    texts = {"m": question.manifest, "config": question.config}
    asked = {name: packed(text) for name, text in texts.items() if text}
    asked |= {
        name: value
        for name, value in (
            ("profile", question.profile),
            ("cluster", question.cluster),
            ("namespace", question.namespace),
            ("vendors", question.vendors),
        )
        if value != Question._field_defaults[name]
    }
    found = f"{reverse('convert')}?{urlencode(asked)}"
    return found if len(found) <= LONGEST_ADDRESS else None


def resolved(question: Question) -> Resolved:
    """Raises Refused with everything that is wrong with it."""
    faults = list(_faults(question))
    cluster = Cluster.objects.filter(name=question.cluster).first() if not faults else None
    if not faults and question.cluster and cluster is None:
        faults.append(("cluster", _("There is no cluster “%(name)s”.") % {"name": question.cluster}))
    try:
        chosen = settings(
            question.profile, question.vendors.split(",") if question.vendors else [], question.config
        )
    except SettingsError as error:
        raise Refused([*faults, (error.field, printable(str(error), _LONGEST_FAULT))]) from error
    if faults:
        raise Refused(faults)
    return Resolved(chosen, cluster)


def _faults(question: Question) -> Iterator[tuple[str, str]]:
    if not _NAMESPACE.fullmatch(question.namespace):
        yield (
            "namespace",
            _("A namespace has small letters, digits and dashes inside, 63 of them at most."),
        )
    if "\x00" in question.cluster:
        yield "cluster", _("A name has no null character.")
    if len(question.manifest.encode(errors="replace")) > LONGEST_BYTES:
        yield "manifest", _("It is longer than %(n)d KiB.") % {"n": LONGEST_BYTES // 1024}
    if "\x00" in question.manifest:
        yield "manifest", _("A manifest has no null character.")


def _vendors(text: str) -> str:
    return ",".join(name for part in text.split(",") if (name := part.strip()))


def _with_texts(query: QueryDict, manifest: str, config: str) -> Question:
    default = Question()
    return Question(
        manifest,
        query.get("profile") or default.profile,
        query.get("cluster", ""),
        query.get("namespace", "").strip() or default.namespace,
        _vendors(query.get("vendors", "")),
        config,
    )


def _unpacked(query: QueryDict, name: str, longest: int) -> str:
    try:
        return unpacked(query.get(name, ""), longest) if name in query else ""
    except PackingError as error:
        raise Refused([(name, str(error))]) from error


def _unified(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
