import { Completion } from './completion.js'
import { Editor, offsetsOf } from './editor.js'
import { HTTPEngine } from './engine.js'
import { addSandbox } from './sandbox.js'
import { packed, unpacked } from './link.js'
import { changeText, changesView, decisionView, html, json, productView, put, spreadView, textView, whyView } from './views.js'

const engine = new HTTPEngine()
const $ = (id) => document.getElementById(id)
const FIELDS = ['config', 'user', 'template', 'products', 'users']
const editors = Object.fromEntries(FIELDS.map((name) => [name, new Editor($(name), () => later(name))]))

// What the page begins with where the server has nothing to begin with.
const SAMPLES = {
  user: '{"userId":"somebody","user":{},"device":{"platform":"iOS"},"params":{},"subscriptionStatus":"INACTIVE"}',
  template: '{{ user.firstName | default: "You" }} can have everything for << products.selected.price >> a << products.selected.period >>.\n',
  products: `{"products": [
  {"slot": "primary", "identifier": "pro.yearly", "price": "59.99", "currency": "USD", "period": {"unit": "year", "count": 1}},
  {"slot": "secondary", "identifier": "pro.monthly", "price": "9.99", "currency": "USD", "period": {"unit": "month", "count": 1}}
]}
`,
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2) + '\n' } catch { return text }
}

let start = null
let completion = null
let explanations = []
// Answers that arrive after a newer question was asked are dropped.
const rounds = new Map()

const when = () => ({ ...($('now').value.trim() && { now: $('now').value.trim() }), ...($('seed').value.trim() && { seed: $('seed').value.trim() }) })

// What stays until the next edit when there is nothing newer to say.
let notice = ''

function say(text, isBad = false) {
  $('status').textContent = text || notice
  $('status').classList.toggle('bad', isBad || (!text && notice !== ''))
}

async function ask(name, question, show, failed) {
  const round = (rounds.get(name) ?? 0) + 1
  rounds.set(name, round)
  try {
    const answer = await question()
    if (rounds.get(name) === round) show(answer)
  } catch (error) {
    if (rounds.get(name) !== round) return
    if (error.code === 'unreachable') say(error.message, true)
    failed(error)
  }
}

const failedIn = (id) => (error) => put($(id), html`<p class="bad">${error.message}</p>`)

// MARK: What is written

function record(name) {
  const text = editors[name].text
  try {
    const value = JSON.parse(text)
    problemsOf(name, [])
    return value
  } catch (error) {
    problemsOf(name, [{ severity: 'error', message: `This is not JSON: ${error.message}`, ...placeIn(text, error.message) }])
    return null
  }
}

function placeIn(text, message) {
  const position = /position (\d+)/.exec(message)
  if (!position) return {}
  const from = Math.min(Number(position[1]), Math.max(0, text.length - 1))
  return { from, to: from + 1 }
}

function problemsOf(name, problems) {
  editors[name].show(problems)
  const list = $(name === 'config' ? 'problems' : `${name}-problems`)
  if (list) {
    put(list, problems.map((each, index) => html`<li class="${each.severity}"><button type="button" data-index="${index}">
      <b>${each.severity}</b> ${each.line ? `line ${each.line}: ` : ''}${each.message}${each.suggestion ? html`; <span class="dim">${each.suggestion}</span>` : ''}
      ${each.path ? html`<br><code class="dim">${each.path}</code>` : ''}</button></li>`))
    list.onclick = (event) => {
      const button = event.target.closest('button')
      const problem = button && problems[Number(button.dataset.index)]
      if (problem?.from != null) editors[name].select(problem.from, problem.to)
    }
  }
  const count = problems.filter((each) => each.severity === 'error').length
  const tab = $(`tab-${name}`)
  tab.querySelector('.count')?.remove()
  if (count) tab.insertAdjacentHTML('beforeend', ` <span class="count">${count}<span hidden> errors</span></span>`)
}

