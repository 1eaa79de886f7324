"""The conversion as a reader meets it, in Chromium: pasted, and by the action of the administration."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect

from inventory.models import ConversionPreview, HamiPod, SavedConversion
from tests.browser.signing_in import PASSWORD, sign_in
from tests.dashboard.pages.manifests import DEPLOYMENT, POD, SERVICE, together, too_long_for_an_address

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def _paste(page: Page, manifest: str, cluster: str = "lab-1") -> None:
    page.goto("/convert/")
    page.get_by_label("Manifests").fill(manifest)
    page.get_by_label("Against").select_option(cluster)
    page.get_by_role("button", name="Preview", exact=True).click()


def test_what_is_pasted_is_told_field_by_field_at_an_address_to_share(page: Page) -> None:
    _paste(page, POD)
    expect(page).to_have_url(re.compile(r"/convert/\?m=[\w-]+&cluster=lab-1$"))
    warnings = page.locator(".warns > li")
    expect(warnings.first).to_contain_text("never fits")
    expect(warnings.first).to_contain_text("NVIDIA A100-SXM4-80GB")
    fields = page.get_by_role("group", name=re.compile("Where each field of"))
    expect(fields.get_by_role("row", name=re.compile("capacity.requests.memory 8589934592"))).to_be_visible()
    expect(page.get_by_role("region", name="Where it would go now")).to_contain_text("no room")
    expect(page.locator("pre.diff ins", has_text="resourceClaimName:")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Manifests", exact=True)).to_have_value(POD)
    assert SavedConversion.objects.count() == 0


def test_one_of_several_objects_is_chosen(page: Page) -> None:
    _paste(page, together(POD, DEPLOYMENT, SERVICE))
    table = page.get_by_role("group", name="Pods, table")
    expect(table.get_by_role("row")).to_have_count(4)
    table.get_by_role("link", name="serve").first.click()
    expect(page.locator("#details")).to_have_text("Deployment default/serve")
    expect(page.get_by_text("resourceClaimTemplateName: serve-web-ascend310p").first).to_be_visible()


def test_a_file_is_uploaded_and_its_conversion_downloaded(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "serve.yaml"
    file.write_text(DEPLOYMENT)
    page.goto("/convert/")
    page.get_by_label("Or a file").set_input_files(file)
    page.get_by_role("button", name="Preview", exact=True).click()
    with page.expect_download() as started:
        page.get_by_role("link", name="All of it for a repository").click()
    assert started.value.suggested_filename == "converted-repository.yaml"
    assert "kind: ResourceClaimTemplate" in Path(started.value.path()).read_text()


def test_what_is_too_long_for_an_address_is_saved_and_shared(page: Page) -> None:
    _paste(page, too_long_for_an_address(), "")
    expect(page).to_have_url(re.compile("/convert/$"))
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(re.compile(r"/convert/saved/[\w-]+/$"))
    expect(page.get_by_text("Saved by")).to_be_visible()
    with page.expect_download() as started:
        page.get_by_role("link", name="All of it as the webhook makes it").click()
    assert "kind: ResourceClaim\n" in Path(started.value.path()).read_text()


def test_a_paste_that_is_too_long_is_told_on_the_page(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, locale="en")
    page = context.new_page()
    sign_in(page)
    page.goto("/convert/")
    page.locator("#manifest").evaluate("node => { node.value = `#${'x'.repeat(998)}\\n`.repeat(5_000); }")
    page.get_by_role("button", name="Preview", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("More than 1024 KiB were sent")
    context.close()


def test_a_fault_is_told_and_the_form_stays(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, locale="en")
    page = context.new_page()
    sign_in(page)
    page.goto("/convert/")
    page.get_by_label("Manifests").fill(POD)
    page.get_by_text("How the webhook is configured").click()
    page.get_by_label("Vendors, divided by commas").fill("acme")
    page.get_by_role("button", name="Preview", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text('unsupported device vendor "acme"')
    expect(page.get_by_label("Manifests", exact=True)).to_have_value(POD)
    expect(page.get_by_label("Vendors, divided by commas")).to_have_value("acme")
    context.close()


@pytest.mark.parametrize("width", [360, 390, 1440])
def test_the_conversion_is_not_wider_than_the_screen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for language in ("en", "zh-hans"):
        page.context.add_cookies([{"name": "django_language", "value": language, "url": page.url}])
        page.goto("/convert/")
        for manifest in (POD, together(POD, DEPLOYMENT, "kind: [\n")):
            page.locator("#manifest").fill(manifest)
            page.locator("select[name=cluster]").select_option("lab-1")
            page.locator("#ask button.primary").click()
            page.locator("pre.diff").first.wait_for()
            assert page.evaluate("document.documentElement.scrollWidth") <= width, language


def test_the_action_of_the_administration_previews_pods(
    browser: Browser, site: str, classic: list[HamiPod]
) -> None:
    User.objects.create_superuser("root", password=PASSWORD)
    found = classic
    context = browser.new_context(base_url=site, locale="en")
    page = context.new_page()
    sign_in(page, "root")
    page.goto("/admin/inventory/hamipod/")
    page.get_by_role("checkbox", name="Select all objects on this page for an action").check()
    page.get_by_label("Action:").select_option("preview_conversion")
    page.get_by_role("button", name="Go", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Conversion of Pods")
    expect(page.get_by_text(re.compile(rf"{len(found)} objects?:"))).to_have_count(2)
    table = page.get_by_role("group", name="Pods, table")
    expect(table.get_by_role("row")).to_have_count(len(found) + 1)
    preview = ConversionPreview.objects.get()
    assert preview.username == "root"
    assert sorted(one[2] for one in preview.pods) == sorted(pod.name for pod in found)
    name = found[0].name
    table.get_by_role("link", name=name, exact=True).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    context.close()


def test_the_conversion_works_without_a_script(browser: Browser, site: str, classic: list[HamiPod]) -> None:
    context = browser.new_context(base_url=site, java_script_enabled=False, locale="en")
    page = context.new_page()
    sign_in(page)
    _paste(page, POD)
    expect(page.get_by_text("Where each field comes from")).to_be_visible()
    page.goto(f"/pods/{classic[0].pk}/")
    page.get_by_role("button", name="Preview ResourceClaim conversion").click()
    page.get_by_role("link", name="Convert them").click()
    expect(page.get_by_role("group", name="Pods, table").get_by_role("row")).to_have_count(2)
    context.close()
