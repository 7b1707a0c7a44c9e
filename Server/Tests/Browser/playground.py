"""Uses the playground as a person does, in headless Chromium: with a server that runs the demo, or without one.

    python3 Server/Tests/Browser/playground.py server|static [FOLDER for screenshots]

It starts .build/debug/tollgate-server, or serves out/playground. Tools/browser-tests.sh builds
these, and installs what this needs.
"""

import functools
import gzip
import http.server

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from playwright.sync_api import expect, sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHOTS = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2] != "-" else None
STATIC = ROOT / "out/playground"
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


def hosted(folder):
    """A static host of a folder, with where it listens."""
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    host = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=host.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{host.server_port}"


def opened(browser, address="/", **options):
    context = browser.new_context(**options)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.errors = []
    page.requests = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("request", lambda request: page.requests.append(request.url))
    page.goto(address if address.startswith("file:") else BASE + address)
    expect(page.locator("#decision .outcome")).to_be_visible(timeout=PATIENCE)
    return page


def shot(page, name):
    if SHOTS:
        SHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SHOTS / f"{name}.png", full_page=True)


def field(page, name):
    return page.locator(f"#{name} textarea")


def condition(page, audience):
    """The field in which the condition of an audience is edited."""
    return page.get_by_label(f"Condition of audience {audience}")


def edit(page, name, change):
    """Writes what `change` makes of a field's text."""
    area = field(page, name)
    page.locator(f"#tab-{name}").click()
    # Not `fill`, which takes minutes for two thousand lines.
    area.evaluate("(area, text) => { area.value = text; area.dispatchEvent(new Event('input')) }", change(area.input_value()))


def shows_everything_at_first(browser):
    page = opened(browser, viewport={"width": 1400, "height": 900})
    expect(page.locator("#decision .question")).to_contain_text("u-mara gets")
    expect(page.locator("#placement")).to_have_value("export_report")
    expect(page.locator("#decision .outcome")).to_have_text("paywall export-trial")
    expect(page.locator("#why .audience")).to_have_count(3)
    expect(page.locator("#why .change")).to_contain_text("params.pages were 21", timeout=PATIENCE)
    expect(page.locator("#text .rendered")).to_contain_text("Mara, your 12 pages")
    expect(page.locator("#product-table")).to_contain_text("$59.99")
    expect(page.locator("#spread")).to_contain_text("see a paywall", timeout=PATIENCE)
    expect(page.locator("#changes")).to_contain_text("No edits yet")
    expect(page.locator("#elsewhere button")).to_have_count(6)
    # A condition is read as it was written, and not as its JSON.
    assert condition(page, 1).input_value().startswith('device.subscriptionStatus != "ACTIVE" &&')
    shot(page, "first")
    assert all(url.startswith((BASE, "data:")) for url in page.requests), page.requests
    assert not page.errors, page.errors


def decides_as_a_version_of_the_sdk(browser):
    page = opened(browser)
    edit(page, "user", lambda text: text.replace('"pages": 12', '"pages": "12"'))
    page.locator("#sdk").fill("4.11.2")
    page.locator("#sdk").press("Tab")
    expect(page.locator("#decision p.versions")).to_contain_text("ios 4.11.2", timeout=PATIENCE)
    expect(page.locator("#decision p.versions")).to_contain_text("numeric")
    page.locator("#sdk").fill("four")
    page.locator("#sdk").press("Tab")
    expect(page.locator("#stale")).to_contain_text("not an SDK version", timeout=PATIENCE)
    shot(page, "versions")


def edits_conditions_in_place(browser):
    page = opened(browser)
    field_of = condition(page, 3)
    field_of.focus()
    page.keyboard.press("Control+End")
    for _ in range(2):
        page.keyboard.press("Backspace")
    page.keyboard.type("90\n  || user.plan == \"pro\"")
    expect(page.locator("#decision .outcome")).to_have_text("no paywall", timeout=PATIENCE)
    # The field was not replaced while somebody typed in it, and the config has what it says.
    expect(field_of).to_be_focused()
    config = json.loads(field(page, "config").input_value())
    rules = next(each["rules"] for each in config["trigger_options"] if each["event_name"] == "export_report")
    assert rules[2]["expression_cel"].endswith('>= 90\n  || user.plan == "pro"'), rules[2]["expression_cel"]
    assert rules[2]["expression_cel"] == field_of.input_value()
    expect(page.locator("#changes h3").first).to_contain_text("export_report", timeout=PATIENCE)
    # Another one, whose place in the config has moved.
    condition(page, 1).fill("true")
    expect(page.locator("#decision .outcome")).to_contain_text("paywall", timeout=PATIENCE)
    config = json.loads(field(page, "config").input_value())
    rules = next(each["rules"] for each in config["trigger_options"] if each["event_name"] == "export_report")
    assert rules[0]["expression_cel"] == "true" and rules[2]["expression_cel"].endswith('"pro"'), rules
    page.locator("#reset").click()
    expect(page.locator("#decision .outcome")).to_have_text("paywall export-trial", timeout=PATIENCE)
    expect(condition(page, 3)).to_have_value('device.subscriptionStatus != "ACTIVE" && device.daysSinceInstall >= 14')
    assert not page.errors, page.errors