// MARK: What is shown

function check() {
  const text = editors.config.text
  ask('check', () => engine.check(text), (diagnostics) => {
    problemsOf('config', diagnostics.map((each) => ({
      ...each,
      from: each.range ? offsetsOf(text, each.range.from) : null,
      to: each.range ? offsetsOf(text, each.range.to) : null,
    })))
  }, (error) => problemsOf('config', [{ severity: 'error', message: error.message }]))
}

function explain() {
  const user = record('user')
  if (user == null) {
    put($('decision'), html`<p class="bad">The user cannot be read; see the tab User.</p>`)
    put($('why'), '')
    return
  }
  say('Deciding …')
  ask('explain', () => engine.explainAll(editors.config.text, user, when()), (answer) => {
    const isFirst = !explanations.length
    explanations = answer
    say('')
    fillPlacements()
    if (isFirst) showPlacement()
    else showDecision()
  }, (error) => {
    say('')
    failedIn('decision')(error)
    put($('why'), '')
  })
}

function fillPlacements() {
  const names = explanations.map((each) => each.placement)
  const select = $('placement')
  const chosen = names.includes(select.value) ? select.value : names.includes(start?.placement) ? start.placement : names[0]
  if (json(names) !== json([...select.options].map((each) => each.value))) {
    select.replaceChildren(...names.map((name) => new Option(name, name)))
  }
  select.value = chosen ?? ''
}

function showDecision() {
  const chosen = $('placement').value
  const one = explanations.find((each) => each.placement === chosen)
  put($('decision'), decisionView(explanations, chosen))
  put($('why'), whyView(one))
  const user = record('user')
  for (const element of $('why').querySelectorAll('[data-change]')) {
    const audience = Number(element.dataset.change)
    ask(`change ${audience}`, () => engine.smallestChange(editors.config.text, user, chosen, audience, when()),
      (answer) => put(element, changeText(answer)), () => element.remove())
  }
}

function showPlacement() {
  showDecision()
  editors.config.reveal(json($('placement').value))
}

function render() {
  const [products, user] = [record('products'), record('user')]
  const locale = $('locale').value.trim() || undefined
  if (products == null) {
    put($('text'), html`<p class="bad">The products cannot be read; see the tab Products.</p>`)
    put($('product-table'), '')
    return
  }
  ask('render', () => engine.render(editors.template.text, products, user ?? {}, locale, when()), (answer) => {
    const problems = (answer.diagnostics ?? []).map((each) => ({ ...each,
      from: each.range ? offsetsOf(editors.template.text, each.range.from) : null,
      to: each.range ? offsetsOf(editors.template.text, each.range.to) : null }))
    problemsOf('template', problems)
    put($('text'), textView(answer))
  }, (error) => {
    problemsOf('template', [{ severity: 'error', message: error.message }])
    failedIn('text')(error)
  })
  ask('products', () => engine.products(products, locale, when()), (answer) => put($('product-table'), productView(answer.products)), failedIn('product-table'))
}

function spread() {
  const lines = editors.users.text.split('\n').filter((line) => line.trim())
  if (!lines.length) {
    put($('spread'), html`<p class="dim">Write users under Sample users, one on each line.</p>`)
    return
  }
  ask('spread', () => engine.match(editors.config.text, lines.join('\n'), when()), (answer) => put($('spread'), spreadView(answer, $('placement').value)), failedIn('spread'))
}

function compare() {
  if (editors.config.text === start.config) {
    put($('changes'), html`<p class="dim">Nothing yet: this is the config that the server runs. Change a condition, and see here for whom it matters.</p>`)
    return
  }
  ask('compare', () => engine.diff(start.config, editors.config.text, when()), (answer) => put($('changes'), changesView(answer)), failedIn('changes'))
}

// MARK: Following edits

const NEEDS = { config: [check, explain, spread, compare], user: [explain, render], template: [render], products: [render], users: [spread] }
const timers = new Map()

