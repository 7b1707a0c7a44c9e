// The engine, compiled to WebAssembly, with an interface for JavaScript. README.md explains its use.
import { ConfigError, Engine, Loader, RecordError, TollgateError } from "./loading.js";

export { ConfigError, RecordError, TollgateError };

const loader = new Loader(new URL("./tollgate.wasm", import.meta.url));
const decoder = new TextDecoder();

/**
 * Loads the engine. Otherwise, `Config.load` loads it from the file beside this module.
 *
 * @param source a URL, a `Response`, bytes or a `WebAssembly.Module`.
 */
export async function initialize(source) {
  await loader.initialize(source);
}

function json(value) {
  return typeof value === "string" || value instanceof Uint8Array ? value : JSON.stringify(value);
}

// Members of options that may be JSON strings.
function parsed(value) {
  if (value instanceof Uint8Array) value = decoder.decode(value);
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch (error) {
    throw new RecordError(`not JSON: ${error.message}`, "not_json");
  }
}

function time(now) {
  return now instanceof Date ? now.toISOString() : now;
}

const decideOptions = ["placements", "now", "seed", "texts", "products", "reasons", "explain", "sdkVersion"];

// A record cannot set options of the call.
function record(user) {
  const value = parsed(user);
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new RecordError("a user record must be an object", "bad_record");
  }
  if (!decideOptions.some((name) => name in value)) return value;
  const copy = { ...value };
  for (const name of decideOptions) delete copy[name];
  return copy;
}

/** Returns a decide request. A JSON string is sent unchanged, with its large integers and repeated keys. */
function decideRequest(user, options) {
  if (user instanceof Uint8Array) user = decoder.decode(user);
  let text = user;
  if (typeof user !== "string") text = JSON.stringify(record(user));
  else if (decideOptions.some((name) => user.includes(`"${name}"`))) {
    const value = parsed(user);
    const asked = record(value);
    if (asked !== value) text = JSON.stringify(asked);
  }
  const end = text.lastIndexOf("}");
  const begins = text.slice(0, Math.max(end, 0)).trim();
  // The engine reports the error.
  if (!begins.startsWith("{") || text.slice(end + 1).trim() !== "") return text;
  const asked = JSON.stringify(options);
  return asked === "{}" ? text : `${begins}${begins === "{" ? "" : ","}${asked.slice(1)}`;
}

const registry =
  typeof FinalizationRegistry === "function"
    ? new FinalizationRegistry(({ engine, pointer }) => {
        if (!engine.hasFailed) engine.exports.tg_config_free(pointer);
      })
    : undefined;

/** A compiled config. */
export class Config {
  #source;
  #options;
  #engine;
  #pointer = 0;
  #isFree = false;
  #description;

  /**
   * Compiles a config, and loads the engine first if it is not loaded yet.
   *
   * @param source the config: its JSON, its bytes, or an object.
   * @param options `platform`, `seed`, `assigner`, `timeZone`, `products`, `texts`, `strict`.
   */
  static async load(source, options = {}) {
    await initialize();
    return new Config(source, options);
  }

  /** Compiles a config with an engine that `initialize` has loaded. */
  constructor(source, options = {}) {
    const engine = loader.usable();
    this.#source = json(source);
    this.#options = JSON.stringify(options);
    this.diagnostics = this.#compile(engine);
  }

