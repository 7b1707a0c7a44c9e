"""Uses the playground as a person does, in headless Chromium, against a server that runs the demo.

    python3 Server/Tests/Browser/playground.py [FOLDER for screenshots]

It starts .build/debug/tollgate-server itself; Tools/browser-tests.sh builds that, and installs what
this needs.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.request

from playwright.sync_api import expect, sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHOTS = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
PATIENCE = 60_000
BASE = ""
SECRET = ""


def started():
    """The server as `make serve` starts it, with where it listens and the secret key."""
    demo = ROOT / "corpus/demo"
    server = subprocess.Popen(
        [ROOT / ".build/debug/tollgate-server", "--config", demo / "config.json",
         "--users", demo / "users.ndjson", "--products", demo / "products.json", "--seed", "demo",
         "--sample-user", demo / "user.json", "--sample-text", demo / "export-trial.liquid",
         "--sample-placement", "export_report", "--sample-now", "2026-03-01T12:00:00Z", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    secret = server.stderr.readline().split(": ")[1].strip()
    return server, json.loads(server.stdout.readline())["url"], secret


def opened(browser, address="/", **options):
    context = browser.new_context(**options)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.errors = []
    page.requests = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("request", lambda request: page.requests.append(request.url))
    page.goto(BASE + address)
    expect(page.locator("#decision .outcome")).to_contain_text("export_report", timeout=PATIENCE)
    return page


def shot(page, name):
    if SHOTS:
        SHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SHOTS / f"{name}.png", full_page=True)


def field(page, name):
    return page.locator(f"#{name} textarea")


def edit(page, name, change):
    """Writes what `change` makes of a field's text."""
    area = field(page, name)
    page.locator(f"#tab-{name}").click()
    # Not `fill`, which takes minutes for two thousand lines.
    area.evaluate("(area, text) => { area.value = text; area.dispatchEvent(new Event('input')) }", change(area.input_value()))


def shows_everything_at_first(browser):
    page = opened(browser, viewport={"width": 1400, "height": 900})
    expect(page.locator("#decision .outcome")).to_contain_text("u-mara gets paywall export-trial")
    expect(page.locator("#why details")).to_have_count(3)
    expect(page.locator("#why .change")).to_contain_text("params.pages were 21", timeout=PATIENCE)
    expect(page.locator("#text .rendered")).to_contain_text("Mara, your 12 pages")
    expect(page.locator("#product-table")).to_contain_text("$59.99")
    expect(page.locator("#spread")).to_contain_text("see one", timeout=PATIENCE)
    expect(page.locator("#changes")).to_contain_text("Nothing yet")
    shot(page, "first")
    assert all(url.startswith((BASE, "data:")) for url in page.requests), page.requests
    assert not page.errors, page.errors


def marks_a_mistake_where_it_is(browser):
    page = opened(browser)
    edit(page, "config", lambda text: text.replace("device.daysSinceInstall >= 14", "device.daysSinceInstall >= ; 14", 1))
    problem = page.locator("#problems li.error").first
    expect(problem).to_contain_text("';'", timeout=PATIENCE)
    expect(page.locator("#config .marks mark.error").first).to_be_attached()
    expect(page.locator("#tab-config .count")).to_be_visible()
    # What the condition cannot say is told in words, and so is what would change it.
    why = page.locator("#why")
    expect(why).to_contain_text("its condition goes wrong", timeout=PATIENCE)
    expect(why).not_to_contain_text("(none)")
    expect(why).to_contain_text("No change of the user makes it take them", timeout=PATIENCE)
    shot(page, "mistake")
    problem.locator("button").click()
    selected = page.evaluate("() => { const a = document.querySelector('#config textarea'); return a.value.slice(a.selectionStart, a.selectionEnd) }")
    assert selected == ";", selected
    edit(page, "user", lambda text: text[:-3])
    expect(page.locator("#user-problems li.error")).to_contain_text("not JSON")
    edit(page, "config", lambda text: text)
    assert not page.errors, page.errors


def completes_functions(browser):
    page = opened(browser)
    area = field(page, "config")
    expect(page.locator("#config .completions")).to_be_attached()
    mark = "device.daysSinceInstall >= 14"

    def place(offset):
        """Puts the cursor this far behind the beginning of a condition."""
        area.evaluate("(area, [mark, offset]) => { const at = area.value.indexOf(mark) + offset;"
                      " area.focus(); area.setSelectionRange(at, at) }", [mark, offset])

    place(0)
    page.keyboard.type("user.plan.star")
    options = page.locator("#config [role=option]")
    expect(options).to_have_count(1)
    expect(options.first).to_be_visible()
    expect(options.first).to_contain_text("string.startsWith(string) -> bool")
    expect(options.first).to_contain_text("Tests whether a string starts with another one.")
    shot(page, "completion")
    page.keyboard.press("Tab")
    expect(options.first).to_be_hidden()
    page.keyboard.type("'p'")
    assert "user.plan.startsWith('p')" + mark in area.input_value()
    for _ in range(30):
        page.keyboard.press("Control+z")
    assert "user.plan.s" not in area.input_value()
    # Only what the SDKs know, and nothing inside strings.
    place(0)
    page.keyboard.type("char")
    expect(options.first).to_be_hidden()
    page.keyboard.type(" 'siz")
    expect(options.first).to_be_hidden()
    page.keyboard.type("' + days")
    expect(options).to_have_count(1)
    expect(options.first).to_contain_text("device.daysSince(string) -> int|null")
    page.keyboard.press("Escape")
    expect(options.first).to_be_hidden()
    page.keyboard.type("S")
    options.first.click()
    assert "' + device.daysSince()" + mark in area.input_value()
    page.keyboard.type(" + in")
    expect(options).to_have_count(2)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert "' + device.daysSince( + intToString())" + mark in area.input_value()
    assert not page.errors, page.errors