def marks_a_mistake_where_it_is(browser):
    page = opened(browser)
    condition(page, 3).fill('device.subscriptionStatus != "ACTIVE" && device.daysSinceInstall >= ; 14')
    problem = page.locator("#problems li.error").first
    expect(problem).to_contain_text("';'", timeout=PATIENCE)
    expect(page.locator("#why .condition mark.error").first).to_have_text(";")
    expect(page.locator("#tab-config .count")).to_be_visible()
    # What the condition cannot say is told in words, and so is what would change it.
    why = page.locator("#why")
    expect(why).to_contain_text("its condition has an error", timeout=PATIENCE)
    expect(why).not_to_contain_text("(none)")
    expect(why).to_contain_text("No change of the user makes this audience match", timeout=PATIENCE)
    shot(page, "mistake")
    problem.locator("button").click()
    chosen = "(area) => area.value.slice(area.selectionStart, area.selectionEnd)"
    assert condition(page, 3).evaluate(chosen) == ";"
    # A mistake outside conditions is shown in the config, below and beside what is seen at first.
    edit(page, "config", lambda text: text.replace('"paywall_identifier": "export-trial"', '"paywall_identifier": "export-trail"', 1))
    expect(page.locator("#problems")).to_contain_text("export-trail", timeout=PATIENCE)
    page.locator("#problems button", has_text="export-trail").first.click()
    assert "export-trail" in field(page, "config").evaluate(chosen)
    expect(page.locator("#config .marks mark").first).to_be_in_viewport()
    assert not page.errors, page.errors


def keeps_the_last_result(browser):
    page = opened(browser)
    edit(page, "user", lambda text: text[:-3])
    expect(page.locator("#user-problems li.error")).to_contain_text("Invalid JSON")
    expect(page.locator("#stale")).to_contain_text("The user is not valid JSON")
    expect(page.locator("#decision .outcome")).to_have_text("paywall export-trial")
    expect(page.locator("#text .rendered")).to_contain_text("Mara, your 12 pages")
    edit(page, "user", lambda text: text + "\n}\n")
    expect(page.locator("#stale")).to_be_hidden(timeout=PATIENCE)
    edit(page, "config", lambda text: text[:500])
    expect(page.locator("#stale")).to_contain_text("The config has an error", timeout=PATIENCE)
    expect(page.locator("#why .audience")).to_have_count(3)
    expect(page.locator("#why")).to_have_class(re.compile("stale"))
    expect(page.locator("#problems li.error").first).to_be_visible()
    assert not page.errors, page.errors


def marks_mistakes_of_texts(browser):
    page = opened(browser)
    edit(page, "template", lambda text: "Hello {{ user.firstName }, welcome")
    expect(page.locator("#template-problems li.error").first).to_be_visible(timeout=PATIENCE)
    expect(page.locator("#template .marks mark.error").first).to_be_attached()
    expect(page.locator("#tab-template .count")).to_be_visible()
    assert not page.errors, page.errors


def starts_from_examples(browser):
    page = opened(browser)
    names = page.locator("#example option")
    expect(names).to_have_count(4)
    for number, outcome in enumerate(["monthly", "", "no paywall"], 1):
        page.locator("#example").select_option(str(number))
        expect(page.locator("#decision .question")).to_contain_text("ada gets", timeout=PATIENCE)
        expect(page.locator("#decision .outcome")).to_contain_text(outcome, timeout=PATIENCE)
        expect(page.locator("#problems li.error")).to_have_count(0)
        expect(page.locator("#text .rendered")).to_contain_text("$", timeout=PATIENCE)
        expect(page.locator("#changes")).to_contain_text("No edits yet")
        shot(page, f"example-{number}")
    page.locator("#example").select_option("0")
    expect(page.locator("#decision .question")).to_contain_text("u-mara gets", timeout=PATIENCE)
    assert not page.errors, page.errors


