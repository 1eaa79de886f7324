"""A kubeconfig file for a demo server."""

import base64
import json
import os
from pathlib import Path
from typing import Any


def write(path: Path, url: str, *, name: str, token: str | None, ca_file: Path | None) -> Path:
    """JSON is YAML too. Only the owner may read the file, since it may hold a token.

    It appears whole: whoever waits for it never reads half of it.
    """
    cluster: dict[str, Any] = {"server": url}
    if ca_file:
        cluster["certificate-authority-data"] = base64.b64encode(ca_file.read_bytes()).decode()
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": {"token": token} if token else {}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
    }
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(config, file, indent=2)
    return unfinished.replace(path)
