#!/usr/bin/env python3
"""A server for the terminal app: the config, and three codes. It forgets everything when it ends.

usage: server.py [PORT]      prints its address; port 0 takes a free one
"""
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

CONFIG = Path(__file__).with_name("Files") / "config.json"
PUBLIC = "/subscriptions-api/public/v1/"
PRO = {"identifier": "pro", "type": "SERVICE_LEVEL"}
NOTHING = {"entitlements": [], "customerInfo": {"subscriptions": [], "nonSubscriptions": [], "entitlements": []}}


def redeemed(code, user):
    if code == "OLD":
        return {"status": "CODE_EXPIRED", "code": code, "expired": {"resent": False}}
    if code != "GIFT":
        return {"status": "INVALID_CODE", "code": code}
    owner = {"type": "APP_USER", "appUserId": user} if user else {"type": "DEVICE", "deviceId": ""}
    purchaser = {"storeIdentifiers": {"store": "STRIPE", "stripeCustomerId": "cus_1", "stripeSubscriptionIds": ["sub_1"]}}
    info = {"ownership": owner, "purchaserInfo": purchaser, "entitlements": [PRO]}
    return {"status": "SUCCESS", "code": code, "redemptionInfo": info}


class Handler(BaseHTTPRequestHandler):
    def answer(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/api/v1/static_config":
            self.answer(json.loads(CONFIG.read_text()))
        elif path == "/api/v1/assignments":
            self.answer({"assignments": []})
        elif path.startswith(PUBLIC + "users/"):
            self.answer(NOTHING)
        else:
            self.answer({"error": {"code": "not_found"}}, 404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = json.loads(body or "{}")
        path = self.path.split("?")[0]
        if path == "/api/v1/confirm_assignments":
            self.answer({"status": "ok", "assignments": request.get("assignments", [])})
        elif path == PUBLIC + "redeem":
            codes = [redeemed(code["code"], request.get("appUserId")) for code in request.get("codes", [])]
            rights = [PRO] if any(code["status"] == "SUCCESS" for code in codes) else []
            self.answer({**NOTHING, "codes": codes, "entitlements": rights})
        else:
            self.answer({})

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8080), Handler)
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
