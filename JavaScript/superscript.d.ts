// Types of superscript.js.
import { EngineSource } from "./tollgate.js";

export { TollgateError } from "./tollgate.js";

/** Loads the evaluator (default: `superscript.wasm` beside the module). The other functions also load it. */
export function initialize(source?: EngineSource | Promise<EngineSource>): Promise<void>;

export type ValueType =
  | "uint" | "string" | "bool" | "map" | "int" | "float" | "list" | "function" | "bytes" | "timestamp" | "null";

/** A value with its type. */
export interface PassableValue {
  type: ValueType;
  value: any;
}

export interface PassableMap {
  map: { [name: string]: PassableValue };
}

export interface ExecutionContext {
  variables: PassableMap;
  expression: string;
  /** The host's functions, by name. */
  computed?: { [name: string]: PassableValue[] };
  device?: { [name: string]: PassableValue[] };
}

type Answer<Value> = Value | Promise<Value>;

/** Answers calls of `computed.name(…)` and `device.name(…)`. */
export interface SuperscriptHostContext {
  computed_property(name: string, args: [PassableValue]): Answer<PassableValue>;
  device_property(name: string, args: [PassableValue]): Answer<PassableValue>;
}

export type { SuperscriptHostContext as WasmHostContext };

export interface EvaluatorOptions {
  /** The version: 0.1 to 0.2, 1.0.1 to 1.0.10 (the default, as in Superwall's web SDK), 1.0.11 to 1.0.12, or newer. */
  evaluator?: "raw" | "numeric" | "skip" | "text";
}

/** Evaluates an expression. The result is JSON: `{"Ok": PassableValue}` or `{"Err": string}`. */
export function evaluateWithContext(
  input: ExecutionContext, context: SuperscriptHostContext, options?: EvaluatorOptions,
): Promise<string>;

/** Evaluates an expression, with JSON strings instead of objects. */
export function evaluate_with_context(
  definition: string,
  context: {
    computed_property(name: string, args: string): Answer<string>;
    device_property(name: string, args: string): Answer<string>;
  },
  options?: EvaluatorOptions,
): Promise<string>;

declare const superscript: { evaluateWithContext: typeof evaluateWithContext };
export default superscript;
