from playwright.sync_api import Page

PASSWORD = "for browsers"


def sign_in(page: Page, user: str = "operator", password: str = PASSWORD) -> None:
    """In whichever language the page is."""
    page.goto("/sign-in/")
    page.locator("#id_username").fill(user)
    page.locator("#id_password").fill(password)
    page.locator("form.sign-in button").click()
    page.wait_for_url("**/")