def typing_is_quick_in_a_long_config(browser):
    page = opened(browser)
    page.locator("#tab-config").click()
    cost = page.evaluate("""() => {
      const area = document.querySelector('#config textarea')
      const config = JSON.parse(area.value)
      while (JSON.stringify(config, null, 2).split('\\n').length < 2000) config.trigger_options.push(...config.trigger_options)
      area.value = JSON.stringify(config, null, 2)
      const at = area.value.indexOf('"expression_cel"')
      area.focus()
      area.setSelectionRange(at, at)
      const times = []
      for (let count = 0; count < 30; count += 1) {
        const start = performance.now()
        document.execCommand('insertText', false, ' ')
        area.getBoundingClientRect()
        times.push(performance.now() - start)
      }
      return times.sort((a, b) => a - b)[15]
    }""")
    print(f"a key in a config of 2,000 lines: {cost:.1f} ms")
    assert page.locator("#config .marks").evaluate("(marks) => marks.textContent.split('\\n').length") < 120


def completes_functions(browser):
    page = opened(browser)
    page.locator("#tab-config").click()
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
    expect(options.first).to_contain_text("Tests whether a string starts with another string.")
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
    # The same where conditions are edited in place.
    inline = condition(page, 1)
    inline.focus()
    page.keyboard.press("Control+Home")
    page.keyboard.type("user.plan.star")
    offered = page.locator("#why .audience").first.locator("[role=option]")
    expect(offered).to_have_count(1)
    expect(offered.first).to_be_visible()
    page.keyboard.press("Enter")
    assert inline.input_value().startswith("user.plan.startsWith()device.")
    assert not page.errors, page.errors


def says_what_an_edit_changes(browser):
    page = opened(browser)
    edit(page, "config", lambda text: text.replace("device.daysSinceInstall >= 14", "device.daysSinceInstall >= 90", 1))
    expect(page.locator("#changes h3").first).to_contain_text("export_report", timeout=PATIENCE)
    expect(page.locator("#decision .outcome")).not_to_contain_text("export-trial", timeout=PATIENCE)
    shot(page, "change")
    page.locator("#changes button[data-user]").first.click()
    expect(page.locator("#panel-user")).to_be_visible()
    expect(page.locator("#decision .question")).not_to_contain_text("u-mara", timeout=PATIENCE)
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
    expect(page.locator("#decision .question")).to_contain_text("<img", timeout=PATIENCE)
    edit(page, "config", lambda text: text.replace("export-long", hostile.replace('"', "'")).replace('"event_name": "session_start"', f'"event_name": {json.dumps(hostile)}'))
    expect(page.locator("#elsewhere")).to_contain_text("<img", timeout=PATIENCE)
    page.wait_for_timeout(1500)
    assert page.evaluate("() => window.stolen") is None
    assert page.locator("main img").count() == 0


def works_by_keyboard(browser):
    page = opened(browser)
    page.locator("#tab-user").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#panel-template")).to_be_visible()
    expect(page.locator("#tab-template")).to_be_focused()
    page.keyboard.press("End")
    expect(page.locator("#panel-compared")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator("#open")).to_be_focused()
    page.keyboard.press("Tab")
    expect(field(page, "compared")).to_be_focused()
    page.locator("#tab-template").click()
    page.locator("#tab-template").press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+End")
    page.keyboard.type(" Only for {{ user.firstName }}!")
    expect(page.locator("#text .rendered")).to_contain_text("Only for Mara!", timeout=PATIENCE)
    page.locator("#placement").focus()
    # A slow browser would take a second letter for another word.
    page.keyboard.type("w")
    expect(page.locator("#placement")).to_have_value("workout_finished")
    expect(page.locator("#placement")).to_be_focused()
    expect(page.locator("#elsewhere [aria-current]")).to_contain_text("workout_finished")