function later(name) {
  notice = ''
  for (const work of NEEDS[name]) {
    clearTimeout(timers.get(work))
    timers.set(work, setTimeout(work, work === check || work === explain || work === render ? 250 : 700))
  }
}

function everything() { for (const work of [check, explain, render, spread, compare]) work() }

// MARK: Tabs, links, buttons

function choose(tab) {
  for (const each of document.querySelectorAll('[role=tab]')) {
    const isChosen = each === tab
    each.setAttribute('aria-selected', String(isChosen))
    each.tabIndex = isChosen ? 0 : -1
    $(each.getAttribute('aria-controls')).hidden = !isChosen
  }
  const editor = editors[tab.id.slice('tab-'.length)]
  editor.lines = 0
  editor.draw()
}

$('tabs').addEventListener('click', (event) => {
  const tab = event.target.closest('[role=tab]')
  if (tab) choose(tab)
})
$('tabs').addEventListener('keydown', (event) => {
  const tabs = [...document.querySelectorAll('[role=tab]')]
  const index = tabs.indexOf(document.activeElement)
  const next = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key]
  if (next == null || index < 0) return
  event.preventDefault()
  const tab = tabs[(next + tabs.length) % tabs.length]
  choose(tab)
  tab.focus()
})
$('results').addEventListener('click', (event) => {
  const button = event.target.closest('button[data-placement]')
  if (!button) return
  if (button.dataset.user) {
    editors.user.text = button.dataset.user
    later('user')
    choose($('tab-user'))
  }
  $('placement').value = button.dataset.placement
  showPlacement()
})
$('placement').addEventListener('change', showPlacement)
for (const id of ['now', 'seed']) $(id).addEventListener('change', everything)
$('locale').addEventListener('input', () => { clearTimeout(timers.get('locale')); timers.set('locale', setTimeout(render, 250)) })

$('share').addEventListener('click', async () => {
  const state = { placement: $('placement').value, now: $('now').value, seed: $('seed').value, locale: $('locale').value }
  for (const name of FIELDS) if (editors[name].text !== start[name]) state[name] = editors[name].text
  const link = `${location.origin}${location.pathname}#${await packed(state)}`
  history.replaceState(null, '', link)
  try {
    await navigator.clipboard.writeText(link)
    say('The link is copied; everything is in it.')
  } catch {
    say('The link is in the address bar.')
  }
})

function fill(state) {
  for (const name of FIELDS) editors[name].text = state[name] ?? start[name] ?? ''
  $('now').value = state.now ?? start.now ?? ''
  $('seed').value = state.seed ?? start.seed ?? ''
  $('locale').value = state.locale ?? ''
  if (state.placement) start.placement = state.placement
  everything()
}

$('reset').addEventListener('click', () => {
  history.replaceState(null, '', location.pathname)
  fill({})
})

async function begin() {
  engine.key = sessionStorage.getItem('tollgate-key')
  try {
    start = await engine.start()
  } catch (error) {
    say(error.message, true)
    if (error.status === 401 || error.status === 403) $('key-label').hidden = false
    return
  }
  $('key-label').hidden = true
  for (const name of FIELDS) start[name] ??= SAMPLES[name] ?? ''
  if (!start.user.trim().includes('\n')) start.user = pretty(start.user)
  let state = {}
  if (location.hash.length > 1) {
    try { state = await unpacked(location.hash.slice(1)) } catch { notice = 'This link is damaged; here is what the server runs.' }
  }
  fill(state)
  // Without them there is everything else.
  if (!completion) completion = engine.functions().then((all) => new Completion(editors.config.area, all), () => null)
  if (start.hasSandbox) addSandbox(engine, $('sandbox'), $('sandbox-article'))
}

$('key').addEventListener('change', () => {
  sessionStorage.setItem('tollgate-key', $('key').value.trim())
  begin()
})
window.addEventListener('hashchange', () => location.reload())
begin()
