import { Completion } from './completion.js'
import { ConditionField, conditionsOf, problemsIn } from './conditions.js'
import { Editor } from './editor.js'
import { engine } from './engine.js'
import { EXAMPLES } from './examples.js'
import { placeIn, utf16 } from './json.js'
import { packed, unpacked } from './link.js'
import { addSandbox } from './sandbox.js'
import { Spread } from './spread.js'
import { audienceView, changeText, changesView, decisionView, elsewhereView, html, json, outcomeOf, productView, put, sharesView, textView, verdictOf } from './views.js'

const $ = (id) => document.getElementById(id)
const FIELDS = ['config', 'user', 'template', 'products', 'users', 'compared']
const editors = Object.fromEntries(FIELDS.map((name) => [name, new Editor($(name), () => later(name))]))

// The initial inputs if the server's start.json has none.
const SAMPLES = {
  user: '{"userId":"somebody","user":{},"device":{"platform":"iOS"},"params":{},"subscriptionStatus":"INACTIVE"}',
  template: '{{ user.firstName | default: "You" }} can have everything for << products.selected.price >> a << products.selected.period >>.\n',
  products: EXAMPLES[0].products,
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2) + '\n' } catch { return text }
}

// JSON on one line is hard to edit.
const readable = (text) => text.trim().includes('\n') ? text : pretty(text)

// `start` contains the initial inputs, such as the server's own config. `base` is `start` or an example.
let start = null
let base = null
let explanations = []
let placement = ''
let functions = Promise.resolve(null)
// The problems of the config, with places in its text.
let problems = []
// The number of the newest question of each kind. Answers to older questions are dropped.
const rounds = new Map()

const time = () => $('now').value.trim() ? { now: $('now').value.trim() } : {}
const sdk = () => $('sdk').value.trim() ? { sdkVersion: $('sdk').value.trim() } : {}
const when = () => ({ ...time(), ...($('seed').value.trim() && { seed: $('seed').value.trim() }) })

// A notice stays until the next edit or a newer message.
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

// Old results stay, dimmed, while an input is invalid.
function stale(ids, isStale) { for (const id of ids) $(id).classList.toggle('stale', isStale) }

function failedIn(id) {
  return (error) => {
    stale([id], true)
    if (!$(id).childElementCount) put($(id), html`<p class="bad">${error.message}</p>`)
  }
}

const DECIDED = ['decision', 'elsewhere', 'why', 'shares']

function staleDecision(message) {
  stale(DECIDED, Boolean(message))
  $('stale').hidden = !message
  $('stale').textContent = message ?? ''
}

// MARK: Inputs

function record(name) {
  const text = editors[name].text
  try {
    const value = JSON.parse(text)
    problemsOf(name, [])
    return value
  } catch (error) {
    problemsOf(name, [{ severity: 'error', message: `Invalid JSON: ${error.message}`, ...placeIn(text, error.message) }])
    return null
  }
}

// Converts the places of problems from the server to places in a text field.
function placed(text, found) {
  const at = utf16(text)
  return found.map((each) => ({ severity: 'error', ...each, from: each.range ? at(each.range.from) : null, to: each.range ? at(each.range.to) : null }))
}

function problemsOf(name, found) {
  editors[name].show(found)
  const list = $(name === 'config' ? 'problems' : `${name}-problems`)
  if (list) {
    put(list, found.map((each, index) => html`<li class="${each.severity}"><button type="button" data-index="${index}">
      <b>${each.severity}</b> ${each.line ? `line ${each.line}: ` : ''}${each.message}${each.suggestion ? html`; ${each.suggestion}` : ''}</button></li>`))
    list.onclick = (event) => {
      const button = event.target.closest('button')
      if (button) reveal(name, found[Number(button.dataset.index)])
    }
  }
  const count = found.filter((each) => each.severity === 'error').length
  const tab = $(`tab-${name}`)
  tab.querySelector('.count')?.remove()
  if (count) tab.insertAdjacentHTML('beforeend', ` <span class="count">${count}<span hidden> errors</span></span>`)
}

// Selects the place of a problem: in the explanation if it shows the condition, otherwise in the editor.
function reveal(name, problem) {
  if (problem?.from == null) return choose($(`tab-${name}`))
  if (name === 'config') {
    for (const card of cards.values()) {
      const condition = card.field && conditionOf(card.audience)
      const [inside] = condition ? problemsIn(condition, editors.config.text, [problem]) : []
      if (inside) return card.field.select(inside.from, inside.to)
    }
  }
  choose($(`tab-${name}`))
  editors[name].select(problem.from, problem.to)
}

// MARK: The explanation