def fits_every_screen(browser):
    for width, height, scheme in [(each, height, scheme) for scheme in ("light", "dark") for each, height in [(1440, 900), (820, 1180), (390, 844)]]:
        page = opened(browser, viewport={"width": width, "height": height}, color_scheme=scheme, is_mobile=width < 500)
        expect(page.locator("#spread")).to_contain_text("see a paywall", timeout=PATIENCE)
        expect(page.locator("#why .change").first).not_to_contain_text("Looking", timeout=PATIENCE)
        seen = page.evaluate("() => document.documentElement.scrollWidth")
        assert seen <= width, (seen, width)
        assert page.evaluate("() => [...document.querySelectorAll('#tabs, .reach')].every((each) => each.scrollWidth <= each.clientWidth)"), width
        # No name is broken, and what a clause read stands beside it, or below it on a phone.
        for row in page.locator(".reach th[scope=row]").all():
            assert row.bounding_box()["height"] < 45, (width, row.inner_text())
        for row in page.locator(".clauses li").all():
            clause, read = [each.bounding_box() for each in row.locator("code").all()]
            assert read["y"] >= clause["y"] + clause["height"] - 2 if width < 500 else read["x"] >= clause["x"] + clause["width"], width
        # The decision is seen without scrolling.
        expect(page.locator("#decision .outcome")).to_be_in_viewport()
        shot(page, f"screen-{width}-{scheme}")
        # Inputs that stay in view while the page scrolls do not cover what comes below.
        page.select_option("#placement", "paywall_decline")
        expect(page.locator("#elsewhere [aria-current]")).to_contain_text("paywall_decline")
        edges = page.evaluate("""() => [0, 300, 600, 900, 1200].map((top) => {
          scrollTo(0, top)
          return ['.inputs', '.more'].map((name) => document.querySelector(name).getBoundingClientRect())
        }).map(([inputs, more]) => [inputs.bottom, more.top])""")
        assert all(bottom <= top for bottom, top in edges), (width, edges)
        assert not page.errors, page.errors


