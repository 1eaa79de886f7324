import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.hami.webhook.kubernetes_names import label_faults, qualified_faults, subdomain_faults

KEY = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)


@pytest.mark.parametrize("name", ["a", "a-b", "0", "a" * 63])
def test_a_label_is_a_subdomain_and_a_key_too(name: str) -> None:
    assert not [*label_faults(name), *subdomain_faults(name), *qualified_faults(name)]


def test_a_label_has_no_dots_and_63_bytes_at_most() -> None:
    assert list(label_faults("a.b")) == ["must not contain dots"]
    assert list(label_faults("a" * 64)) == ["must be no more than 63 bytes"]


def test_a_subdomain_has_253_bytes_at_most() -> None:
    assert list(subdomain_faults("a" * 254)) == ["must be no more than 253 bytes"]
    assert len(list(subdomain_faults("é" * 200))) == 2


@pytest.mark.parametrize(
    ("name", "faults"),
    [
        ("nvidia.com/gpu", []),
        ("huawei.com/Ascend910B4-1", []),
        ("", ["name part must be non-empty", f"name part {KEY}"]),
        ("/gpu", ["prefix part must be non-empty"]),
        ("a.com/", ["name part must be non-empty", f"name part {KEY}"]),
        ("a.com/-", [f"name part {KEY}"]),
        (f"a.com/{'b' * 64}", ["name part must be no more than 63 bytes"]),
        (
            "a/b/c",
            [
                f"a valid label key {KEY} with an optional DNS subdomain prefix and '/' "
                "(e.g. 'example.com/MyName')"
            ],
        ),
    ],
)
def test_a_key_may_have_a_subdomain_in_front(name: str, faults: list[str]) -> None:
    assert list(qualified_faults(name)) == faults


def test_the_prefix_of_a_key_is_a_subdomain() -> None:
    (fault,) = qualified_faults("A_B/c")
    assert fault.startswith("prefix part a lowercase RFC 1123 subdomain must consist of")


@given(st.text())
def test_any_text_is_a_name_or_none(text: str) -> None:
    for faults in (label_faults, subdomain_faults, qualified_faults):
        assert all(list(faults(text)))
