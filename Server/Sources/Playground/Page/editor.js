// A text field with line numbers, colours for JSON, and marks under what is wrong.

const LARGEST_COLOURED = 300_000

export class Editor {
  constructor(element, changed) {
    this.element = element
    this.isJSON = element.dataset.language !== 'text'
    element.innerHTML = '<pre class="gutter" aria-hidden="true"></pre><div class="layers">' +
      '<pre class="marks" aria-hidden="true"></pre>' +
      '<textarea spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off"></textarea></div>'
    this.gutter = element.querySelector('.gutter')
    this.marks = element.querySelector('.marks')
    this.area = element.querySelector('textarea')
    this.area.setAttribute('aria-label', element.dataset.label)
    this.problems = []
    this.area.addEventListener('input', () => {
      this.problems = []
      this.draw()
      changed()
    })
    this.area.addEventListener('scroll', () => this.follow())
  }

  get text() { return this.area.value }

  set text(text) {
    if (this.area.value === text) return
    this.area.value = text
    this.problems = []
    this.draw()
  }

  // Problems are {from, to, severity} in UTF-16 units of the text.
  show(problems) {
    this.problems = problems.filter((each) => each.from != null)
    this.element.classList.toggle('bad', problems.some((each) => each.severity === 'error'))
    this.draw()
  }

  select(from, to) {
    this.area.focus()
    this.area.setSelectionRange(from, Math.max(to, from))
    this.scroll(from)
  }

  // Scrolls to a text where it stands for the first time, and leaves the cursor where it is.
  reveal(text) {
    const from = this.text.indexOf(text)
    if (from >= 0) this.scroll(from)
  }

  scroll(place) {
    const line = this.text.slice(0, place).split('\n').length
    const height = parseFloat(getComputedStyle(this.area).lineHeight)
    this.area.scrollTop = Math.max(0, (line - 4) * height)
    this.follow()
  }

  follow() {
    this.marks.scrollTop = this.gutter.scrollTop = this.area.scrollTop
    this.marks.scrollLeft = this.area.scrollLeft
  }

  draw() {
    const text = this.text
    const lines = text.split('\n').length
    if (lines !== this.lines) {
      this.lines = lines
      this.gutter.textContent = Array.from({ length: lines }, (_, index) => index + 1).join('\n') + '\n'
    }
    const isPlain = text.length > LARGEST_COLOURED
    this.element.classList.toggle('plain', isPlain)
    this.marks.innerHTML = isPlain && !this.problems.length ? '' : this.coloured(text) + '\n'
    this.follow()
  }

  // Where colours and problems begin and end, put together into pieces that do not overlap.
  coloured(text) {
    const spans = this.isJSON && text.length <= LARGEST_COLOURED ? tokens(text) : []
    const cuts = new Set([0, text.length])
    for (const each of spans) { cuts.add(each.from); cuts.add(each.to) }
    const problems = this.problems.map((each) => ({ ...each, to: Math.max(each.to, each.from + 1) }))
    for (const each of problems) { cuts.add(each.from); cuts.add(Math.min(each.to, text.length)) }
    const places = [...cuts].filter((place) => place <= text.length).sort((a, b) => a - b)
    let html = ''
    let span = 0
    for (let index = 0; index + 1 < places.length; index += 1) {
      const [from, to] = [places[index], places[index + 1]]
      while (span < spans.length && spans[span].to <= from) span += 1
      const colour = span < spans.length && spans[span].from <= from ? spans[span].kind : ''
      const problem = problems.find((each) => each.from <= from && from < each.to)
      let piece = escaped(text.slice(from, to))
      if (colour) piece = `<span class="${colour}">${piece}</span>`
      if (problem) piece = `<mark class="${problem.severity}">${piece}</mark>`
      html += piece
    }
    return html
  }
}

export function escaped(text) {
  return String(text).replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c])
}

function tokens(text) {
  const found = []
  const pattern = /("(?:[^"\\\n]|\\.)*"?)(\s*:)?|-?\b\d[\d.eE+-]*|\b(?:true|false|null)\b/g
  for (const match of text.matchAll(pattern)) {
    const length = match[1] ? match[1].length : match[0].length
    const kind = match[1] ? (match[2] ? 'k' : 's') : 'n'
    found.push({ from: match.index, to: match.index + length, kind })
  }
  return found
}

// The server counts bytes of UTF-8; a text field counts UTF-16.
export function offsetsOf(text, bytes) {
  let place = 0
  let seen = 0
  for (const character of text) {
    if (seen >= bytes) break
    const code = character.codePointAt(0)
    seen += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    place += character.length
  }
  return place
}
