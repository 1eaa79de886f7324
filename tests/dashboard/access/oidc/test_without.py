"""A deployment that has no provider."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

ROOT = Path(__file__).parents[4]
LOADED = """
import sys
from django.urls import get_resolver
import dashboard.wsgi
get_resolver().url_patterns
print(sorted(name for name in sys.modules if name.split(".")[0] in ("authlib", "joserfc")))
"""


def test_loads_nothing_of_it(tmp_path: Path) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "SLICEBOARD_STATE": str(tmp_path),
        "SLICEBOARD_SECRET_KEY": "x",
    }
    done = subprocess.run(
        (sys.executable, "-c", LOADED), cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.django_db
def test_has_no_button_and_no_address_for_it(client: Client) -> None:
    assert "openid" not in client.get("/sign-in/").content.decode()
    assert client.get("/sign-in/openid/").status_code == 404
