// The suites of the corpus that the package can answer, for Node.js and for browsers. Each returns how many cases pass,
// the first that do not, and how many it leaves out because they are about functions that the package does not have.

const now = "2026-03-01T12:00:00Z";

// JavaScript has no ints of 64 bits, and no 1.0 beside 1: large ints stay text in this wrapper.
export const parse = (text) =>
  JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g, (part) => part[0] === '"' ? part : `{"$big":"${part}"}`));
const lines = (text) => text.split("\n").filter((line) => line.trim() !== "");

/** Whether two values are the same, whatever the order of their members. */
function isSame(a, b) {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  const keys = Object.keys(a);
  return Array.isArray(a) === Array.isArray(b) && keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

class Tally {
  passed = 0;
  skipped = 0;
  failed = [];

  count(id, passes, problem) {
    if (passes) this.passed += 1;
    else this.failed.push(`${id}: ${JSON.stringify(problem)}`);
  }
}

// MARK: superscript

/** A value of the corpus as superscript takes it, in JSON. */
function typed(value) {
  const of = (type, text) => `{"type":"${type}","value":${text}}`;
  if (value === null) return of("Null", "null");
  if (typeof value === "boolean") return of("bool", value);
  if (typeof value === "string") return of("string", JSON.stringify(value));
  if (typeof value === "number") return of(Number.isInteger(value) ? "int" : "float", value);
  if (Array.isArray(value)) return of("list", `[${value.map(typed)}]`);
  const [[key, content] = []] = Object.entries(value);
  if (key === "$big") return of("int", content);
  if (key === "$uint") return of("uint", content.$big ?? content);
  if (key === "$float") return of("float", content.$big ?? content);
  if (key === "$raw") return content;
  return of("map", map(value));
}

const map = (value) =>
  `{${Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}:${typed(each)}`)}}`;

/** A result as the corpus writes it. */
function untyped({ type, value }) {
  switch (type) {
    case "uint": return { $uint: value };
    case "float": return { $float: value };
    case "bytes": return { $bytes: value };
    case "timestamp": return { $timestamp: value };
    case "function": return { $function: value[0] };
    case "list": return value.map(untyped);
    case "map": return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, untyped(each)]));
    default: return value;
  }
}

/** A context of the corpus as input without an expression, and a host that answers later. */
function superscriptContext(context) {
  const names = (list) =>
    `{${(list ?? []).map((each) => `${JSON.stringify(each)}:[{"type":"string","value":"event_name"}]`)}}`;
  const replies = new Map(Object.entries(context.host ?? {}).map(([name, reply]) => [name, typed(reply)]));
  const reply = async (name) => replies.get(name) ?? "";
  return {
    input: `{"variables":{"map":${map(context.variables ?? {})}},"device":${names(context.device_functions)},"computed":${names(context.computed_functions)},"expression":`,
    host: { device_property: reply, computed_property: reply },
  };
}

async function superscriptOutcome({ evaluate_with_context }, { input, host }, expression, evaluator) {
  try {
    const { Ok, Err } = parse(await evaluate_with_context(`${input}${JSON.stringify(expression)}}`, host, { evaluator }));
    return Ok ? { value: untyped(Ok), type: Ok.type.toLowerCase() } : { error: Err };
  } catch (error) {
    if (!/panics/.test(error.message)) throw error;
    return { error: error.message, panic: true };
  }
}

function hasOutcome(got, expect, evaluator) {
  if (expect.panic && evaluator !== "text") return got.panic === true;
  if (!("value" in expect)) return got.error !== undefined;
  return isSame(got.value, expect.value) && (expect.type === undefined || got.type === expect.type);
}

async function contexts(read) {
  const found = {};
  for (const name of ["superscript-contexts.json", "superscript-contexts-versions.json"]) {
    for (const [key, context] of Object.entries(parse(await read(`cases/${name}`)))) found[key] = superscriptContext(context);
  }
  return found;
}

async function superscript({ superscript, read, step }) {
  const tally = new Tally();
  const known = await contexts(read);
  const cases = lines(await read("cases/superscript-recorded.jsonl")).filter((_, index) => index % step === 0);
  for (const { id, expression, context, expect } of cases.map(parse)) {
    const got = await superscriptOutcome(superscript, known[context], expression, "text");
    tally.count(id, hasOutcome(got, expect, "text"), { expression, got, expect });
  }
  return tally;
}

async function superscriptVersions({ superscript, read, step }) {
  const tally = new Tally();
  const known = await contexts(read);
  const evaluators = { "0.2.8": "raw", "1.0.4": "numeric", "1.0.12": "skip", "1.0.13": "text" };
  const cases = lines(await read("cases/superscript-versions.jsonl.gz")).filter((_, index) => index % step === 0);
  for (const { id, expression, context, outcomes } of cases.map(parse)) {
    for (const [version, expect] of Object.entries(outcomes)) {
      if (expect.hang) { tally.skipped += 1; continue; }
      const got = await superscriptOutcome(superscript, known[context], expression, evaluators[version]);
      tally.count(`${id} ${version}`, hasOutcome(got, expect, evaluators[version]), { expression, got, expect });
    }
  }
  return tally;
}

async function superwallRules({ superscript, read }) {
  const tally = new Tally();
  for (const name of ["cases/superwall-rules.jsonl", "own/superscript.jsonl"]) {
    for (const { id, kind, input, expect, skip } of lines(await read(name)).map(parse)) {
      if (kind !== "cel" || skip) { tally.skipped += 1; continue; }
      const got = await superscriptOutcome(superscript, superscriptContext(input), input.expression, "text");
      const matches = expect.matches === undefined || (got.value === true) === expect.matches;
      tally.count(id, matches && hasOutcome(got, expect, "text"), { input, got, expect });
    }
  }
  return tally;
}

// MARK: Decisions and checks

function decisionOf({ Config, TollgateError }, input) {
  const options = { seed: input.seed ?? "", timeZone: input.timeZone ?? "UTC" };
  if (input.dialect === "cel") options.platform = "cel";
  else if (input.platform) options.platform = input.platform;
  if (input.assigner) options.assigner = input.assigner;
  let config;
  try {
    config = new Config(input.config, options);
    const decision = config.decide(input.placement, input.user, { now: input.now ?? now, reasons: true });
    return {
      reason: decision.reason?.code, audience: decision.audience ?? null, paywall: decision.paywall ?? null,
      variant: decision.result.experiment?.variant.id ?? null,
    };
  } catch (error) {
    if (error instanceof TollgateError && error.code !== "internal") return { refused: true, why: error.code };
    throw error;
  } finally {
    config?.free();
  }
}

async function decisions({ tollgate, read }) {
  const tally = new Tally();
  // Draws and tables of effects are the command's.
  const unsupported = ["draw", "table", "format", "sdkVersion"];
  const answered = ["reason", "audience", "paywall", "variant", "refused"];
  for (const name of ["own/decisions.jsonl", "regressions/decisions.jsonl"]) {
    for (const { id, input, expect, skip } of lines(await read(name)).map((line) => JSON.parse(line))) {
      const keys = answered.filter((key) => key in expect);
      if (skip || keys.length === 0 || unsupported.some((key) => key in input)) { tally.skipped += 1; continue; }
      const got = decisionOf(tollgate, input);
      const isUnknown = got.why === "unknown_placement" && expect.reason === "placementNotFound";
      const passes = isUnknown || keys.every((key) => key === "refused" ? got.refused : got[key] === expect[key]);
      tally.count(id, passes, { got, expect });
    }
  }
  return tally;
}

async function checks({ tollgate: { Config }, read }) {
  const tally = new Tally();
  const config = new Config(`{"trigger_options":[]}`);
  for (const name of ["own/check.jsonl", "regressions/check.jsonl"]) {
    for (const { id, input, expect, skip } of lines(await read(name)).map((line) => JSON.parse(line))) {
      if (skip || input.dialect === "cel") { tally.skipped += 1; continue; }
      const { diagnostics } = config.check({ ...input, now: input.now ?? now });
      // Places count in the config here, and in the condition there.
      const found = diagnostics.map(({ severity, code, path }) => `${severity} ${code} ${path ?? ""}`.trim()).sort();
      const wanted = expect.findings.map((finding) => finding.replace(/\[\d+\.\.<\d+\]$/, "")).sort();
      tally.count(id, isSame(found, wanted), { found, wanted });
    }
  }
  return tally;
}

// MARK: Templates

/** A suite of templates. `judge` gets the answer and the case, `left` says which cases are left out. */
const templates = (names, request, judge, left = () => false) => async ({ tollgate: { Config }, read }) => {
  const tally = new Tally();
  const config = new Config(`{"trigger_options":[]}`);
  for (const name of names) {
    for (const each of lines(await read(name)).map((line) => JSON.parse(line))) {
      if (each.skip || each.templates || left(each)) { tally.skipped += 1; continue; }
      for (const asked of [request(each)].flat()) {
        const got = config.render({ user: each.data ?? {}, now: "2026-03-06T09:30:00Z", ...asked });
        tally.count(each.id, judge(got, each, asked), { asked, got, expect: each.expect });
      }
    }
  }
  return tally;
};

const hasErrors = (got) => got.errors.length > 0;
// Their templates are of another language, or read a root of the record itself.
const ofStrings = [
  "filters-first-first-of-a-string", "filters-last-last-of-a-string", "special-last-of-a-string",
  "output-chained-bracketed-identifier-index",
];

const liquid = templates(
  ["cases/golden-liquid.jsonl"], ({ template, mode = "lax" }) => ({ template, mode, dialect: "shopify" }),
  (got, { invalid, expect, expect_any }) => invalid ? hasErrors(got) : (expect_any ?? [expect]).includes(got.text),
  ({ id }) => ofStrings.includes(id));

const liquidJS = templates(
  ["cases/golden-liquidjs-differences.jsonl"], ({ template }) => ({ template, dialect: "superwall" }),
  (got, { liquidjs, liquidjs_error }) => liquidjs_error != null ? hasErrors(got) : got.text === liquidjs,
  ({ id, template }) => ofStrings.includes(id) || id.startsWith("output-chained-") || /\{%-?\s*(render|include|layout)/.test(template));

const filters = templates(
  ["cases/superwall-filters.jsonl"], ({ template, zone }) => ({ template, timeZone: zone, dialect: "superwall" }),
  (got, { expect }) => got.text === expect && !hasErrors(got), ({ data }) => data?.products !== undefined);

// MARK: Prices

const profiles = {
  "superwall-ios-sk2": "ios-sk2", "superwall-ios-sk1": "ios-sk1", "superwall-ios-api": "ios-api",
  "superwall-android-play": "android-play",
};

async function pricing({ tollgate: { Config }, read }) {
  const tally = new Tally();
  const config = new Config(`{"trigger_options":[]}`);
  for (const name of ["cases/pricing.jsonl", "own/pricing.jsonl"]) {
    for (const { id, kind, system, product, context, expect, fixture, skip } of lines(await read(name)).map((line) => JSON.parse(line))) {
      const profile = profiles[system];
      // Words of a device in another language than the product's are not a request's.
      const isOther = product.intro && product.locale && context?.deviceLocale && product.locale !== context.deviceLocale;
      if (skip || fixture || kind !== "attributes" || !profile || !product.price || !product.identifier || isOther) { tally.skipped += 1; continue; }
      let got;
      try {
        [{ attributes: got }] = config.products({
          products: [product], profile, now: context?.now, timeZone: context?.timeZone, locale: product.locale ?? context?.deviceLocale,
        });
      } catch (error) {
        got = { error: error.message };
      }
      const passes = Object.entries(expect).every(([key, value]) => key === "hasFreeTrial" || (got[key] ?? null) === value);
      tally.count(id, passes, { product, got, expect });
    }
  }
  return tally;
}

const suites = {
  superscript, "superscript-versions": superscriptVersions, "superwall-rules": superwallRules,
  "tollgate-decisions": decisions, "tollgate-check": checks, liquid, liquidjs: liquidJS, "superwall-filters": filters,
  pricing,
};

/**
 * Runs all suites.
 *
 * @param modules `tollgate` and `superscript`, the modules of the package, and `read`, which gives the text of a file of
 *   the corpus.
 * @param step every how many of the recorded programs are run.
 */
export async function runSuites({ tollgate, superscript, read }, step) {
  await tollgate.initialize();
  const found = {};
  for (const [name, run] of Object.entries(suites)) {
    const { passed, skipped, failed } = await run({ tollgate, superscript, read, step });
    found[name] = { passed, skipped, failed };
  }
  return found;
}
