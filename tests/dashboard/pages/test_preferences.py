import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_theme_is_kept_in_a_cookie(signed_in: Client, theme: str) -> None:
    answer = signed_in.post("/theme/", {"theme": theme, "next": "/pods/"})
    assert answer["Location"] == "/pods/"
    assert f'data-theme="{theme}"' in signed_in.get("/pods/").content.decode()


def test_the_systems_theme_leaves_no_mark(signed_in: Client) -> None:
    signed_in.post("/theme/", {"theme": "system"})
    assert "data-theme" not in signed_in.get("/").content.decode()


def test_a_made_up_theme_is_refused_and_a_made_up_cookie_ignored(signed_in: Client) -> None:
    assert signed_in.post("/theme/", {"theme": "pink"}).status_code == 400
    signed_in.cookies["theme"] = 'x" onload="alert(1)'
    assert "onload" not in signed_in.get("/").content.decode()


def test_no_preference_leads_to_another_site(signed_in: Client) -> None:
    assert signed_in.post("/theme/", {"theme": "dark", "next": "https://example.com/"})["Location"] == "/"
    answer = signed_in.post("/language/", {"language": "zh-hans", "next": "https://example.com/"})
    assert answer["Location"] == "/"


def test_the_language_is_switched_for_the_whole_page(signed_in: Client) -> None:
    signed_in.post("/language/", {"language": "zh-hans", "next": "/"})
    page = signed_in.get("/").content.decode()
    assert '<html lang="zh-Hans">' in page
    for word in ("总览", "设备", "已分配显存", "谁在占用", "退出登录"):
        assert word in page
    assert "Overview" not in page