  #compile(engine) {
    const { exports, result } = engine;
    const found = engine.run(() =>
      engine.with(this.#source, (start, count) =>
        engine.with(this.#options, (options, optionsCount) => {
          const status = exports.tg_config_compile(start, count, options, optionsCount, result, result + 8);
          const text = engine.takeText(result + 8);
          return { status, text, pointer: engine.words[result >> 2] };
        })));
    Engine.check(found.status, found.text);
    registry?.unregister(this);
    this.#engine = engine;
    this.#pointer = found.pointer;
    registry?.register(this, { engine, pointer: found.pointer }, this);
    return JSON.parse(found.text);
  }

  /** Returns the engine with this config. If the engine has failed, compiles the config again. */
  #ready() {
    if (this.#isFree) throw new TollgateError("this config was freed", "freed");
    if (this.#engine.hasFailed) this.#compile(loader.usable());
    return this.#engine;
  }

  #ask(name, request) {
    return JSON.parse(this.#ready().ask(name, request, this.#pointer));
  }

  #describe() {
    if (this.#description) return this.#description;
    const engine = this.#ready();
    let text;
    const status = engine.run(() => {
      const status = engine.exports.tg_config_describe(this.#pointer, engine.result);
      text = engine.takeText(engine.result);
      return status;
    });
    Engine.check(status, text);
    return (this.#description = JSON.parse(text));
  }

  /** The names of the placements. */
  get placements() {
    return this.#describe().placements;
  }

  /** The attributes that rules read: `["user.plan"]`. */
  get requirements() {
    return this.#describe().requirements;
  }

  /** The names of the events that rules read. */
  get events() {
    return this.#describe().events;
  }

  /** The identifiers of the paywalls. */
  get paywalls() {
    return this.#describe().paywalls;
  }

  /** `"superwall"` or `"agentwallie"`. */
  get format() {
    return this.#describe().format;
  }

  /** Decides a placement for a user. */
  decide(placement, user, options) {
    return this.#decide(user, { ...options, placements: [placement] })[0];
  }

  /** Decides all placements for a user, or only `options.placements`. */
  decideAll(user, options) {
    return this.#decide(user, options);
  }

  #decide(user, options = {}) {
    if (options.now instanceof Date) options = { ...options, now: time(options.now) };
    return this.#ask("tg_decide", decideRequest(user, options)).decisions;
  }

  /** Explains a decision. `options.audience` adds the smallest change after which that audience takes the user. */
  explain(placement, user, options = {}) {
    const request = { ...options, placement, user: record(user), now: time(options.now) };
    return this.#ask("tg_explain", JSON.stringify(request));
  }

  /** Renders `options.template`, or the texts of `options.paywall` that were loaded with the config. */
  render(options) {
    const request = { ...options, now: time(options.now) };
    if (options.user !== undefined) request.user = record(options.user);
    return this.#ask("tg_render", JSON.stringify(request));
  }

  /** Checks the claims of `options.template`, or of the texts that were loaded with the config. */
  claims(options = {}) {
    return this.render({ ...options, claims: true }).claims;
  }

  /** Checks the config, as `tollgate check --json` does. */
  check(options = {}) {
    const request = { ...options, now: time(options.now) };
    if (request.schema !== undefined) request.schema = parsed(request.schema);
    return this.#ask("tg_check", JSON.stringify(request));
  }

  /**
   * Counts how many users each audience reaches, matches and takes, as `tollgate match --json` does.
   *
   * @param users a list of records, or a string with one record on each line.
   */
  match(users, options = {}) {
    return this.#ask("tg_match", JSON.stringify({ ...options, users, now: time(options.now) }));
  }

  /** Computes prices, periods and trials of the config's products, or of `options.products`. */
  products(options = {}) {
    return this.#ask("tg_products", JSON.stringify({ ...options, now: time(options.now) })).products;
  }

  /** Finds audiences, clauses and variants that no test exercises, as `tollgate cover --json` does. */
  cover(tests, options = {}) {
    return this.#ask("tg_cover", JSON.stringify({ ...options, tests, now: time(options.now) }));
  }

  /**
   * Compares with a new config, as `tollgate diff --json` does. With `options.users`, the answer says which users
   * move. Without users, the answer has a proof that no user moves, or a user that moves, for each placement.
   */
  diff(other, options = {}) {
    if (!(other instanceof Config)) throw new TypeError("the other config must be a Config");
    const request = JSON.stringify({ ...options, now: time(options.now) });
    const engine = this.#ready();
    other.#ready();
    if (other.#engine !== engine) other.#compile(engine);
    return JSON.parse(engine.ask("tg_diff", request, this.#pointer, other.#pointer));
  }

  /** Frees the memory now instead of at garbage collection. */
  free() {
    if (this.#isFree) return;
    this.#isFree = true;
    registry?.unregister(this);
    if (!this.#engine.hasFailed) this.#engine.exports.tg_config_free(this.#pointer);
  }
}

if (Symbol.dispose) Config.prototype[Symbol.dispose] = Config.prototype.free;

/** The bytes of memory that the engine has taken from the system. */
export function memoryBytes() {
  return loader.memoryBytes;
}

/** The version of the engine, which `initialize` or `Config.load` must have loaded. */
export function version() {
  const { exports } = loader.usable();
  const bytes = new Uint8Array(exports.memory.buffer, exports.tg_version());
  return decoder.decode(bytes.subarray(0, bytes.indexOf(0)));
}