def says_what_an_edit_changes(browser):
    page = opened(browser)
    edit(page, "config", lambda text: text.replace("device.daysSinceInstall >= 14", "device.daysSinceInstall >= 90", 1))
    expect(page.locator("#changes h3").first).to_contain_text("export_report", timeout=PATIENCE)
    expect(page.locator("#decision .outcome")).not_to_contain_text("paywall export-trial", timeout=PATIENCE)
    shot(page, "change")
    page.locator("#changes button[data-user]").first.click()
    expect(page.locator("#panel-user")).to_be_visible()
    expect(page.locator("#decision .outcome")).to_contain_text("somebody", timeout=PATIENCE)
    assert not page.errors, page.errors


def shares_a_link_with_everything_in_it(browser):
    page = opened(browser)
    edit(page, "user", lambda text: text.replace('"firstName": "Mara"', '"firstName": "Zoë <b>&"'))
    page.locator("#locale").fill("de_DE")
    expect(page.locator("#product-table")).to_contain_text("59,99\N{NO-BREAK SPACE}$", timeout=PATIENCE)
    expect(page.locator("#text .rendered")).to_contain_text("Zoë <b>&", timeout=PATIENCE)
    page.locator("#share").click()
    page.wait_for_url(re.compile("#.+"))
    other = opened(browser, "/" + page.url.removeprefix(BASE).lstrip("/"))
    assert json.loads(field(other, "user").input_value())["user"]["firstName"] == "Zoë <b>&"
    expect(other.locator("#text .rendered")).to_contain_text("Zoë <b>&", timeout=PATIENCE)
    assert other.locator("#text .rendered b").count() == 0
    damaged = opened(browser, "/#AAAA")
    expect(damaged.locator("#status")).to_contain_text("damaged")
    assert not page.errors and not other.errors and not damaged.errors, (page.errors, other.errors, damaged.errors)


def nothing_written_is_markup(browser):
    page = opened(browser)
    hostile = '<img src=x onerror="window.stolen=1">'
    edit(page, "user", lambda text: text.replace("u-mara", hostile.replace('"', '\\"')).replace('"Mara"', json.dumps(hostile)))
    expect(page.locator("#decision .outcome")).to_contain_text("<img", timeout=PATIENCE)
    edit(page, "config", lambda text: text.replace("export-long", hostile.replace('"', "'")).replace('"event_name": "session_start"', f'"event_name": {json.dumps(hostile)}'))
    expect(page.locator("#decision table")).to_contain_text("<img", timeout=PATIENCE)
    page.wait_for_timeout(1500)
    assert page.evaluate("() => window.stolen") is None
    assert page.locator("#results img").count() == 0


def works_by_keyboard(browser):
    page = opened(browser)
    page.locator("#tab-config").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#panel-user")).to_be_visible()
    expect(page.locator("#tab-user")).to_be_focused()
    page.keyboard.press("End")
    expect(page.locator("#panel-users")).to_be_visible()
    page.keyboard.press("Tab")
    expect(field(page, "users")).to_be_focused()
    page.locator("#tab-template").click()
    page.locator("#tab-template").press("Tab")
    page.keyboard.press("Control+End")
    page.keyboard.type(" Only for {{ user.firstName }}!")
    expect(page.locator("#text .rendered")).to_contain_text("Only for Mara!", timeout=PATIENCE)
    page.locator("#placement").focus()
    page.keyboard.type("workout")
    expect(page.locator("#decision .outcome")).to_contain_text("workout_finished")


def fits_a_phone_in_the_dark(browser):
    page = opened(browser, viewport={"width": 390, "height": 844}, color_scheme="dark", is_mobile=True)
    width = page.evaluate("() => document.documentElement.scrollWidth")
    assert width <= 390, width
    assert page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor") == "rgb(20, 22, 26)"
    expect(page.locator("#spread")).to_contain_text("see one", timeout=PATIENCE)
    shot(page, "phone")


def has_a_console_for_the_sandbox(browser):
    event = {"events": [{"event_id": "e1", "event_name": "<b>opened", "parameters": {}, "created_at": "2026-03-01T12:00:00Z"}]}
    urllib.request.urlopen(urllib.request.Request(
        BASE + "/api/v1/events", json.dumps(event).encode(),
        {"Authorization": "Bearer pk_demo", "Content-Type": "application/json"})).read()
    page = opened(browser)
    page.locator("#sandbox input").fill("sk_wrong")
    page.locator("#sandbox form button").click()
    expect(page.locator("#sandbox output")).to_contain_text("key")
    page.locator("#sandbox input").fill(SECRET)
    page.locator("#sandbox input").press("Enter")
    expect(page.locator("#sandbox")).to_contain_text("<b>opened", timeout=PATIENCE)
    expect(page.locator("#sandbox h3")).to_have_count(4)
    shot(page, "sandbox")
    assert not page.errors, page.errors


def main():
    global BASE, SECRET
    server, BASE, SECRET = started()
    try:
        use_all()
    finally:
        server.terminate()
        server.wait(30)


def use_all():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for use in (shows_everything_at_first, marks_a_mistake_where_it_is, completes_functions, says_what_an_edit_changes,
                    shares_a_link_with_everything_in_it, nothing_written_is_markup, works_by_keyboard,
                    fits_a_phone_in_the_dark, has_a_console_for_the_sandbox):
            use(browser)
            print("passed:", use.__name__.replace("_", " "), flush=True)
        browser.close()


main()
