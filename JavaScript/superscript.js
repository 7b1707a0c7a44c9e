// The functions of superscript's package for the web, by this engine: the same arguments, callbacks and results.
import { Loader, RecordError, TollgateError } from "./loading.js";

// Only what expressions need.
const loader = new Loader(new URL("./superscript.wasm", import.meta.url));

/**
 * Loads the evaluator. The other functions do the same, with the file beside this module.
 *
 * @param source a URL, a `Response`, bytes or a `WebAssembly.Module`.
 */
export async function initialize(source) {
  await loader.initialize(source);
}

const mostKept = 500;
// By expression and host functions, the calls that need answers.
const kept = new Map();

/**
 * Evaluates an expression.
 *
 * @param input `{variables: {map}, expression, computed, device}`. Values have types: `{type: "int", value: 3}`.
 * @param context answers calls of the host's functions with values, or with promises of them.
 * @param options `evaluator`: the generation of superscript (default: `"numeric"`, as in Superwall's web SDK).
 * @returns `{"Ok":{"type":"bool","value":true}}` or `{"Err":"…"}`, as JSON.
 */
export async function evaluateWithContext(input, context, options = {}) {
  const ask = async (property, name, args) => context[property](name, args);
  return evaluated(JSON.stringify(input), ask, options);
}

/** The same with JSON in place of objects: of the input, of the arguments and of the host's answers. */
export async function evaluate_with_context(definition, context, options = {}) {
  const ask = async (property, name, args) => {
    const reply = await context[property](name, JSON.stringify(args));
    try {
      return JSON.parse(reply);
    } catch {
      return null;
    }
  };
  return evaluated(definition, ask, options);
}

async function evaluated(definition, ask, { evaluator = "numeric" }) {
  await initialize();
  try {
    const input = JSON.parse(definition);
    if (typeof input?.expression !== "string") throw new SyntaxError("'expression' must be a string");
    const names = [...Object.keys(input.computed ?? {}), ...Object.keys(input.device ?? {})];
    const answers = {};
    for (const question of names.length > 0 ? questions(definition, input, names, evaluator) : []) {
      await answer(question, input, ask, answers);
    }
    const text = loader.usable().ask("tg_evaluate", extended(definition, { evaluator, answers }));
    if (!text.startsWith('{"Err"')) return text;
    const { Err, panics } = JSON.parse(text);
    // Since 1.0.15, superscript does not panic.
    if (panics && evaluator !== "text") throw new Error(`superscript panics here: ${Err}`);
    return JSON.stringify({ Err });
  } catch (error) {
    if (!(error instanceof RecordError || error instanceof SyntaxError)) throw error;
    return JSON.stringify({ Err: error.message });
  }
}

/** JSON of an object with more members. The text stays, because JavaScript has no ints of 64 bits. */
function extended(definition, members) {
  const end = definition.lastIndexOf("}");
  const isEmpty = definition.slice(definition.indexOf("{") + 1, end).trim() === "";
  return `${definition.slice(0, end)}${isEmpty ? "" : ","}${JSON.stringify(members).slice(1)}`;
}

/** The calls of an expression. The engine asks no function while it evaluates, so they are answered first. */
function questions(definition, input, names, evaluator) {
  const key = `${evaluator}\n${names}\n${input.expression}`;
  const known = kept.get(key);
  if (known) return known;
  const found = JSON.parse(loader.usable().ask("tg_evaluate", extended(definition, { evaluator, questions: true }))).questions;
  if (kept.size >= mostKept) kept.delete(kept.keys().next().value);
  kept.set(key, found);
  return found;
}

async function answer({ call, function: name, argument }, input, ask, answers) {
  const property = Object.hasOwn(input.device ?? {}, name) ? "device_property" : "computed_property";
  const reply = async (args) => passable(await ask(property, name, args));
  if (argument !== undefined) {
    answers[call] = await reply(argument === "" ? [] : [{ type: "string", value: argument }]);
    return;
  }
  // Which argument it has is known only while the expression is evaluated: one of the strings that it can read.
  for (const text of strings(input)) {
    answers[`${name}(${JSON.stringify(text)})`] = await reply([{ type: "string", value: text }]);
  }
  answers[name] = await reply([]);
}

const mostStrings = 1_000;

/** The strings of the variables and the expression. */
function strings(input) {
  const found = new Set();
  const add = (text) => found.size < mostStrings && found.add(text);
  const visit = (value) => {
    if (value?.type === "string") add(value.value);
    else if (value?.type === "list") value.value.forEach(visit);
    else if (value?.type === "map") Object.values(value.value).forEach(visit);
  };
  Object.values(input.variables?.map ?? {}).forEach(visit);
  for (const [, double, single] of input.expression.matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/g)) {
    add(double ?? single);
  }
  return found;
}

const isWhole = (value) => Number.isInteger(value);

const checks = {
  null: () => true,
  Null: () => true,
  bool: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
  int: isWhole,
  uint: (value) => isWhole(value) && value >= 0,
  float: (value) => typeof value === "number",
  timestamp: isWhole,
  bytes: (value) => Array.isArray(value) && value.every((byte) => isWhole(byte) && byte >= 0 && byte < 256),
  list: (value) => Array.isArray(value) && value.every(isPassable),
  map: (value) => value !== null && typeof value === "object" && Object.values(value).every(isPassable),
};

function isPassable(value) {
  return value !== null && typeof value === "object" && Object.hasOwn(checks, value.type) && checks[value.type](value.value);
}

/** A value of the host, or null for anything else. */
const passable = (value) => (isPassable(value) ? value : { type: "Null", value: null });

export { TollgateError };

export default { evaluateWithContext };
