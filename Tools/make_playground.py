#!/usr/bin/env python3
"""Writes the playground without a server: the page, its scripts, the engine and what the page begins with.

    tollgate functions --json | Tools/make_playground.py out/playground

It takes the engine from out/wasm. Tools/make-playground.sh does everything.
"""

import base64
import gzip
import hashlib
import json
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "Server/Sources/Playground/Page"
STATIC = ROOT / "JavaScript/playground"
ENGINE = ROOT / "out/wasm"
DEMO = ROOT / "corpus/demo"
NOW = "2026-03-01T12:00:00Z"
MOST_USERS = 500
# Only the service has these.
SERVICE = {"engine.js"}
NOSCRIPT = "<noscript><p class=\"hint\">The playground needs JavaScript and WebAssembly.</p></noscript>"
IMPORT = re.compile(r"^import \{ ([^}]*) \} from ['\"]\./([\w.-]+)['\"];?\n", re.M)
AGAIN = re.compile(r"^export \{ ([^}]*) \};?\n", re.M)


def start():
    """What the page begins with: the demo's config, user, text, products and first users."""
    users = (DEMO / "users.ndjson").read_text().split("\n")[:MOST_USERS]
    return {
        "config": (DEMO / "config.json").read_text(), "user": (DEMO / "user.json").read_text(),
        "template": (DEMO / "export-trial.liquid").read_text(),
        "products": (DEMO / "products.json").read_text(), "users": "\n".join(users) + "\n",
        "placement": "export_report", "now": NOW, "seed": "demo", "hasSandbox": False,
        "name": "A fitness app with six placements",
        "about": "The engine runs in this page. Nothing that you enter leaves it.",
    }


def arguments(signature):
    """Where the arguments of a signature's call begin and end."""
    call = signature[: signature.rindex(" -> ")]
    depth = 0
    for at in range(len(call) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(call[at], 0)
        if depth == 0:
            return at, len(call) - 1
    raise ValueError(signature)


def functions(entries):
    """The functions that conditions can call, as the service's functions.json."""
    found = []
    for entry in entries:
        if "ios" not in entry["platforms"]:
            continue
        kinds = {}
        for signature in entry["signatures"]:
            begin, end = arguments(signature)
            # A method has a receiver in front of its name.
            is_method = signature[:begin] != entry["name"]
            kind = kinds.setdefault(is_method, {
                "name": entry["name"], "isMethod": is_method, "hasArguments": False,
                "signature": signature, "summary": entry["summary"]})
            kind["hasArguments"] |= end > begin + 1
        found += kinds.values()
    return found


def scripts():
    """The modules of the page and of its worker, by name."""
    paths = [path for path in PAGE.glob("*.js") if path.name not in SERVICE] + list(STATIC.glob("*.js"))
    found = {path.name: path.read_text() for path in sorted(paths)}
    for name in ("tollgate.js", "loading.js"):
        found[name] = (ENGINE / name).read_text()
    return found


def bundle(modules, entry):
    """A classic script that does what a module and all that it imports do."""
    order, parts = [], []

    def visit(name):
        if name in order:
            return
        for match in IMPORT.finditer(modules[name]):
            visit(match[2])
        order.append(name)

    visit(entry)
    for name in order:
        text = IMPORT.sub(r"const { \1 } = modules['\2']\n", modules[name])
        exported = re.findall(r"^export (?:async )?(?:function\*?|class|const|let) (\w+)", text, re.M)
        exported += [name for names in AGAIN.findall(text) for name in names.split(", ")]
        text = AGAIN.sub("", text)
        text = re.sub(r"^export ", "", text, flags=re.M).replace("import.meta.url", "'file:///'")
        if re.search(r"^(import|export)\b", text, re.M):
            sys.exit(f"make_playground: {name}: only lines such as import {{ a }} from './b.js' can be in one file")
        parts.append(f"modules['{name}'] = (() => {{\n{text}\nreturn {{ {', '.join(exported)} }}\n}})()\n")
    return "(() => {\n'use strict'\nconst modules = {}\n" + "".join(parts) + "})()\n"


def one_file(modules, page, data):
    """The playground in one file. Its parts are data, because a page from a disk may not load any."""
    module = base64.b64encode(gzip.compress((ENGINE / "tollgate.wasm").read_bytes(), 9, mtime=0)).decode()
    modules = dict(modules)
    modules["parts.js"] = (
        "const data = JSON.parse(document.getElementById('data').textContent)\n"
        "export const newWorker = () => new Worker(URL.createObjectURL(new Blob([data.worker], { type: 'text/javascript' })))\n"
        "export async function loadModule() {\n"
        "  const bytes = Uint8Array.from(atob(document.getElementById('module').textContent), (c) => c.charCodeAt(0))\n"
        "  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))\n"
        "  return WebAssembly.compile(await new Response(stream).arrayBuffer())\n"
        "}\n"
        "export const loadJSON = async (name) => data[name]\n")
    script = "\n" + bundle(modules, "app.js").replace("</script", "<\\/script")
    data = json.dumps({**data, "worker": bundle(modules, "worker.js")}).replace("<", "\\u003c")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    style = (PAGE / "style.css").read_text()
    page = page.replace('<link rel="stylesheet" href="playground/style.css">', f"<style>\n{style}</style>")
    page = page.replace(
        '<script type="module" src="playground/app.js"></script>',
        f'<script type="application/json" id="data">{data}</script>\n'
        f'<script type="application/octet-stream" id="module">{module}</script>\n<script>{script}</script>')
    return secured(page, f"script-src 'sha256-{digest}' 'wasm-unsafe-eval' blob:; worker-src blob:; connect-src 'none'")


def secured(page, policy):
    """The page with a Content-Security-Policy that lets it load and send nothing else."""
    policy = f"default-src 'none'; style-src 'self' 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; {policy}"
    meta = '<meta charset="utf-8">\n'
    assert meta in page
    return page.replace(meta, meta + f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n', 1)


def main():
    output = Path(sys.argv[1])
    data = {"start.json": start(), "functions.json": functions(json.load(sys.stdin))}
    shutil.rmtree(output, ignore_errors=True)
    parts = output / "playground"
    parts.mkdir(parents=True)
    modules = scripts()
    for name, text in modules.items():
        (parts / name).write_text(text)
    for name, value in data.items():
        (parts / name).write_text(json.dumps(value, ensure_ascii=False))
    shutil.copy(PAGE / "style.css", parts)
    shutil.copy(ENGINE / "tollgate.wasm", parts)
    page = re.sub(r"<noscript>.*?</noscript>", NOSCRIPT, (PAGE / "index.html").read_text(), flags=re.S)
    own = "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'"
    (output / "index.html").write_text(secured(page, own))
    (output / "tollgate-playground.html").write_text(one_file(modules, page, data))
    for path in (output / "index.html", output / "tollgate-playground.html", parts / "tollgate.wasm"):
        print(f"{path}  {path.stat().st_size} bytes")


main()
