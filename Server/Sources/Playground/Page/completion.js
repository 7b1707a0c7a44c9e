// Suggests functions while a condition is typed, each with its signature and a summary.

const MOST = 8
let count = 0

// Returns the condition up to a place in the config, or null outside conditions.
function conditionBefore(text, place) {
  const line = text.slice(text.lastIndexOf('\n', place - 1) + 1, place)
  const found = /"expression(?:_cel)?"\s*:\s*"((?:[^"\\]|\\.)*)$/.exec(line)
  return found && found[1].replace(/\\(.)/g, '$1')
}

// Returns the name at the end of a condition, with its dots, or an empty string inside a string literal.
function nameAtEnd(condition) {
  let quote = null
  for (let index = 0; index < condition.length; index += 1) {
    const letter = condition[index]
    if (quote && letter === '\\') index += 1
    else if (quote) quote = letter === quote ? null : quote
    else if (letter === '"' || letter === "'") quote = letter
  }
  return quote ? '' : /[\w.]*$/.exec(condition)[0]
}

// Returns the functions that a typed name can become. Functions of a namespace match by their whole name or by the part
// after the dot, and methods match after a dot.
function offers(functions, typed) {
  const last = typed.slice(typed.lastIndexOf('.') + 1)
  const begins = (name, part) => part !== '' && name.toLowerCase().startsWith(part.toLowerCase())
  const found = functions.map((each) => {
    if (each.isMethod) return typed.includes('.') && begins(each.name, last) && { ...each, typed: last }
    const isTyped = begins(each.name, typed) || (!typed.includes('.') && begins(each.name.split('.').at(-1), typed))
    return isTyped && { ...each, typed }
  })
  return found.filter((each) => each && each.name !== each.typed)
    .sort((a, b) => a.name.length - b.name.length || (a.name < b.name ? -1 : 1)).slice(0, MOST)
}

export class Completion {
  // `field` is {element, area, caret()}, `functions` are [{name, isMethod, hasArguments, signature, summary}], and
  // `before` returns the condition up to a place in the field's text, or null outside conditions.
  constructor(field, functions, before = conditionBefore) {
    this.field = field
    this.area = field.area
    this.functions = functions
    this.before = before
    this.list = document.createElement('ul')
    this.list.className = 'completions'
    this.list.id = `completions-${count += 1}`
    this.list.setAttribute('role', 'listbox')
    this.list.setAttribute('aria-label', 'Functions')
    this.list.hidden = true
    this.area.parentElement.append(this.list)
    this.area.setAttribute('aria-autocomplete', 'list')
    this.area.setAttribute('aria-controls', this.list.id)
    this.area.addEventListener('input', () => this.open())
    this.area.addEventListener('keydown', (event) => this.press(event))
    for (const name of ['blur', 'click']) this.area.addEventListener(name, () => this.close())
    // Typing scrolls to the cursor.
    this.area.addEventListener('scroll', () => { if (!this.list.hidden) this.place() })
    // mousedown comes before the field loses the cursor.
    this.list.addEventListener('mousedown', (event) => {
      event.preventDefault()
      const option = event.target.closest('[role=option]')
      if (option) this.take(Number(option.dataset.index))
    })
  }

  open() {
    const { value, selectionStart, selectionEnd } = this.area
    const condition = selectionStart === selectionEnd ? this.before(value, selectionStart) : null
    this.offers = condition == null ? [] : offers(this.functions, nameAtEnd(condition))
    if (!this.offers.length) return this.close()
    this.list.replaceChildren(...this.offers.map((each, index) => {
      const option = document.createElement('li')
      option.setAttribute('role', 'option')
      option.id = `${this.list.id}-${index}`
      option.dataset.index = index
      const signature = document.createElement('code')
      signature.textContent = each.signature
      const summary = document.createElement('span')
      summary.textContent = each.summary
      option.append(signature, summary)
      return option
    }))
    this.list.hidden = false
    this.place()
    this.choose(0)
  }

  close() {
    this.list.hidden = true
    this.area.removeAttribute('aria-activedescendant')
  }

  // Places the list below the cursor, or above the cursor if the field scrolls and has no room below.
  place() {
    const { left, top, height } = this.field.caret()
    const room = this.area.parentElement.getBoundingClientRect()
    const scrolls = getComputedStyle(this.area.parentElement).overflow === 'hidden'
    const isBelow = !scrolls || top + height + this.list.offsetHeight <= room.height || top < this.list.offsetHeight
    this.list.style.top = `${isBelow ? top + height : top - this.list.offsetHeight}px`
    this.list.style.left = `${Math.max(0, Math.min(left, room.width - this.list.offsetWidth))}px`
  }

  choose(index) {
    this.chosen = index
    for (const [number, option] of [...this.list.children].entries()) {
      option.setAttribute('aria-selected', String(number === index))
      if (number === index) option.scrollIntoView({ block: 'nearest' })
    }
    this.area.setAttribute('aria-activedescendant', `${this.list.id}-${index}`)
  }

  press(event) {
    if (this.list.hidden || event.isComposing) return
    const count = this.offers.length
    if (event.key === 'ArrowDown') this.choose((this.chosen + 1) % count)
    else if (event.key === 'ArrowUp') this.choose((this.chosen + count - 1) % count)
    else if (event.key === 'Enter' || event.key === 'Tab') this.take(this.chosen)
    else if (event.key === 'Escape') this.close()
    else {
      if (['ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown'].includes(event.key)) this.close()
      return
    }
    event.preventDefault()
  }

  // Replaces the typed text with the function, and moves the cursor to its arguments.
  take(index) {
    const { name, typed, hasArguments } = this.offers[index]
    const end = this.area.selectionStart
    const isCall = this.area.value[end] === '('
    this.area.setSelectionRange(end - typed.length, end)
    // Unlike an assignment, this can be undone.
    document.execCommand('insertText', false, isCall ? name : `${name}()`)
    const cursor = end - typed.length + name.length + (isCall ? 0 : hasArguments ? 1 : 2)
    this.area.setSelectionRange(cursor, cursor)
    this.close()
  }
}
