// Types of tollgate.js. Answers have the shapes of the command's --json.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };
/** JSON as an object or a string. */
export type JsonSource = { [key: string]: unknown } | unknown[] | string | Uint8Array;

/** A user. `userId` is required for decisions. */
export interface UserRecord {
  userId?: string;
  user?: { [attribute: string]: unknown };
  device?: { [attribute: string]: unknown };
  [root: string]: unknown;
}

export interface ConfigOptions {
  /** How conditions are evaluated (default: `"ios"`). */
  platform?: "ios" | "android" | "web" | "cel" | (string & {});
  /** The seed of draws. Another seed draws other variants (default: `""`). */
  seed?: string;
  assigner?: "hash" | "djb2";
  /** The time zone of attributes and functions that depend on the day (default: `"UTC"`). */
  timeZone?: string;
  /** The products with their prices. */
  products?: JsonSource;
  /** The texts of paywalls. */
  texts?: JsonSource;
  /** Rejects a config with errors in some of its rules (default: false). */
  strict?: boolean;
}

/** A time in RFC 3339, or a `Date` (default: the current time). */
export interface Timed {
  now?: string | Date;
}

export interface DecideOptions extends Timed {
  /** Overrides the seed of the config. */
  seed?: string;
  /** Decides as this version of an SDK. */
  sdkVersion?: string;
  texts?: boolean;
  products?: boolean;
  reasons?: boolean;
  explain?: boolean;
}

export type ResultName =
  | "paywall" | "holdout" | "noAudienceMatch" | "placementNotFound" | "error" | "undecidable";

export interface Experiment {
  id: string;
  groupId: string;
  variant: { id: string; type: "TREATMENT" | "HOLDOUT"; paywallId?: string };
}

export interface Decision {
  userId: string;
  placement: string;
  result: {
    result: ResultName;
    experiment?: Experiment;
    error?: string;
    code?: string;
    reason?: string;
  };
  audience?: number;
  paywall?: string;
  errors?: { audience: number; clause: string; code: string; path: string | null }[];
  texts?: { [name: string]: string };
  products?: Json[];
  reason?: Json;
  explanation?: Explanation;
}

export interface ExplainOptions extends Timed {
  seed?: string;
  sdkVersion?: string;
  /** Explains only this audience: its number, ID, experiment or name. */
  audience?: number | string;
  /** Changes attributes before the explanation: `{"user.plan": "pro"}`. */
  set?: { [path: string]: unknown };
  /** Returns `{text}`, the explanation as text for people. */
  text?: boolean;
}

export interface Explanation {
  /** The smallest change after which the audience takes the user. */
  changes?: { path: string; from?: Json; to?: Json }[];
  text?: string;
  [member: string]: unknown;
}

export interface TextOptions extends Timed {
  user?: UserRecord | string | Uint8Array;
  products?: JsonSource;
  locale?: string;
  profile?: string;
  timeZone?: string;
  eligible?: boolean;
}

export interface TemplateOptions extends TextOptions {
  template: string;
  dialect?: "superwall" | "shopify" | "agentwallie";
  mode?: "lax" | "strict";
  html?: boolean;
  select?: string;
}

export interface Diagnostic {
  severity: "error" | "warning" | "note";
  code: string;
  message: string;
  path?: string;
  [member: string]: unknown;
}

export interface RenderedTemplate {
  /** Null if the template cannot be compiled. */
  text: string | null;
  isComplete: boolean;
  errors: Diagnostic[];
}

export interface RenderedPaywall {
  texts: { [name: string]: string };
  errors: string[];
}

export interface ClaimOptions extends TextOptions {
  paywall?: string;
  template?: string;
  locales?: string[] | "all";
}

export interface Claim {
  verdict: "true" | "false" | "false-if-ineligible" | "unknown";
  [member: string]: unknown;
}

export interface MatchOptions extends Timed {
  placements?: string[];
  seed?: string;
  sdkVersion?: string;
  /** Adds the expected share of each variant. */
  distribution?: boolean;
}

/** The numbers of users that each audience reaches, matches and takes. */
export interface MatchCounts {
  users: number;
  /** The rejected records. */
  rejected: number;
  placements: { [placement: string]: { [member: string]: any } };
}

export interface ProductOptions extends Timed {
  products?: JsonSource;
  locale?: string;
  profile?: string;
  timeZone?: string;
  eligible?: boolean;
  sdkVersion?: string;
}

export interface ProductAttributes {
  identifier: string;
  slot?: string;
  attributes: { [name: string]: string };
  [member: string]: unknown;
}

/** An error of the engine. `code` is for programs and does not change. */
export class TollgateError extends Error {
  constructor(message: string, code: string, details?: object);
  readonly code: string;
  readonly details: { [name: string]: unknown };
}

/** An invalid config. */
export class ConfigError extends TollgateError {
  readonly diagnostics: Diagnostic[];
}

/** An invalid request or user record. */
export class RecordError extends TollgateError {
  readonly path: string | undefined;
  readonly offset: number | undefined;
}

export type EngineSource = string | URL | Response | BufferSource | WebAssembly.Module;

/**
 * Loads the engine (default: `tollgate.wasm` beside the module). `Config.load` also loads it. `decide.wasm` is smaller, but can only
 * decide and render.
 */
export function initialize(source?: EngineSource | Promise<EngineSource>): Promise<void>;

/** The bytes of memory that the engine has taken from the system. */
export function memoryBytes(): number;

/** The version of the engine. */
export function version(): string;

/** A compiled config. */
export class Config {
  /** Loads the engine if necessary, and compiles a config. */
  static load(source: JsonSource, options?: ConfigOptions): Promise<Config>;
  /** Compiles a config with an engine that `initialize` has loaded. */
  constructor(source: JsonSource, options?: ConfigOptions);

  readonly diagnostics: Diagnostic[];
  readonly placements: string[];
  readonly requirements: string[];
  readonly events: string[];
  readonly paywalls: string[];
  readonly format: "superwall" | "agentwallie";

  decide(placement: string, user: UserRecord | string | Uint8Array, options?: DecideOptions): Decision;
  decideAll(
    user: UserRecord | string | Uint8Array, options?: DecideOptions & { placements?: string[] },
  ): Decision[];
  explain(
    placement: string, user: UserRecord | string | Uint8Array, options?: ExplainOptions,
  ): Explanation;
  render(options: TemplateOptions): RenderedTemplate;
  render(options: TextOptions & { paywall: string }): RenderedPaywall;
  claims(options?: ClaimOptions): Claim[];
  check(options?: Timed & { schema?: JsonSource }): {
    diagnostics: Diagnostic[];
    counts: { error: number; warning: number; note: number };
  };
  match(users: UserRecord[] | string, options?: MatchOptions): MatchCounts;
  products(options?: ProductOptions): ProductAttributes[];
  cover(tests: object[], options?: Timed & { seed?: string }): { [member: string]: unknown };
  diff(
    other: Config, options?: Timed & { users?: UserRecord[]; placements?: string[]; seed?: string },
  ): { [member: string]: unknown };

  /** Frees the memory now instead of at garbage collection. */
  free(): void;
  [Symbol.dispose](): void;
}
