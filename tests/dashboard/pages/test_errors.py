import pytest
from django.template.loader import get_template
from django.test import Client


@pytest.mark.django_db
def test_an_unknown_address_is_told_plainly(signed_in: Client) -> None:
    answer = signed_in.get("/nowhere/")
    assert answer.status_code == 404
    assert "The address may be mistyped, or what it showed has gone since." in answer.content.decode()


def test_the_page_of_a_fault_needs_neither_database_nor_request() -> None:
    text = get_template("500.html").render()
    assert "Something went wrong here" in text


@pytest.mark.django_db
def test_a_form_without_its_token_is_told_what_to_do(django_user_model: type) -> None:
    client = Client(enforce_csrf_checks=True)
    answer = client.post("/sign-in/", {"username": "operator"})
    assert answer.status_code == 403
    assert "This form has expired" in answer.content.decode()


@pytest.mark.django_db
def test_what_is_not_allowed_is_told_plainly() -> None:
    assert "You may not see this" in get_template("403.html").render()