// The card of each audience. A card stays while its content changes, so the cursor does not move.
let cards = new Map()
let conditions = []

const conditionOf = (audience) => conditions.find((each) => each.placement === placement && each.audience === audience)

function card(audience) {
  const known = cards.get(audience)
  if (known) return known
  const element = document.createElement('section')
  const head = document.createElement('header')
  const below = document.createElement('div')
  element.append(head, below)
  const made = { audience, element, head, below, field: null }
  cards.set(audience, made)
  return made
}

function addField(made) {
  const { audience } = made
  made.field = new ConditionField(`Condition of audience ${audience + 1}`, functions, (text) => edit(audience, text))
  made.element.insertBefore(made.field.element, made.below)
}

// Puts a condition into the config.
function edit(audience, text) {
  const condition = conditionOf(audience)
  if (!condition) return
  const [old, literal] = [editors.config.text, JSON.stringify(text)]
  const shift = literal.length - (condition.to - condition.from)
  editors.config.text = old.slice(0, condition.from) + literal + old.slice(condition.to)
  for (const each of conditions) if (each.from > condition.from) { each.from += shift; each.to += shift }
  condition.to += shift
  condition.value = text
  later('config')
}

function showWhy(one) {
  const audiences = one?.audiences ?? []
  for (const [index, made] of cards) if (!audiences.some((each) => each.index === index)) { made.element.remove(); cards.delete(index) }
  $('why').querySelector('.empty')?.remove()
  if (!audiences.length) $('why').insertAdjacentHTML('beforeend', '<p class="dim empty">This placement has no audience. Add an audience to its <code>rules</code> under Config.</p>')
  for (const audience of audiences) {
    const made = card(audience.index)
    const [kind, text] = verdictOf(audience)
    made.element.className = `audience ${kind}`
    put(made.head, html`<h3>${audience.index + 1}. ${audience.experimentId}</h3><span class="verdict">${text}</span>`)
    const condition = conditionOf(audience.index)
    if (condition && !made.field) addField(made)
    if (!condition && made.field) { made.field.element.remove(); made.field = null }
    if (made.field) {
      made.field.text = condition.value
      made.field.explain(audience.expression ?? '', audience.clauses ?? [])
    }
    put(made.below, html`${made.field ? '' : audience.expression ? html`<p class="code">${audience.expression}</p>` : html`<p class="dim">An audience without a condition matches every user.</p>`}
      ${audienceView(audience)}`)
    if (made.element.parentElement !== $('why')) $('why').append(made.element)
  }
  showMarks()
}

function showMarks() {
  for (const made of cards.values()) {
    const condition = made.field && conditionOf(made.audience)
    if (condition) made.field.show(problemsIn(condition, editors.config.text, problems))
  }
}

function check() {
  const text = editors.config.text
  ask('check', () => engine.check(text), (found) => {
    problems = placed(text, found)
    problemsOf('config', problems)
    if (editors.config.text === text) showMarks()
  }, (error) => problemsOf('config', [{ severity: 'error', message: error.message }]))
}

function explain() {
  const user = record('user')
  if (user == null) return staleDecision('The user is not valid JSON. The last result is shown.')
  say('Deciding …')
  const text = editors.config.text
  ask('explain', () => engine.explainAll(text, user, { ...when(), ...sdk() }), (answer) => {
    explanations = answer
    say('')
    staleDecision(null)
    if (!explanations.some((each) => each.placement === placement)) placement = explanations.find((each) => each.placement === base?.placement)?.placement ?? explanations[0]?.placement ?? ''
    // Edits since the question have already moved the places.
    if (editors.config.text === text) conditions = conditionsOf(text)
    showDecision()
  }, (error) => {
    say('')
    staleDecision(error.code === 'invalid_config' || error.code === 'not_json' ? 'The config has an error. The last result is shown.' : `${error.message}. The last result is shown.`)
  })
}

function showDecision() {
  const one = explanations.find((each) => each.placement === placement)
  // A paywall closes the gate.
  document.querySelector('.gate').setAttribute('class', `gate ${one ? outcomeOf(one.result, one.paywall).kind : ''}`)
  const names = explanations.map((each) => each.placement)
  // The options are replaced only if they have changed, so the field does not lose the focus.
  if (json(names) !== json([...$('placement').options].map((each) => each.value))) {
    $('placement').replaceChildren(...names.map((name) => new Option(name, name)))
  }
  $('placement').value = placement
  $('decision').querySelector('.question').hidden = !one
  $('who').textContent = one?.userId ?? ''
  put($('answer'), one ? decisionView(one) : html`<p class="outcome nothing">no placement</p><p class="because">The config has no placements. Add a placement to <code>trigger_options</code> under Config, or start from an example.</p>`)
  put($('elsewhere'), elsewhereView(explanations, placement))
  showWhy(one)
  spread.show()
  put($('shares'), sharesView(one))
  const user = record('user')
  for (const element of $('why').querySelectorAll('[data-change]')) {
    const audience = Number(element.dataset.change)
    ask(`change ${audience}`, () => engine.smallestChange(editors.config.text, user, placement, audience, { ...when(), ...sdk() }), (answer) => {
      element.classList.remove('dim')
      put(element, changeText(answer))
    }, () => element.remove())
  }
}

