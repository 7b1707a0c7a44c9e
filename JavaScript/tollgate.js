// The engine, compiled to WebAssembly, with an interface for JavaScript. docs/javascript.md explains its use.

/** An error of the engine. `code` is for programs and does not change; the message is for people. */
export class TollgateError extends Error {
  constructor(message, code, details = {}) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.details = details;
  }
}

/** An invalid config. */
export class ConfigError extends TollgateError {
  /** The findings, each with its place. */
  get diagnostics() {
    return this.details.diagnostics ?? [];
  }
}

/** An invalid request or user record. */
export class RecordError extends TollgateError {
  /** The member that is wrong, if known. */
  get path() {
    return this.details.path;
  }

  /** A byte of the request, if it is not JSON. */
  get offset() {
    return this.details.offset;
  }
}

// By what functions of Sources/CTollgate/tollgate.h return.
const errorTypes = [undefined, RecordError, ConfigError, RecordError];

const badFile = 8;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
// The largest scratch buffer that is kept between calls.
const mostScratch = 1 << 20;

/** One instance of the module, with its memory. */
class Engine {
  constructor(module) {
    const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: this.#system() });
    this.exports = instance.exports;
    this.exports._initialize();
    // A pointer or a text that functions return: two numbers of 32 bits.
    this.result = this.exports.malloc(16);
    this.scratch = 0;
    this.capacity = 0;
    this.hasFailed = false;
  }

  /** What the C library asks the system for. */
  #system() {
    const memory = () => new DataView(this.exports.memory.buffer);
    return {
      clock_time_get: (clock, precision, out) => {
        memory().setBigUint64(out, BigInt(Math.round(Date.now() * 1e6)), true);
        return 0;
      },
      random_get: (start, count) => {
        crypto.getRandomValues(new Uint8Array(this.exports.memory.buffer, start, count));
        return 0;
      },
      // There are no files.
      fd_close: () => badFile,
      fd_fdstat_get: () => badFile,
      fd_seek: () => badFile,
      fd_write: () => badFile,
    };
  }

  /** Calls with a string or bytes in the engine's memory. */
  with(text, body) {
    const most = typeof text === "string" ? text.length * 3 : text.length;
    let start = this.scratch;
    const isLent = most <= this.capacity && start !== 0;
    if (!isLent) start = this.#reserve(most);
    const isKept = start === this.scratch;
    // While it is used, a call inside this one takes another.
    this.scratch = 0;
    const bytes = new Uint8Array(this.exports.memory.buffer, start, most);
    let count = most;
    if (typeof text === "string") count = encoder.encodeInto(text, bytes).written;
    else bytes.set(text);
    try {
      return body(start, count);
    } finally {
      if (isKept && this.scratch === 0) this.scratch = start;
      else if (!this.hasFailed) this.exports.free(start);
    }
  }

  #reserve(count) {
    const size = Math.max(count, 4096);
    const start = this.exports.malloc(size);
    if (start === 0) throw new TollgateError("there is not enough memory", "out_of_memory");
    if (size <= mostScratch && size > this.capacity) {
      if (this.scratch !== 0) this.exports.free(this.scratch);
      this.scratch = start;
      this.capacity = size;
    }
    return start;
  }

  /** The text that a function returned, whose memory is given back. */
  takeText(at) {
    const [start, count] = new Uint32Array(this.exports.memory.buffer, at, 2);
    if (start === 0) return "";
    const text = decoder.decode(new Uint8Array(this.exports.memory.buffer, start, count));
    this.exports.free(start);
    return text;
  }

  /** Runs a function of the engine. An instance in which one has trapped is never used again. */
  run(body) {
    try {
      return body();
    } catch (error) {
      if (error instanceof TollgateError) throw error;
      this.hasFailed = true;
      if (engine === this) engine = undefined;
      throw new TollgateError(`internal error; please report it: ${error.message}`, "internal", {
        cause: error,
      });
    }
  }

  /** Throws what a function reports. */
  static check(status, text) {
    if (status === 0) return;
    const { code, message, ...details } = text === "" ? {} : JSON.parse(text);
    const Type = errorTypes[status] ?? TollgateError;
    throw new Type(message ?? `the engine returned ${status}`, code ?? "internal", details);
  }
}

// The instance that new configs use, and the module, once it is compiled.
let engine;
let loaded;
let compiled;

/** An instance that has not failed. */
function usableEngine() {
  if (!loaded) {
    throw new TollgateError("the engine is not loaded; await initialize() first", "not_loaded");
  }
  return (engine ??= new Engine(loaded));
}

async function compile(source) {
  source = await source;
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source === "string") source = new URL(source, globalThis.location?.href);
  if (source instanceof URL) {
    if (source.protocol === "file:") {
      const { readFile } = await import("node:fs/promises");
      return WebAssembly.compile(await readFile(source));
    }
    source = await fetch(source);
  }
  if (typeof Response === "function" && source instanceof Response) {
    if (!source.ok) throw new TollgateError(`${source.url}: ${source.status}`, "not_loaded");
    const isTyped = source.headers.get("content-type")?.startsWith("application/wasm");
    return isTyped ? WebAssembly.compileStreaming(source) : WebAssembly.compile(await source.arrayBuffer());
  }
  return WebAssembly.compile(source);
}

