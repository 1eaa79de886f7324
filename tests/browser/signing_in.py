from playwright.sync_api import Page

PASSWORD = "for browsers"


def sign_in(page: Page, user: str = "operator", password: str = PASSWORD) -> None:
    page.goto("/sign-in/")
    page.get_by_label("User name").fill(user)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/")
