"""Pages and answers, whole: from the request to the last byte, without a web server in between."""

from django.test import Client


def signed_in(name: str) -> Client:
    from django.contrib.auth.models import User

    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get(username=name))
    return client


def answer(client: Client, path: str, status: int = 200) -> None:
    response = client.get(path)
    if response.status_code != status:
        raise SystemExit(f"{path}: {response.status_code}")