def is_accessible(browser):
    """With axe-core where it is installed: WCAG 2.2, AA."""
    try:
        import axe_core_python
    except ImportError:
        print("left out: axe-core-python is not installed")
        return
    script = (pathlib.Path(axe_core_python.__file__).parent / "axe.min.js").read_text()
    for width, scheme in [(1440, "light"), (1440, "dark"), (390, "light"), (390, "dark")]:
        page = opened(browser, viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
        expect(page.locator("#spread")).to_contain_text("see a paywall", timeout=PATIENCE)
        page.evaluate(script)
        for tab in ["user", "template", "products", "users", "config", "compared"]:
            page.locator(f"#tab-{tab}").click()
            found = page.evaluate("() => axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] })")
            problems = [(each["id"], [node["html"][:90] for node in each["nodes"]][:3]) for each in found["violations"]]
            assert not problems, (width, scheme, tab, problems)


def asks_for_a_key(browser):
    """A server with fixtures decides for nobody else."""
    page = browser.new_context().new_page()
    page.route("**/playground/start.json", lambda route: route.fulfill(
        status=401, content_type="application/json", body='{"error":{"code":"unauthorized","message":"give a key"}}')
        if route.request.headers.get("authorization") != "Bearer pk_x" else route.continue_(headers={**route.request.headers, "authorization": "Bearer pk_demo"}))
    page.goto(BASE + "/")
    expect(page.locator("#locked")).to_be_visible(timeout=PATIENCE)
    expect(page.locator("#main")).to_be_hidden()
    expect(page.locator("#key")).to_be_focused()
    page.keyboard.type("pk_wrong\n")
    expect(page.locator("#key-status")).to_contain_text("give a key", timeout=PATIENCE)
    shot(page, "locked")


def checkout():
    """Begins a checkout as an app does."""
    body = {"currencyCode": "USD", "productIdentifier": "test:price_year:7", "store": "stripe",
            "allowedCheckoutDirectives": ["drawer"], "context": {"identity": {"appUserId": "u", "deviceId": "d"}}}
    urllib.request.urlopen(urllib.request.Request(
        BASE + "/subscriptions-api/public/v1/checkout/session", json.dumps(body).encode(),
        {"Authorization": "Bearer pk_demo", "Content-Type": "application/json"})).read()


def has_a_console_for_the_sandbox(browser):
    checkout()
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
    row = page.locator("#sandbox tr", has_text="test:price_year:7").first
    expect(row).to_contain_text("created")
    row.get_by_role("button", name="Complete").click()
    expect(page.locator("#sandbox tr", has_text="completed")).to_have_count(1, timeout=PATIENCE)
    expect(page.locator("#sandbox tr", has_text="redemption_")).to_contain_text("valid")
    shot(page, "sandbox")
    assert not page.errors, page.errors


def users_file(folder, name, users=2_000):
    """A file with the demo's users over and over, each with an ID of its own."""
    lines = (ROOT / "corpus/demo/users.ndjson").read_text().split("\n")
    records = []
    for number in range(users):
        try:
            record = dict(json.loads(lines[number % 3_000]))
        except ValueError:
            record = {}
        records.append({**record, "userId": f"u-{number}"})
    path = pathlib.Path(folder) / name
    if ".csv" in name:
        keys = sorted({key for record in records for key in record.get("user", {})})
        rows = [",".join(["userId", *(f"user.{key}" for key in keys), "device.subscriptionStatus"])]
        for record in records:
            cells = [record["userId"], *(record.get("user", {}).get(key) for key in keys), record.get("device", {}).get("subscriptionStatus")]
            texts = ["" if cell is None else cell if isinstance(cell, str) else json.dumps(cell) for cell in cells]
            rows.append(",".join('"' + text.replace('"', '""') + '"' if re.search('[,"]', text) else text for text in texts))
        text = "\r\n".join([*rows, "u-bad,too,short", ""])
    else:
        text = "\n".join([*(json.dumps(record) for record in records), "{}", ""])
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def counted(path, seed="demo"):
    """The same counts by the command."""
    answer = subprocess.run(
        [ROOT / ".build/debug/tollgate", "match", ROOT / "corpus/demo/config.json", "--users", path, "--json",
         "--now", "2026-03-01T12:00:00Z", "--seed", seed], capture_output=True, text=True)
    return json.loads(answer.stdout)


def counts_files_of_users(browser):
    with tempfile.TemporaryDirectory() as folder:
        for name in ["users.ndjson", "users.csv", "users.ndjson.gz"]:
            path = users_file(folder, name)
            page = opened(browser)
            page.locator("#tab-users").click()
            with page.expect_file_chooser() as chooser:
                page.locator("#open").click()
            chooser.value.set_files(path)
            expect(page.locator("#spread")).to_contain_text(f"2,000 users in {name}", timeout=60_000)
            expect(page.locator("#spread")).to_contain_text("1 rejected")
            wanted = counted(path)["placements"]["export_report"]
            for index, audience in enumerate(wanted["audiences"]):
                row = page.locator("#spread .reach tbody tr").nth(index)
                for place, key in enumerate(["reached", "matched", "taken"]):
                    expect(row.locator("td").nth(place)).to_contain_text(f"{audience[key]:,} ")
            shot(page, name)
            # With an edit it is counted again.
            condition(page, 1).fill("true")
            expect(page.locator("#spread .reach tbody tr").first.locator("td").nth(2)).to_contain_text("2,000 ", timeout=60_000)
            page.locator("#users-file button").click()
            expect(page.locator("#spread")).to_contain_text("500 users", timeout=PATIENCE)
            assert not page.errors, page.errors
        page = opened(browser)
        page.locator("#tab-users").click()
        bad = pathlib.Path(folder) / "bad.csv"
        bad.write_text("id,plan\n1,free\n")
        page.locator("#file").set_input_files(bad)
        expect(page.locator("#spread")).to_contain_text("no column userId", timeout=PATIENCE)


def compares_with_another_config(browser):
    page = opened(browser)
    edit(page, "compared", lambda text: text.replace("device.daysSinceInstall >= 14", "device.daysSinceInstall >= 90", 1))
    expect(page.locator("#changes h3").first).to_contain_text("export_report", timeout=PATIENCE)
    expect(page.locator("#changes pre.record").first).to_be_visible()
    page.locator("#share").click()
    page.wait_for_url(re.compile("#.+"))
    other = opened(browser, page.url.removeprefix(BASE))
    expect(other.locator("#changes h3").first).to_contain_text("export_report", timeout=PATIENCE)
    edit(page, "compared", lambda text: text[:300])
    expect(page.locator("#compared-problems li.error").first).to_be_visible(timeout=PATIENCE)
    assert not page.errors and not other.errors, (page.errors, other.errors)


def drops_files(browser):
    page = opened(browser)
    page.locator("#tab-user").click()
    page.evaluate("""() => {
      const data = new DataTransfer()
      data.items.add(new File(['{"userId":"u-dropped","params":{"pages":40,"format":"pdf"}}'], 'user.json'))
      document.querySelector('.inputs').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
    }""")
    expect(page.locator("#decision .question")).to_contain_text("u-dropped gets", timeout=PATIENCE)


def sends_nothing(browser):
    page = opened(browser)
    edit(page, "user", lambda text: text.replace("u-mara", "u-secret"))
    expect(page.locator("#decision .question")).to_contain_text("u-secret", timeout=PATIENCE)
    names = sorted(url.rsplit("/", 1)[1].split("?")[0] for url in page.requests if url.startswith("http"))
    assert len(names) == len(set(names)) or names.count("tollgate.wasm") == 1, names
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert "'unsafe-eval'" not in policy and "'wasm-unsafe-eval'" in policy, policy


def opens_from_a_disk(browser):
    address = (STATIC / "tollgate-playground.html").as_uri()
    page = opened(browser, address, viewport={"width": 390, "height": 844}, color_scheme="dark")
    expect(page.locator("#decision .outcome")).to_have_text("paywall export-trial")
    expect(page.locator("#why .change")).to_contain_text("params.pages were 21", timeout=PATIENCE)
    expect(page.locator("#spread")).to_contain_text("see a paywall", timeout=PATIENCE)
    condition(page, 3).fill("false")
    expect(page.locator("#changes h3").first).to_contain_text("export_report", timeout=PATIENCE)
    shot(page, "disk")
    with tempfile.TemporaryDirectory() as folder:
        page.locator("#tab-users").click()
        page.locator("#file").set_input_files(users_file(folder, "users.csv"))
        expect(page.locator("#spread")).to_contain_text("2,000 users in users.csv", timeout=60_000)
    assert not page.errors, page.errors


def counts_quickly(browser):
    with tempfile.TemporaryDirectory() as folder:
        for name in ["users.ndjson", "users.csv"]:
            path = users_file(folder, name, 100_000)
            page = opened(browser)
            page.locator("#tab-users").click()
            began = time.monotonic()
            page.locator("#file").set_input_files(path)
            expect(page.locator("#counting progress")).to_be_visible()
            expect(page.locator("#spread")).to_contain_text("100,000 users", timeout=120_000)
            print(f"100,000 users of {name}: {time.monotonic() - began:.1f} s; {page.locator('#spread p').first.inner_text()}")


def runs_the_corpus(browser):
    """The cases that Node.js runs, in this browser."""
    page = browser.new_context().new_page()
    page.goto(hosted(ROOT) + "/JavaScript/")
    found = page.evaluate("""async (step) => {
      const { runSuites } = await import('/JavaScript/test/suites.mjs')
      const [tollgate, superscript] = await Promise.all([import('/out/wasm/tollgate.js'), import('/out/wasm/superscript.js')])
      const read = async (name) => {
        const { body } = await fetch('/corpus/' + name)
        return new Response(name.endsWith('.gz') ? body.pipeThrough(new DecompressionStream('gzip')) : body).text()
      }
      return runSuites({ tollgate, superscript, read }, step)
    }""", 1 if os.environ.get("CORPUS") == "all" else 32)
    counts = json.loads((ROOT / "JavaScript/test/counts.json").read_text())
    for name, suite in found.items():
        assert not suite["failed"], (name, suite["failed"][:3])
        assert suite["passed"] == counts[name] or name.startswith("superscript"), (name, suite["passed"])
    print("corpus:", ", ".join(f"{name} {suite['passed']}" for name, suite in found.items()))


# With either engine.
USES = [
    shows_everything_at_first, decides_as_a_version_of_the_sdk, edits_conditions_in_place, marks_a_mistake_where_it_is,
    keeps_the_last_result, marks_mistakes_of_texts, starts_from_examples, completes_functions,
    says_what_an_edit_changes, compares_with_another_config, counts_files_of_users, drops_files,
    shares_a_link_with_everything_in_it, nothing_written_is_markup, works_by_keyboard, fits_every_screen, is_accessible,
    typing_is_quick_in_a_long_config,
]


def main():
    global BASE, SECRET
    if sys.argv[1] == "static":
        BASE = hosted(STATIC)
        return use_all([*USES, sends_nothing, opens_from_a_disk, counts_quickly, runs_the_corpus])
    server, BASE, SECRET = started()
    try:
        use_all([*USES, asks_for_a_key, has_a_console_for_the_sandbox])
    finally:
        server.terminate()
        server.wait(30)


def use_all(uses):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for use in uses:
            if len(sys.argv) > 3 and use.__name__ not in sys.argv[3:]:
                continue
            use(browser)
            print("passed:", use.__name__.replace("_", " "), flush=True)
        browser.close()


main()
