// Tests of the package in out/wasm: node --test JavaScript/test
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import test from "node:test";

const root = new URL("../../", import.meta.url);
const { Config, ConfigError, RecordError, TollgateError, initialize, memoryBytes, version } = await import(
  new URL("out/wasm/tollgate.js", root)
);
const text = (name) => readFileSync(new URL(name, root), "utf8");
const demo = (name) => text(`corpus/demo/${name}`);
const now = "2026-03-01T12:00:00Z";
const options = { seed: "demo", products: demo("products.json"), texts: demo("texts.json") };
const config = await Config.load(demo("config.json"), options);
const user = JSON.parse(demo("user.json"));

test("describes a config", () => {
  assert.deepEqual(config.diagnostics, []);
  assert.equal(config.format, "superwall");
  assert.ok(config.placements.includes("export_report"));
  assert.ok(config.requirements.length > 0);
  assert.match(version(), /^\d+\.\d+\.\d+$/);
});

test("decides", () => {
  const decision = config.decide("export_report", user, { now });
  assert.equal(decision.paywall, "export-trial");
  assert.equal(decision.result.experiment.variant.type, "TREATMENT");
  assert.deepEqual(config.decide("export_report", JSON.stringify(user), { now: new Date(now) }), decision);
  const all = config.decideAll(user, { now });
  assert.deepEqual(all.map((each) => each.placement), config.placements);
  assert.deepEqual(all.find((each) => each.placement === "export_report"), decision);
});

test("ignores options in a record", () => {
  const record = { ...user, placements: ["onboarding_done"], now: "1970-01-01T00:00:00Z" };
  assert.equal(config.decide("export_report", record, { now }).placement, "export_report");
});

test("reads records as text", () => {
  const placements = (user) => config.decideAll(user, { now }).length;
  assert.equal(config.decideAll('{"userId":"u-1"}').length, config.placements.length);
  assert.equal(placements('{"userId":"u-1"}'), config.placements.length);
  assert.equal(placements(' {"userId":"u-1"} \n'), config.placements.length);
  assert.equal(placements('{"userId":"u-1","placements":["export_report"]}'), config.placements.length);
  assert.equal(placements(new TextEncoder().encode('{"userId":"u-1"}')), config.placements.length);
  for (const text of ["", "{", "{}", "}", "[]", "null", '{"userId":"u-1"}}', '{"userId":"u-1"} {}']) {
    assert.throws(() => placements(text), RecordError, text);
  }
});

test("explains", () => {
  assert.match(config.explain("export_report", user, { now, text: true }).text, /paywall export-trial/);
  const { changes } = config.explain("export_report", user, { now, audience: 0 });
  assert.deepEqual(changes, [{ path: "params.pages", from: 12, to: 21 }]);
});

test("renders", () => {
  const template = "{% if user.name %}Hi {{ user.name }}, {% endif %}{{ products.selected.price }}";
  const answer = config.render({ template, user: { user: { name: "Mara" } }, now });
  assert.match(answer.text, /^Hi Mara, \$\d+\.\d\d$/);
  assert.deepEqual(answer.errors, []);
  const texts = config.render({ paywall: "export-trial", user, now });
  assert.ok(Object.keys(texts.texts).length > 0);
});

test("checks, compares and covers", () => {
  assert.equal(config.check({ now }).counts.error, 0);
  assert.ok(config.claims({ now }).every((claim) => claim.verdict !== undefined));
  const other = new Config(demo("config.json"), options);
  const same = config.diff(other, { now });
  assert.ok(Object.values(same.placements).every((placement) => placement.verdict !== "differs"));
  assert.ok(config.cover([], { now }).audiences.length > 0);
  other.free();
  assert.throws(() => other.decide("export_report", user), { code: "freed" });
});

test("counts users and prices products", () => {
  const users = demo("users.ndjson").split("\n").slice(0, 200).join("\n");
  const counts = config.match(users, { now });
  assert.equal(counts.users + counts.rejected, 200);
  assert.deepEqual(Object.keys(counts.placements), config.placements);
  assert.equal(config.match([user, { ...user, userId: "other" }], { now: new Date(now) }).users, 2);
  assert.throws(() => config.match([user], { placements: ["export_reprot"] }), RecordError);
  const [first] = config.products({ now, locale: "de_DE" });
  assert.equal(first.attributes.price, "59,99\u00a0$");
  assert.throws(() => new Config(`{"trigger_options":[]}`).products(), RecordError);
});

test("decides with the smaller module", async () => {
  const small = await import(new URL("out/wasm/tollgate.js?decide", root));
  await small.initialize(new URL("out/wasm/decide.wasm", root));
  const same = new small.Config(demo("config.json"), options);
  assert.deepEqual(same.decide("export_report", user, { now }), config.decide("export_report", user, { now }));
  assert.deepEqual(same.render({ paywall: "export-trial", user, now }), config.render({ paywall: "export-trial", user, now }));
  assert.throws(() => same.explain("export_report", user), { code: "not_in_module" });
});

test("packs what it needs", () => {
  const { files, exports } = JSON.parse(text("out/wasm/package.json"));
  for (const name of files) assert.ok(statSync(new URL(`out/wasm/${name}`, root)).size > 0, name);
  for (const entry of Object.values(exports)) {
    for (const path of typeof entry === "string" ? [entry] : Object.values(entry)) {
      assert.ok(path === "./package.json" || files.includes(path.slice(2)), path);
    }
  }
  for (const name of files.filter((each) => each.endsWith(".js"))) {
    for (const [, path] of text(`out/wasm/${name}`).matchAll(/from "\.\/([^"]+)"/g)) assert.ok(files.includes(path), path);
  }
});

test("reports errors with their types", () => {
  assert.throws(() => new Config("{"), ConfigError);
  assert.throws(() => config.decide("export_reprot", user), (error) =>
    error instanceof RecordError && error.code === "unknown_placement" && /export_report/.test(error.message));
  assert.throws(() => config.decide("export_report", {}), RecordError);
  assert.throws(() => config.decide("export_report", "{"), RecordError);
  assert.throws(() => config.decide("export_report", []), RecordError);
  const deep = { userId: "u", user: { a: JSON.parse("[".repeat(3000) + "]".repeat(3000)) } };
  assert.throws(() => config.decide("export_report", deep), TollgateError);
  assert.equal(config.decide("export_report", user, { now }).paywall, "export-trial");
});

test("gives memory back", () => {
  const decide = (count) => {
    for (let i = 0; i < count; i++) config.decide("export_report", { ...user, userId: `u-${i}` }, { now });
  };
  decide(2_000);
  new Config(demo("config.json"), options).free();
  const before = memoryBytes();
  decide(20_000);
  assert.equal(memoryBytes(), before);
  for (let i = 0; i < 20; i++) {
    new Config(demo("config.json"), options).free();
    assert.throws(() => new Config("{"), ConfigError);
  }
  assert.ok(memoryBytes() - before <= 1 << 20, `${memoryBytes() - before} more bytes`);
});

test("loads from bytes and again without effect", async () => {
  await initialize(readFileSync(new URL("out/wasm/tollgate.wasm", root)));
  assert.equal((await Config.load(demo("config.json"), options)).placements.length, config.placements.length);
});
