// Runs cases of the corpus that the package can answer, and fails unless every one of them passes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const root = new URL("../../", import.meta.url);
const { Config, TollgateError } = await import(new URL("out/wasm/tollgate.js", root));
const lines = (name) =>
  readFileSync(new URL(`corpus/${name}`, root), "utf8").split("\n").filter((line) => line.trim() !== "");
const now = "2026-03-01T12:00:00Z";

/** Fails with the first cases that differ, or if fewer pass than before. */
function judge(suite, results, passes, differences = 0) {
  const failed = results.filter((result) => result.problem);
  console.log(`${suite}: ${results.length - failed.length} of ${results.length}`);
  if (failed.length !== differences) {
    assert.deepEqual(failed.slice(0, 5).map(({ id, problem }) => `${id}: ${problem}`), []);
  }
  assert.equal(results.length - failed.length, passes);
}

function decisionOf(input) {
  const options = { seed: input.seed ?? "", timeZone: input.timeZone ?? "UTC" };
  if (input.dialect === "cel") options.platform = "cel";
  else if (input.platform) options.platform = input.platform;
  if (input.assigner) options.assigner = input.assigner;
  const config = new Config(input.config, options);
  try {
    const decision = config.decide(input.placement, input.user, { now: input.now ?? now, reasons: true });
    return {
      reason: decision.reason?.code, audience: decision.audience ?? null, paywall: decision.paywall ?? null,
      variant: decision.result.experiment?.variant.id ?? null,
    };
  } catch (error) {
    if (error instanceof TollgateError && error.code !== "internal") return { refused: true, why: error.code };
    throw error;
  } finally {
    config.free();
  }
}

// Draws and tables of effects are the command's.
const unsupported = ["draw", "table", "format", "sdkVersion"];
const answered = ["reason", "audience", "paywall", "variant", "refused"];

await Config.load(`{"trigger_options":[]}`);

test("decisions", () => {
  const results = [];
  for (const line of [...lines("own/decisions.jsonl"), ...lines("regressions/decisions.jsonl")]) {
    const { id, input, expect, skip } = JSON.parse(line);
    const keys = answered.filter((key) => key in expect);
    if (skip || keys.length === 0 || unsupported.some((key) => key in input)) continue;
    const got = decisionOf(input);
    const isUnknown = got.why === "unknown_placement" && expect.reason === "placementNotFound";
    const wrong = keys.filter((key) => key === "refused" ? !got.refused : got[key] !== expect[key]);
    results.push({ id, problem: wrong.length > 0 && !isUnknown && JSON.stringify({ got, expect }) });
  }
  judge("decisions", results, 173);
});

// JavaScript has no ints of 64 bits, and no 1.0 beside 1: both stay text.
function contextTexts() {
  const text = readFileSync(new URL("corpus/cases/superscript-contexts.json", root), "utf8");
  const contexts = JSON.parse(text.replace(/([:[,]\s*)(-?\d{16,})(?=\s*[,}\]])/g, '$1{"$int":"$2"}'));
  const record = ({ variables }) =>
    JSON.stringify({ userId: "u", ...variables })
      .replace(/\{"\$int":"(-?\d+)"\}/g, "$1")
      .replace(/\{"\$float":([^}]+)\}/g, (_, number) => (/[.e]/.test(number) ? number : `${number}.0`));
  return new Map(
    Object.entries(contexts)
      .filter(([, { variables }]) => /^\{/.test(JSON.stringify(variables?.user)))
      .map(([name, context]) => [name, record(context)]));
}

// Conditions without host functions, each as the rule of a placement. The cases are answers of one evaluator. Deciding
// follows the newest SDKs, which answer 58 of them otherwise.
test("superscript", () => {
  const contexts = contextTexts();
  const platforms = { and: "android", web: "web" };
  const results = [];
  for (const line of lines("cases/superscript-recorded.jsonl")) {
    const { id, context, expression, matches } = JSON.parse(line);
    const user = contexts.get(context);
    if (user === undefined || /computed|device\.\w+\(|hasFn/.test(expression)) continue;
    const variant = {
      variant_id: "v", variant_type: "TREATMENT", percentage: 100, paywall_identifier: "pw",
    };
    const rule = {
      experiment_id: "e", experiment_group_id: "g", expression_cel: expression, occurrence: null,
      computed_properties: [], preload: { behavior: "ALWAYS" }, variants: [variant],
    };
    const config = { trigger_options: [{ event_name: "p", rules: [rule] }], paywall_responses: [] };
    const got = decisionOf({ config, placement: "p", user, platform: platforms[context.split("-")[0]] });
    results.push({ id, problem: (got.paywall === "pw") !== matches && JSON.stringify({ expression, got, matches }) });
  }
  judge("superscript", results, 3738, 58);
});

function renderings(name, dialect, skipped) {
  const config = new Config(`{"trigger_options":[]}`);
  const results = [];
  for (const line of lines(name)) {
    const { id, template, templates, data, mode = "lax", expect } = JSON.parse(line);
    if (templates || (data && Object.keys(data).length > 0) || skipped.includes(id)) continue;
    const got = config.render({ template, dialect, mode, now });
    const passes = expect === null ? got.errors.length > 0 : got.text === expect;
    results.push({ id, problem: !passes && JSON.stringify({ template, got, expect }) });
  }
  return results;
}

// Templates without data. Those left out are of another language, or of another time zone.
test("templates", () => {
  const ofStrings = ["filters-first-first-of-a-string", "filters-last-last-of-a-string"];
  judge("liquid", renderings("cases/golden-liquid.jsonl", "shopify", ofStrings), 471);
  judge("superwall-filters", renderings("cases/superwall-filters.jsonl", "superwall", ["10"]), 16);
});
