// Instances of the engine, their memory, and the errors that they report.

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
  /** The faulty member, if known. */
  get path() {
    return this.details.path;
  }

  /** The position of the faulty byte, if the request is not JSON. */
  get offset() {
    return this.details.offset;
  }
}

// Errors by the codes that functions of Sources/CTollgate/tollgate.h return.
const errorTypes = [undefined, RecordError, ConfigError, RecordError];

const badFile = 8;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
// The largest scratch buffer that is reused between calls.
const mostScratch = 1 << 20;

/** One instance of a module, with its memory. */
export class Engine {
  constructor(module) {
    const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: this.#system() });
    this.exports = instance.exports;
    this.exports._initialize();
    // Space for a pointer or a text that a function returns: two 32-bit numbers.
    this.result = this.exports.malloc(16);
    this.scratch = 0;
    this.capacity = 0;
    this.hasFailed = false;
  }

  // Views of the memory are created again, because growing the memory replaces its buffer.
  #bytes = new Uint8Array();
  #words = new Uint32Array();

  get bytes() {
    const { buffer } = this.exports.memory;
    return this.#bytes.buffer === buffer ? this.#bytes : (this.#bytes = new Uint8Array(buffer));
  }

  /** A view of the memory as 32-bit numbers. */
  get words() {
    const { buffer } = this.exports.memory;
    return this.#words.buffer === buffer ? this.#words : (this.#words = new Uint32Array(buffer));
  }

  /** The system calls that the C library makes. */
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
      // The engine has no files.
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
    // A call inside this call needs a scratch buffer of its own.
    this.scratch = 0;
    let count = most;
    if (typeof text === "string") count = encoder.encodeInto(text, this.bytes.subarray(start, start + most)).written;
    else this.bytes.set(text, start);
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

  /** Returns the text that a function returned, and frees its memory. */
  takeText(at) {
    const { words } = this;
    const [start, count] = [words[at >> 2], words[(at >> 2) + 1]];
    if (start === 0) return "";
    const text = decoder.decode(this.bytes.subarray(start, start + count));
    this.exports.free(start);
    return text;
  }

  /** Runs a function of the engine. After a trap, the instance is never used again. */
  run(body) {
    try {
      return body();
    } catch (error) {
      if (error instanceof TollgateError) throw error;
      this.hasFailed = true;
      throw new TollgateError(`internal error; please report it: ${error.message}`, "internal", {
        cause: error,
      });
    }
  }

  /** Calls a function with a request, and returns its answer. Other arguments precede the request. */
  ask(name, request, ...before) {
    const call = this.exports[name];
    if (!call) throw new TollgateError(`this module has no ${name}; load tollgate.wasm`, "not_in_module");
    let text;
    const status = this.run(() =>
      this.with(request, (start, count) => {
        const status = call(...before, start, count, this.result);
        text = this.takeText(this.result);
        return status;
      }));
    Engine.check(status, text);
    return text;
  }

  /** Throws the error that a function reports. */
  static check(status, text) {
    if (status === 0) return;
    const { code, message, ...details } = text === "" ? {} : JSON.parse(text);
    const Type = errorTypes[status] ?? TollgateError;
    throw new Type(message ?? `the engine returned ${status}`, code ?? "internal", details);
  }
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

/** A module of the engine, and the instance that new calls use. */
export class Loader {
  #usual;
  #compiled;
  #module;
  #engine;

  /** @param usual the module that is loaded by default. */
  constructor(usual) {
    this.#usual = usual;
  }

  async initialize(source = this.#usual) {
    this.#compiled ??= compile(source);
    try {
      this.#module = await this.#compiled;
    } catch (error) {
      this.#compiled = undefined;
      throw error;
    }
    this.usable();
  }

  /** Returns an instance that has not failed. */
  usable() {
    if (!this.#module) {
      throw new TollgateError("the engine is not loaded; await initialize() first", "not_loaded");
    }
    if (!this.#engine || this.#engine.hasFailed) this.#engine = new Engine(this.#module);
    return this.#engine;
  }

  /** The bytes of memory that the instance has taken from the system. */
  get memoryBytes() {
    return this.#engine?.exports.memory.buffer.byteLength ?? 0;
  }
}
