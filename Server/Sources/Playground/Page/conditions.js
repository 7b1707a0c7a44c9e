// Edits conditions in the explanation, as plain text on several lines. In the config, a condition is an escaped string
// on one line.
import { Completion } from './completion.js'
import { pieces } from './editor.js'
import { parsed, placeInString, utf16 } from './json.js'

// Returns the conditions of a Superwall config: [{placement, audience, from, to, value}], where `from` to `to` is the
// JSON string. AgentWallie's audiences have filters, which are edited in the config.
export function conditionsOf(config) {
  const found = []
  for (const trigger of parsed(config)?.members?.get('trigger_options')?.items ?? []) {
    const placement = trigger.members?.get('event_name')?.value
    const rules = trigger.members?.get('rules')?.items
    if (placement == null || !rules || found.some((each) => each.placement === placement)) continue
    rules.forEach((rule, audience) => {
      const node = rule.members?.get('expression_cel')
      if (node?.value != null) found.push({ placement, audience, ...node })
    })
  }
  return found
}

const WORDS = /("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|\b(\d[\w.]*)|\b(true|false|null|in)\b|\b([A-Za-z_]\w*)(?=\()|&&|\|\||[!=<>]=?|\?|:/g

function colours(text) {
  return [...text.matchAll(WORDS)].map((match) => ({
    from: match.index, to: match.index + match[0].length,
    kind: match[1] ? 's' : match[2] ? 'n' : match[4] ? 'f' : 'k',
  }))
}

export class ConditionField {
  // `changed` is called with the new text.
  constructor(label, functions, changed) {
    this.element = document.createElement('div')
    this.element.className = 'condition'
    this.element.innerHTML = '<pre aria-hidden="true"></pre><textarea rows="1" spellcheck="false" autocapitalize="off" autocomplete="off"></textarea>'
    this.marks = this.element.querySelector('pre')
    this.area = this.element.querySelector('textarea')
    this.area.setAttribute('aria-label', label)
    this.clauses = []
    this.problems = []
    this.area.addEventListener('input', () => {
      this.clauses = []
      this.problems = []
      this.draw()
      changed(this.area.value)
    })
    functions.then((all) => { if (all) this.completion = new Completion(this, all, (text, place) => text.slice(0, place)) })
  }

  get text() { return this.area.value }

  // Shows the text of the config, unless the user is typing a newer text.
  set text(text) {
    if (this.area.value !== text && document.activeElement !== this.area) this.area.value = text
    this.draw()
  }

  // Shows the clauses of an explanation, if the explanation is of the current text.
  explain(expression, clauses) {
    const at = utf16(expression)
    this.clauses = expression !== this.text ? [] : clauses.filter((each) => each.range && each.reached && !each.constant).map((each) => ({
      from: at(each.range.from), to: at(each.range.to), kind: { true: 'true', false: 'false' }[each.outcome] ?? 'failed',
    }))
    this.draw()
  }

  show(problems) {
    this.problems = problems
    this.draw()
  }

  draw() {
    // A line break at the end begins an empty line.
    this.marks.innerHTML = pieces(this.text, colours(this.text), this.problems, this.clauses) + (this.text.endsWith('\n') || !this.text ? '\u200b' : '')
  }

  select(from, to) {
    this.area.focus()
    this.area.setSelectionRange(from, Math.max(from, to))
    this.element.scrollIntoView({ block: 'nearest' })
  }

  // Returns the position of the cursor, in pixels from the corner of the field.
  caret() {
    const place = this.area.selectionStart
    const walker = document.createTreeWalker(this.marks, NodeFilter.SHOW_TEXT)
    let rest = place
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (rest <= node.length) {
        const range = document.createRange()
        range.setStart(node, rest)
        const box = range.getBoundingClientRect()
        const corner = this.element.getBoundingClientRect()
        return { left: box.left - corner.left, top: box.top - corner.top, height: box.height || 20 }
      }
      rest -= node.length
    }
    return { left: 8, top: 6, height: 20 }
  }
}

// Returns those problems of the config that are inside a condition, with places in the condition.
export function problemsIn(condition, config, problems) {
  return problems.filter((each) => each.from != null && each.from >= condition.from && each.to <= condition.to).map((each) => {
    const from = placeInString(config, condition.from, each.from)
    return { ...each, from, to: Math.max(from + 1, placeInString(config, condition.from, each.to)) }
  })
}
