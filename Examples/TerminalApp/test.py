#!/usr/bin/env python3
"""Holds the terminal app to its README, and tries what people do to programs.

usage: test.py APP
"""
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
APP = sys.argv[1]
failures = []


def run(arguments, text=None):
    return subprocess.run([APP, *arguments], input=text or "", capture_output=True, text=True, timeout=120)


def expect(holds, what, result):
    if not holds:
        failures.append(f"{what}\n  exit status {result.returncode}\n{result.stdout}{result.stderr}")


def examples():
    for match in re.finditer(r"<!-- output of: TerminalApp ([^\n]*) -->\n```\n(.*?)```", (HERE / "README.md").read_text(), re.S):
        yield match.group(1), match.group(2)


def check_readme(folder):
    server = subprocess.Popen([sys.executable, HERE / "server.py", "0"], stdout=subprocess.PIPE, text=True)
    url = server.stdout.readline().strip()
    count = 0
    for command, expected in examples():
        if command.endswith(" (the server has ended)"):
            server.kill()
            server.wait()
            command = command.removesuffix(" (the server has ended)")
        words = [word.replace("URL", url).replace("FOLDER", folder) for word in shlex.split(command)]
        result = run(words)
        expect(result.returncode == 0 and result.stdout == expected.replace("URL", url), f"README: {command}", result)
        count += 1
    server.kill()
    server.wait()
    if count != 4:
        failures.append(f"README has {count} examples, not 4")


def check_use(folder):
    missing = os.path.join(folder, "none.json")
    text = os.path.join(folder, "text.json")
    Path(text).write_text("no JSON")
    for arguments, status, message in [
        (["--frob"], 64, "there is no option '--frob'"), (["--script"], 64, "--script needs a value"),
        (["--live", "nowhere", "--key", "k"], 64, "'nowhere' is not an address"), (["--key", "k"], 64, "--key needs --live"),
        (["--live", "http://127.0.0.1:1"], 64, "--live needs the app's public key"), (["--locale", "xx"], 64, "no prices for 'xx'"),
        (["--config", missing], 1, f"{missing} cannot be read"), (["--config", text], 1, "not a JSON object"),
        (["--live", "http://127.0.0.1:1", "--key", "k"], 1, "the network failed"),
        (["--folder", "/proc/none"], 1, ""),
    ]:
        result = run(arguments)
        expect(result.returncode == status and message in result.stderr, " ".join(arguments), result)
    commands = "\n  \nfrob\nregister\nbuy 1\nclose\nregister export_pdf pages\nevents maybe\nregister campaign_trigger\nregister x\nbuy 7\nbuy x"
    result = run([], commands)
    for message in ["that is no command", "no paywall is open", "'pages' is not a parameter", "a paywall is open", "sells 1 to 2"]:
        expect(result.returncode == 0 and message in result.stdout, f"typed: {message}", result)
    result = run(["--script", "events on; register summer_sale; restore; redeem X; quit; status"])
    for message in ["· triggerFire", "skipped: Holdout", "only a server knows codes"]:
        expect(result.returncode == 0 and message in result.stdout, f"script: {message}", result)
    expect("> status" not in result.stdout, "quit ends a script", result)


def check_interrupt():
    process = subprocess.Popen([APP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    process.stdin.write("register campaign_trigger\n")
    process.stdin.flush()
    while "the paywall 'welcome'" not in process.stdout.readline():
        pass
    process.send_signal(signal.SIGINT)
    # Its input stays open, as that of a terminal does.
    process.wait(timeout=60)
    output = process.stdout.read()
    if process.returncode != 130 or "error" in output:
        failures.append(f"Ctrl-C: exit status {process.returncode}\n{output}")


with tempfile.TemporaryDirectory() as folder:
    check_readme(folder)
    check_use(folder)
    check_interrupt()
for failure in failures:
    print(f"test: {failure}", file=sys.stderr)
print(f"terminal app: {len(failures)} failures")
sys.exit(1 if failures else 0)
