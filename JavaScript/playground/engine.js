// Replaces engine.js of the service. This module does not ask a server, but runs the engine in workers of the page.
import { loadJSON, loadModule, newWorker } from './parts.js'

export class EngineError extends Error {
  constructor(code, message) {
    super(message)
    this.code = code
  }
}

// A worker that answers one question at a time. A newer question replaces a waiting question of the same kind.
class Lane {
  constructor(module) {
    this.module = module
    this.waiting = new Map()
    this.running = null
    this.worker = null
    this.count = 0
  }

  ask(key, name, values, progress) {
    return new Promise((resolve, reject) => {
      this.waiting.get(key)?.reject(new EngineError('replaced', 'A newer question replaced this question.'))
      this.waiting.delete(key)
      this.waiting.set(key, { key, name, values, progress, resolve, reject, id: (this.count += 1) })
      // If an outdated question runs longer than this, its worker is replaced.
      if (this.running?.key === key && Date.now() - this.running.since > 1500) this.restart()
      this.next()
    })
  }

  // Stops the running question, and drops waiting questions.
  stop() {
    for (const each of this.waiting.values()) each.reject(new EngineError('replaced', 'The question was stopped.'))
    this.waiting.clear()
    if (this.running) this.restart()
  }

  restart() {
    this.worker?.terminate()
    this.worker = null
    const { reject } = this.running
    this.running = null
    reject(new EngineError('replaced', 'The question was stopped.'))
  }

  async next() {
    const [first] = this.waiting.values()
    if (!first || this.running) return
    this.waiting.delete(first.key)
    this.running = { ...first, since: Date.now() }
    try {
      const module = this.worker ? null : await this.module()
      // The worker may have been stopped in the meantime.
      if (this.running?.id !== first.id) return
      if (module) this.start(module)
      this.worker.postMessage({ id: first.id, name: first.name, values: first.values })
    } catch (error) {
      this.end(first.id, () => first.reject(error))
    }
  }

  start(module) {
    const worker = newWorker()
    worker.onmessage = ({ data: { id, value, error, progress } }) => {
      const asked = this.running
      if (asked?.id !== id) return
      if (progress) return asked.progress?.(...progress)
      this.end(id, () => error ? asked.reject(new EngineError(error.code, error.message)) : asked.resolve(value))
    }
    worker.onerror = (event) => {
      event.preventDefault()
      const asked = this.running
      this.worker = null
      if (asked) this.end(asked.id, () => asked.reject(new EngineError('failed', event.message || 'The engine could not be started.')))
    }
    worker.postMessage({ module })
    this.worker = worker
  }

  end(id, settle) {
    if (this.running?.id !== id) return
    this.running = null
    settle()
    this.next()
  }
}

class ModuleEngine {
  constructor() {
    let loading
    const module = () => loading ??= loadModule().catch((error) => {
      loading = undefined
      throw new EngineError('unreachable', `The engine could not be loaded: ${error.message}`)
    })
    // Proofs take seconds and files take longer, so both run in separate workers and do not delay typing.
    this.quick = new Lane(module)
    this.searches = new Lane(module)
    this.files = new Lane(module)
    this.module = module
  }

  async start() {
    const [start] = await Promise.all([loadJSON('start.json'), this.module()])
    return start
  }

  functions() { return loadJSON('functions.json') }

  check(config) { return this.quick.ask('check', 'check', [config]) }

  explainAll(config, user, when) { return this.quick.ask('explain', 'explainAll', [config, user, when]) }

  smallestChange(config, user, placement, audience, when) {
    return this.searches.ask(`change ${audience}`, 'smallestChange', [config, user, placement, audience, when])
  }

  render(template, products, user, locale, when) { return this.quick.ask('render', 'render', [template, products, user, locale, when]) }

  products(products, locale, when) { return this.quick.ask('products', 'products', [products, locale, when]) }

  match(config, users, when) { return this.searches.ask('match', 'match', [config, users, when]) }

  diff(from, to, when) { return this.searches.ask('diff', 'diff', [from, to, when]) }

  countFile(config, file, when, progress) {
    this.files.stop()
    return this.files.ask('file', 'countFile', [config, file, when], progress)
  }

  stopCounting() { this.files.stop() }
}

export const engine = new ModuleEngine()
