// Shows how many users get each outcome: the users under Users, or the users of a file.
import { html, put, spreadView } from './views.js'

const $ = (id) => document.getElementById(id)

export class Spread {
  // `ask` drops answers to older questions. `situation` returns {config, users, when, placement, audiences}.
  constructor(engine, ask, situation) {
    this.engine = engine
    this.ask = ask
    this.situation = situation
    this.file = null
    // The last counts, with the source of their users.
    this.counts = null
  }

  open(file) {
    this.file = file
    this.count()
  }

  remove() {
    this.file = null
    this.engine.stopCounting()
    this.count()
  }

  count() {
    $('users-file').hidden = !this.file
    $('users').hidden = Boolean(this.file)
    $('counting').hidden = true
    if (this.file) return this.countFile(this.file)
    const { config, users, when } = this.situation()
    const lines = users.split('\n').filter((line) => line.trim()).join('\n')
    this.ask('spread', () => lines ? this.engine.match(config, lines, when) : null, (answer) => {
      if (answer) this.take(answer)
      else this.say(html`<p class="dim">To count outcomes, add users under Users, one on each line, or open a users file.</p>`)
    }, (error) => this.failed(error))
  }

  countFile(file) {
    const { config, when } = this.situation()
    const began = performance.now()
    $('users-file').querySelector('b').textContent = file.name
    this.progress(0, 0)
    $('spread').classList.add('stale')
    this.ask('spread', () => this.engine.countFile(config, file, when, (...all) => this.progress(...all)), (answer) => {
      $('counting').hidden = true
      const seconds = ((performance.now() - began) / 1000).toLocaleString('en', { maximumFractionDigits: 1 })
      this.take(answer, ` in ${file.name}, counted in ${seconds} s`)
    }, (error) => {
      $('counting').hidden = true
      if (error.code === 'invalid_config') this.failed(error)
      else this.say(html`<p class="bad">${file.name}: ${error.message}</p>`)
    })
  }

  progress(users, part) {
    $('counting').hidden = false
    $('counting').querySelector('progress').value = part
    $('counting').querySelector('span').textContent = users ? `${users.toLocaleString('en')} users` : 'Reading …'
  }

  take(answer, note = '') {
    this.counts = { answer, note }
    this.show()
    $('spread').classList.remove('stale')
  }

  // Shows the last counts again, for the current placement.
  show() {
    if (!this.counts) return
    const { placement, audiences } = this.situation()
    put($('spread'), spreadView(this.counts.answer, placement, audiences, this.counts.note))
  }

  say(text) {
    this.counts = null
    put($('spread'), text)
    $('spread').classList.remove('stale')
  }

  failed(error) {
    if (this.counts) $('spread').classList.add('stale')
    else this.say(html`<p class="bad">${error.message}</p>`)
  }
}