/**
 * Loads the engine. `Config.load` does the same, with the file beside this module.
 *
 * @param source a URL, a `Response`, bytes or a `WebAssembly.Module`.
 */
export async function initialize(source = new URL("./tollgate.wasm", import.meta.url)) {
  compiled ??= compile(source);
  try {
    loaded = await compiled;
  } catch (error) {
    compiled = undefined;
    throw error;
  }
  usableEngine();
}

function json(value) {
  return typeof value === "string" || value instanceof Uint8Array ? value : JSON.stringify(value);
}

// Records and lists that may come as JSON.
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

// Options of a call are not the record's to say.
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

/** A decide request. A record that comes as text is sent as it is, with its large ints and repeated keys. */
function decideRequest(user, options) {
  if (user instanceof Uint8Array) user = decoder.decode(user);
  const isText = typeof user === "string";
  if (!isText || decideOptions.some((name) => user.includes(`"${name}"`))) {
    const value = parsed(user);
    const asked = record(value);
    if (!isText || asked !== value) return JSON.stringify({ ...asked, ...options });
  }
  const end = user.lastIndexOf("}");
  const begins = user.slice(0, Math.max(end, 0)).trim();
  if (!begins.startsWith("{") || user.slice(end + 1).trim() !== "") return user;
  const asked = JSON.stringify(options);
  return asked === "{}" ? user : `${begins}${begins === "{" ? "" : ","}${asked.slice(1)}`;
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
    const engine = usableEngine();
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
          return { status, text, pointer: new Uint32Array(exports.memory.buffer, result, 1)[0] };
        })));
    Engine.check(found.status, found.text);
    registry?.unregister(this);
    this.#engine = engine;
    this.#pointer = found.pointer;
    registry?.register(this, { engine, pointer: found.pointer }, this);
    return JSON.parse(found.text);
  }

  /** The engine with this config, compiled again if the former instance has failed. */
  #ready() {
    if (this.#isFree) throw new TollgateError("this config was freed", "freed");
    if (this.#engine.hasFailed) this.#compile(usableEngine());
    return this.#engine;
  }

  #ask(name, request) {
    const engine = this.#ready();
    const { exports, result } = engine;
    let text;
    const status = engine.run(() =>
      engine.with(request, (start, count) => {
        const status = exports[name](this.#pointer, start, count, result);
        text = engine.takeText(result);
        return status;
      }));
    Engine.check(status, text);
    return JSON.parse(text);
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

  /** The events that rules ask about. */
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

  /** Decides all placements for a user, or those of `options.placements`. */
  decideAll(user, options) {
    return this.#decide(user, options);
  }

  #decide(user, options = {}) {
    if (options.now instanceof Date) options = { ...options, now: time(options.now) };
    return this.#ask("tg_decide", decideRequest(user, options)).decisions;
  }

  /** Explains a decision. With `options.audience`, includes the smallest change that makes it take the user. */
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

  /** Checks what texts assert: those that were loaded with the config, or `options.template`. */
  claims(options = {}) {
    return this.render({ ...options, claims: true }).claims;
  }

  /** Checks the config, as `tollgate check --json` does. */
  check(options = {}) {
    const request = { ...options, now: time(options.now) };
    if (request.schema !== undefined) request.schema = parsed(request.schema);
    return this.#ask("tg_check", JSON.stringify(request));
  }

  /** Finds what no test exercises, as `tollgate cover --json` does. */
  cover(tests, options = {}) {
    return this.#ask("tg_cover", JSON.stringify({ ...options, tests, now: time(options.now) }));
  }

  /**
   * Compares with a new config, as `tollgate diff --json` does: which of `options.users` move, or without users
   * a proof for each placement that no user moves, or a user that does.
   */
  diff(other, options = {}) {
    if (!(other instanceof Config)) throw new TypeError("the other config must be a Config");
    const request = JSON.stringify({ ...options, now: time(options.now) });
    let engine = this.#ready();
    other.#ready();
    if (other.#engine !== engine) other.#compile(engine);
    let text;
    const status = engine.run(() =>
      engine.with(request, (start, count) => {
        const { exports, result } = engine;
        const status = exports.tg_diff(this.#pointer, other.#pointer, start, count, result);
        text = engine.takeText(result);
        return status;
      }));
    Engine.check(status, text);
    return JSON.parse(text);
  }

  /** Gives the memory back now. Otherwise, garbage collection does. */
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
  return engine?.exports.memory.buffer.byteLength ?? 0;
}

/** The version of the engine, which `initialize` or `Config.load` must have loaded. */
export function version() {
  const { exports } = usableEngine();
  const bytes = new Uint8Array(exports.memory.buffer, exports.tg_version());
  return decoder.decode(bytes.subarray(0, bytes.indexOf(0)));
}
