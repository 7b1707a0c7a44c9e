// A text field with line numbers, colours for JSON, and marks under problems. Only visible lines are coloured, so a key
// stroke takes the same time in a long text as in a short text.
import { escaped } from './views.js'

const LINE = 20
const PADDING = 8

export class Editor {
  constructor(element, changed) {
    this.element = element
    this.isJSON = element.dataset.language !== 'text'
    element.innerHTML = '<div class="gutter" aria-hidden="true"><span></span></div><div class="layers">' +
      '<pre class="marks" aria-hidden="true"><span class="lines"></span></pre>' +
      '<textarea spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off"></textarea></div>'
    this.gutter = element.querySelector('.gutter span')
    this.marks = element.querySelector('.marks span')
    this.area = element.querySelector('textarea')
    this.area.setAttribute('aria-label', element.dataset.label)
    this.problems = []
    this.starts = [0]
    this.area.addEventListener('input', () => {
      this.problems = []
      this.measure()
      changed()
    })
    this.area.addEventListener('scroll', () => this.draw())
    new ResizeObserver(() => this.draw()).observe(element)
  }

  get text() { return this.area.value }

  set text(text) {
    if (this.area.value === text) return
    this.area.value = text
    this.problems = []
    this.measure()
  }

  // Problems are {from, to, severity} in UTF-16 units of the text.
  show(problems) {
    this.problems = problems.filter((each) => each.from != null)
    this.element.classList.toggle('failed', problems.some((each) => each.severity === 'error'))
    this.draw()
  }

  select(from, to) {
    this.area.focus({ preventScroll: true })
    this.area.setSelectionRange(from, Math.max(to, from))
    this.reveal(from)
    this.element.scrollIntoView({ block: 'nearest' })
  }

  // Scrolls to a place, vertically and horizontally.
  reveal(place) {
    const line = this.lineAt(place)
    const column = place - this.starts[line]
    this.area.scrollTop = Math.max(0, (line - 3) * LINE)
    const left = column * this.letter()
    const { scrollLeft, clientWidth } = this.area
    if (left < scrollLeft + 20 || left > scrollLeft + clientWidth - 80) this.area.scrollLeft = Math.max(0, left - clientWidth / 3)
    this.draw()
  }

  // The width of a letter.
  letter() {
    const pen = document.createElement('canvas').getContext('2d')
    pen.font = getComputedStyle(this.area).font
    return pen.measureText('m').width
  }

  // Returns the position of the cursor, in pixels from the corner of the field.
  caret() {
    const place = this.area.selectionStart
    const line = this.lineAt(place)
    const style = getComputedStyle(this.area)
    const before = this.text.slice(this.starts[line], place).replaceAll('\t', '  ')
    return {
      left: parseFloat(style.paddingLeft) + before.length * this.letter() - this.area.scrollLeft,
      top: PADDING + line * LINE - this.area.scrollTop, height: LINE,
    }
  }

  lineAt(place) {
    let [low, high] = [0, this.starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.starts[middle] <= place) low = middle
      else high = middle - 1
    }
    return low
  }

  measure() {
    const text = this.text
    this.starts = [0]
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.starts.push(at + 1)
    this.draw()
  }

  // Reads all sizes before writing any, so the browser computes the layout of a long text only once for each key.
  draw() {
    const { clientHeight: height, scrollTop, scrollLeft } = this.area
    if (!height) return
    const text = this.text
    const first = Math.max(0, Math.floor((scrollTop - PADDING) / LINE) - 2)
    const last = Math.min(this.starts.length, first + Math.ceil(height / LINE) + 5)
    const end = last < this.starts.length ? this.starts[last] : text.length
    const numbers = Array.from({ length: last - first }, (_, index) => first + index + 1).join('\n')
    if (this.gutter.textContent !== numbers) this.gutter.textContent = numbers
    const width = `${String(this.starts.length).length + 2.5}ch`
    if (this.gutter.parentElement.style.width !== width) this.gutter.parentElement.style.width = width
    this.marks.innerHTML = this.coloured(text, this.starts[first], end) + '\n'
    const top = first * LINE - scrollTop
    this.gutter.style.transform = `translateY(${top}px)`
    this.marks.style.transform = `translate(${-scrollLeft}px, ${top}px)`
  }

  coloured(text, begin, end) {
    const shown = text.slice(begin, end)
    const spans = this.isJSON ? tokens(shown) : []
    const problems = this.problems.filter((each) => each.from < end && each.to >= begin)
      .map((each) => ({ ...each, from: each.from - begin, to: Math.max(each.to, each.from + 1) - begin }))
    return pieces(shown, spans, problems)
  }
}

// Returns text as HTML with spans for colours, and marks for problems. Spans are in order and do not overlap.
export function pieces(text, spans, problems, back = []) {
  const cuts = new Set([0, text.length])
  for (const list of [spans, problems, back]) for (const each of list) { cuts.add(Math.max(0, each.from)); cuts.add(Math.min(each.to, text.length)) }
  const places = [...cuts].filter((place) => place <= text.length).sort((a, b) => a - b)
  let html = ''
  let span = 0
  for (let index = 0; index + 1 < places.length; index += 1) {
    const [from, to] = [places[index], places[index + 1]]
    while (span < spans.length && spans[span].to <= from) span += 1
    const kind = span < spans.length && spans[span].from <= from ? spans[span].kind : ''
    const problem = problems.find((each) => each.from <= from && from < each.to)
    const behind = back.find((each) => each.from <= from && from < each.to)
    let piece = escaped(text.slice(from, to))
    if (kind) piece = `<span class="${kind}">${piece}</span>`
    if (problem) piece = `<mark class="${problem.severity}">${piece}</mark>`
    if (behind) piece = `<i class="${behind.kind}">${piece}</i>`
    html += piece
  }
  return html
}

function tokens(text) {
  const found = []
  const pattern = /("(?:[^"\\\n]|\\.)*"?)(\s*:)?|-?\b\d[\d.eE+-]*|\b(?:true|false|null)\b/g
  for (const match of text.matchAll(pattern)) {
    const length = match[1] ? match[1].length : match[0].length
    found.push({ from: match.index, to: match.index + length, kind: match[1] ? (match[2] ? 'k' : 's') : 'n' })
  }
  return found
}
