// The functions of superscript's package for the web, with the same arguments, callbacks and results.
import { Loader, RecordError, TollgateError } from "./loading.js";

// This module of the engine only evaluates expressions.
const loader = new Loader(new URL("./superscript.wasm", import.meta.url));

/**
 * Loads the evaluator. Otherwise, the first call of another function loads it from the file beside this module.
 *
 * @param source a URL, a `Response`, bytes or a `WebAssembly.Module`.
 */
export async function initialize(source) {
  await loader.initialize(source);
}

const mostKept = 500;
// The calls that need answers, by expression and host functions.
const kept = new Map();

/**
 * Evaluates an expression.
 *
 * @param input `{variables: {map}, expression, computed, device}`. Values have types: `{type: "int", value: 3}`.
 * @param context answers calls of the host's functions with values, or with promises of values.
 * @param options `evaluator`: the generation of superscript (default: `"numeric"`, as in Superwall's web SDK).
 * @returns `{"Ok":{"type":"bool","value":true}}` or `{"Err":"…"}`, as JSON.
 */
export async function evaluateWithContext(input, context, options = {}) {
  const ask = async (property, name, args) => context[property](name, args);
  return evaluated(JSON.stringify(input), ask, options);
}

/** Evaluates an expression, with JSON strings for the input, the arguments and the host's answers. */
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

/** Adds members to an object's JSON without parsing it, because JavaScript has no 64-bit integers. */
function extended(definition, members) {
  const end = definition.lastIndexOf("}");
  const isEmpty = definition.slice(definition.indexOf("{") + 1, end).trim() === "";
  return `${definition.slice(0, end)}${isEmpty ? "" : ","}${JSON.stringify(members).slice(1)}`;
}

/** Returns the host calls of an expression, which are answered before the evaluation. */
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
  // The argument is known only during the evaluation, so every string that the expression can read is tried.
  for (const text of strings(input)) {
    answers[`${name}(${JSON.stringify(text)})`] = await reply([{ type: "string", value: text }]);
  }
  answers[name] = await reply([]);
}

const mostStrings = 1_000;

/** Returns the strings in the variables and the expression. */
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

/** Returns the host's answer if it is a value with a type, otherwise null. */
const passable = (value) => (isPassable(value) ? value : { type: "Null", value: null });

export { TollgateError };

export default { evaluateWithContext };
