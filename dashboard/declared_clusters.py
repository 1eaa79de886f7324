"""Clusters that the environment names: `name=kubeconfig[#context]`, or `name=in-cluster`."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from django.core.exceptions import ValidationError

from inventory.models import Cluster

IN_CLUSTER = "in-cluster"


class DeclarationError(ValueError):
    """A declaration cannot be read; the message quotes it."""


class Declaration(NamedTuple):
    name: str
    kubeconfig: str = ""
    context: str = ""
    in_cluster: bool = False


def parse(text: str) -> Declaration:
    """Raises DeclarationError."""
    name, _, source = (part.strip() for part in text.partition("="))
    if not name or not source:
        raise DeclarationError(
            f"{text!r}: write name=/path/of/kubeconfig, name=/path#context or name={IN_CLUSTER}."
        )
    try:
        Cluster._meta.get_field("name").run_validators(name)
    except ValidationError as error:
        raise DeclarationError(
            f"{text!r}: {name!r} is no name for a cluster: {' '.join(error.messages)}."
        ) from None
    if source == IN_CLUSTER:
        return Declaration(name, in_cluster=True)
    path, _, context = source.partition("#")
    return Declaration(name, str(Path(path).expanduser().absolute()) if path else "", context)


def register(declarations: Iterable[Declaration]) -> None:
    """Make a row for each, or bring its row up to date; other clusters, made in the admin, stay."""
    for name, kubeconfig, context, in_cluster in declarations:
        source = {"kubeconfig": kubeconfig, "context": context, "in_cluster": in_cluster}
        Cluster.objects.update_or_create(name=name, defaults=source)


def of_this_machine() -> list[Declaration]:
    """What kubectl would use here, if there is such a thing."""
    if os.environ.get("KUBECONFIG") or (Path.home() / ".kube" / "config").exists():
        return [Declaration("default")]
    return []
