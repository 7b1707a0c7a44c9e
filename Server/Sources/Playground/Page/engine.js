// The page's only interface to the engine, over HTTP. In the playground without a server,
// JavaScript/playground/engine.js replaces this file. It has the same functions, and answers as the command's --json.
import { countFile } from './counting.js'

export class EngineError extends Error {
  constructor(code, message, status) {
    super(message)
    this.code = code
    this.status = status
  }
}

class HTTPEngine {
  constructor() {
    this.key = null
    this.counting = 0
  }

  // The initial inputs: {config, user, template, products, users, now, seed, hasSandbox, name?, about?}.
  start() { return this.ask('GET', 'playground/start.json') }

  // The functions that conditions can call: [{name, isMethod, hasArguments, signature, summary}].
  functions() { return this.ask('GET', 'playground/functions.json') }

  // The problems of a config: [{code, severity, path, line, column, range, message, suggestion}].
  check(config) { return this.ask('POST', 'v1/check', { config }).then((answer) => answer.diagnostics) }

  // The outcome of each placement for a user, and the reasons.
  explainAll(config, user, when) {
    return this.ask('POST', 'v1/explain', { config, user, all: true, ...when })
  }

  // The smallest change after which an audience takes the user.
  smallestChange(config, user, placement, audience, when) {
    return this.ask('POST', 'v1/explain', { config, user, placement, audience, ...when })
  }

  render(template, products, user, locale, when) {
    return this.ask('POST', 'v1/render', { template, products, user, locale, claims: true, ...when })
  }

  products(products, locale, when) { return this.ask('POST', 'v1/products', { products, locale, ...when }) }

  // The numbers of users that each audience reaches, matches and takes.
  match(config, users, when) { return this.ask('POST', 'v1/match', { config, users, ...when }) }

  // Like `match`, for a file. `progress` is called with the number of counted users and the counted fraction of the file.
  countFile(config, file, when, progress) {
    const round = (this.counting += 1)
    const goesOn = (users, part) => {
      if (round !== this.counting) throw new EngineError('replaced', 'The count was stopped.')
      progress(users, part)
    }
    return countFile(file, (users) => this.match(config, users, when), goesOn, 1 << 18)
  }

  stopCounting() { this.counting += 1 }

  // The differences between two configs: a proof or example users for each placement.
  diff(from, to, when) { return this.ask('POST', 'v1/diff', { old: from, new: to, ...when }) }

  // Sends a request, with a key if there is one.
  async ask(method, path, body, key = this.key) {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), 30_000)
    let response
    try {
      response = await fetch(path, {
        method,
        headers: { ...(body && { 'content-type': 'application/json' }), ...(key && { authorization: `Bearer ${key}` }) },
        body: body ? JSON.stringify(body) : undefined,
        signal: controller.signal,
      })
    } catch (error) {
      throw new EngineError('unreachable', error.name === 'AbortError'
        ? 'The server took longer than 30 seconds to answer.' : 'The server does not answer.')
    } finally {
      clearTimeout(timer)
    }
    const text = await response.text()
    let answer
    try { answer = JSON.parse(text) } catch { throw new EngineError('badAnswer', `The server answered with status ${response.status}.`) }
    if (!response.ok) {
      const error = answer.error ?? {}
      throw new EngineError(error.code ?? String(response.status), error.message ?? `The server answered with status ${response.status}.`, response.status)
    }
    return answer
  }
}

export const engine = new HTTPEngine()