function show(name) {
  if (name === placement) return
  placement = name
  for (const made of cards.values()) made.element.remove()
  cards = new Map()
  showDecision()
}

// MARK: The rest

const spread = new Spread(engine, ask, () => ({
  config: editors.config.text, users: editors.users.text, when: { ...when(), ...sdk() }, placement,
  audiences: explanations.find((each) => each.placement === placement)?.audiences?.map((each) => each.experimentId) ?? [],
}))
const countUsers = () => spread.count()

function render() {
  const [products, user] = [record('products'), record('user')]
  const locale = $('locale').value.trim() || undefined
  if (products == null) return stale(['text', 'product-table'], true)
  const text = editors.template.text
  if (user == null) stale(['text'], true)
  else ask('render', () => engine.render(text, products, user, locale, { ...time(), ...sdk() }), (answer) => {
    problemsOf('template', placed(text, answer.errors ?? []))
    put($('text'), textView(answer))
    stale(['text'], false)
  }, failedIn('text'))
  ask('products', () => engine.products(products, locale, { ...time(), ...sdk() }), (answer) => {
    put($('product-table'), productView(answer.products ?? answer))
    stale(['product-table'], false)
  }, failedIn('product-table'))
}

function compare() {
  const element = document.querySelector('.changes')
  const [from, to] = [editors.compared.text, editors.config.text]
  if (from === to) {
    element.classList.remove('found')
    stale(['changes'], false)
    return put($('changes'), html`<p class="dim">No edits yet. Change a condition, and see here which users it affects, with a proof or an example.
      To compare with another config, open it under Compare.</p>`)
  }
  ask('compare', () => engine.diff(from, to, when()), (answer) => {
    element.classList.add('found')
    put($('changes'), changesView(answer))
    stale(['changes'], false)
  }, failedIn('changes'))
}

function checkCompared() {
  const text = editors.compared.text
  if (text === base.config) return problemsOf('compared', [])
  ask('check compared', () => engine.check(text), (found) => {
    problemsOf('compared', placed(text, found.filter((each) => each.severity === 'error')))
  }, (error) => problemsOf('compared', [{ severity: 'error', message: error.message }]))
}

// MARK: Following edits

const NEEDS = { config: [check, explain, countUsers, compare], user: [explain, render], template: [render], products: [render], users: [countUsers], compared: [checkCompared, compare] }
const timers = new Map()

function later(name) {
  notice = ''
  for (const work of NEEDS[name]) {
    clearTimeout(timers.get(work))
    timers.set(work, setTimeout(work, work === check || work === explain || work === render ? 250 : 700))
  }
}

function everything() { for (const work of [check, explain, render, countUsers, compare, checkCompared]) work() }

// MARK: Tabs, links, buttons

