"""Kubeconfig files for tests."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from inventory.kube.connection import Source


def source_of(
    path: Path, server: str, user: Mapping[str, Any] | None = None, cluster: Mapping[str, Any] | None = None
) -> Source:
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "lab",
        "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "reader"}}],
        "clusters": [{"name": "lab", "cluster": {"server": server, **(cluster or {})}}],
        "users": [{"name": "reader", "user": dict(user or {})}],
    }
    path.write_text(yaml.safe_dump(content))
    return Source(str(path))