function choose(tab) {
  for (const each of document.querySelectorAll('[role=tab]')) {
    const isChosen = each === tab
    each.setAttribute('aria-selected', String(isChosen))
    each.tabIndex = isChosen ? 0 : -1
    $(each.getAttribute('aria-controls')).hidden = !isChosen
  }
  editors[tab.id.slice('tab-'.length)].draw()
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
// MARK: Files

// A short file of users can be edited. A long file is only counted.
const MOST_EDITED = 200_000

async function open(chosen) {
  if (!chosen) return
  const name = document.querySelector('[role=tab][aria-selected=true]').id.slice('tab-'.length)
  const isEdited = name !== 'users' || (chosen.size < MOST_EDITED && /\.(ndjson|jsonl)$/i.test(chosen.name))
  if (isEdited) {
    const text = await chosen.text()
    editors[name].text = name === 'template' || name === 'users' ? text : readable(text)
    if (name === 'users') spread.remove()
    later(name)
  } else {
    spread.open(chosen)
    $('h-spread').scrollIntoView({ block: 'nearest' })
  }
  say(`Opened ${chosen.name}.`)
}

$('open').addEventListener('click', () => $('file').click())
$('file').addEventListener('change', () => {
  open($('file').files[0])
  $('file').value = ''
})
$('users-file').querySelector('button').addEventListener('click', () => spread.remove())
const inputs = document.querySelector('.inputs')
for (const kind of ['dragenter', 'dragover']) {
  inputs.addEventListener(kind, (event) => {
    if (![...event.dataTransfer.types].includes('Files')) return
    event.preventDefault()
    inputs.classList.add('dropping')
  })
}
for (const kind of ['dragleave', 'drop']) {
  inputs.addEventListener(kind, (event) => {
    if (kind === 'dragleave' && inputs.contains(event.relatedTarget)) return
    inputs.classList.remove('dropping')
    if (kind === 'dragleave' || !event.dataTransfer.files.length) return
    event.preventDefault()
    open(event.dataTransfer.files[0])
  })
}

$('main').addEventListener('click', (event) => {
  const button = event.target.closest('button[data-placement]')
  if (!button) return
  if (button.dataset.user) {
    editors.user.text = button.dataset.user
    later('user')
    choose($('tab-user'))
  }
  show(button.dataset.placement)
})
$('placement').addEventListener('change', () => show($('placement').value))
for (const id of ['now', 'seed', 'sdk']) $(id).addEventListener('change', everything)
$('locale').addEventListener('input', () => { clearTimeout(timers.get('locale')); timers.set('locale', setTimeout(render, 250)) })

$('share').addEventListener('click', async () => {
  const state = { placement, now: $('now').value, seed: $('seed').value, sdk: $('sdk').value, locale: $('locale').value, example: $('example').value }
  for (const name of FIELDS) if (editors[name].text !== base[name]) state[name] = editors[name].text
  if (spread.file) notice = 'The link does not include the users file.'
  const link = `${location.href.split('#')[0]}#${await packed(state)}`
  history.replaceState(null, '', link)
  try {
    await navigator.clipboard.writeText(link)
    say('The link is copied. It contains all inputs.')
  } catch {
    say('The link is in the address bar.')
  }
})

// Shows the server's inputs or an example, with the edits of a link.
function fill(state = {}) {
  const number = Number(state.example || 0)
  base = number ? { ...start, now: '', ...EXAMPLES[number - 1] } : { ...start }
  base.compared = base.config
  $('example').value = String(number)
  for (const name of FIELDS) editors[name].text = state[name] ?? base[name] ?? ''
  $('now').value = state.now ?? base.now ?? ''
  $('seed').value = state.seed ?? base.seed ?? ''
  $('sdk').value = state.sdk ?? ''
  $('locale').value = state.locale ?? ''
  for (const made of cards.values()) made.element.remove()
  cards = new Map()
  placement = state.placement ?? base.placement ?? ''
  everything()
}

$('example').addEventListener('change', () => {
  history.replaceState(null, '', location.pathname)
  fill({ example: $('example').value })
})
$('reset').addEventListener('click', () => {
  history.replaceState(null, '', location.pathname)
  fill({ example: $('example').value })
})

function lock(isLocked, message = '') {
  $('locked').hidden = !isLocked
  $('main').hidden = isLocked
  document.querySelector('.tools').hidden = isLocked
  $('key-status').textContent = message
  if (isLocked) $('key').focus()
}

async function begin() {
  engine.key = sessionStorage.getItem('tollgate-key')
  say('Loading …')
  try {
    start = await engine.start()
  } catch (error) {
    if (error.status === 401 || error.status === 403) return lock(true, engine.key ? error.message : '')
    return say(error.message, true)
  }
  lock(false)
  if (start.about) $('about').textContent = start.about
  for (const name of FIELDS) start[name] ??= SAMPLES[name] ?? ''
  for (const name of ['config', 'user']) start[name] = readable(start[name])
  $('example').replaceChildren(new Option(start.name ?? "this server's config", '0'), ...EXAMPLES.map((each, index) => new Option(each.name, String(index + 1))))
  let state = {}
  if (location.hash.length > 1) {
    try { state = await unpacked(location.hash.slice(1)) } catch { notice = 'This link is damaged. The default inputs are shown.' }
  }
  // The page also works without the list of functions.
  functions = engine.functions().catch(() => null)
  functions.then((all) => { if (all && !editors.config.completion) editors.config.completion = new Completion(editors.config, all) })
  fill(state)
  if (start.hasSandbox) addSandbox(engine, $('sandbox'), $('sandbox-article'))
}

$('key-form').addEventListener('submit', (event) => {
  event.preventDefault()
  sessionStorage.setItem('tollgate-key', $('key').value.trim())
  begin()
})
window.addEventListener('hashchange', () => location.reload())
begin()
