// Counts the outcomes of a file of users, part by part, so that a file of any size takes little memory.

const MOST_LINE = 1 << 20

// `match` returns the counts of users, one on each line, in about `size` characters. `progress` is called with the
// number of counted users and the counted fraction of the file. The file is NDJSON, CSV or a JSON list, plain or gzip.
export async function countFile(file, match, progress, size = 1 << 20) {
  let done = 0
  let counts = { users: 0, rejected: 0, placements: {} }
  const reader = await rowsOf(file)
  let rows = []
  let length = 0
  const settle = async () => {
    if (!rows.length) return
    counts = added(counts, await match(rows.join('\n')))
    rows = []
    length = 0
    await progress(counts.users + counts.rejected + reader.rejected, file.size ? Math.min(1, done / file.size) : 1)
  }
  for await (const [text, bytes] of texts(file)) {
    for (const row of reader.take(text)) {
      rows.push(row)
      length += row.length
      if (length >= size) await settle()
    }
    done = bytes
  }
  rows.push(...reader.end())
  done = file.size
  await settle()
  return { ...counts, rejected: counts.rejected + reader.rejected }
}

// Yields the text of a file in parts, each with the number of bytes that were read so far.
async function* texts(file) {
  let bytes = 0
  const counted = new TransformStream({ transform(part, out) { bytes += part.length; out.enqueue(part) } })
  let stream = file.stream().pipeThrough(counted)
  if (await isGzip(file)) stream = stream.pipeThrough(new DecompressionStream('gzip'))
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield [part.value, bytes]
}

async function isGzip(file) {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  return first === 0x1f && second === 0x8b
}

async function rowsOf(file) {
  if (/\.csv(\.gz)?$/i.test(file.name ?? '')) return new CSV()
  for await (const [text] of texts(file)) {
    const first = text.trimStart()[0]
    return first === '[' ? new List() : first === '{' || !text.slice(0, 400).split('\n')[0].includes(',') ? new Lines() : new CSV()
  }
  return new Lines()
}

// Lines with a record each. All complete lines of a part are returned at once.
class Lines {
  constructor() { this.rest = ''; this.rejected = 0 }

  *take(text) {
    const end = text.lastIndexOf('\n')
    if (end >= 0) {
      yield this.rest + text.slice(0, end)
      this.rest = text.slice(end + 1)
    } else this.rest += text
    if (this.rest.length > MOST_LINE) throw new Error(`A line has more than ${MOST_LINE} characters. Write one user per line.`)
  }

  end() { return /\S/.test(this.rest) ? [this.rest] : [] }
}

// A JSON list of records.
class List {
  constructor() { this.text = ''; this.rejected = 0 }

  *take(text) { this.text += text }

  end() {
    let records
    try { records = JSON.parse(this.text) } catch (error) { throw new Error(`The file is not valid JSON: ${error.message}`) }
    return records.map((each) => JSON.stringify(each))
  }
}

// Reads rows of CSV as `tollgate precompute` does: names with dots are paths, empty cells are missing, and cells without
// quotes can be numbers, true, false or null.
class CSV {
  constructor() { this.rest = ''; this.rejected = 0; this.columns = null }

  *take(text, isEnd = false) {
    text = this.rest + text
    let at = 0
    for (;;) {
      const row = rowAt(text, at, isEnd)
      if (!row) break
      at = row.end
      if (row.cells.length === 1 && row.cells[0].text === '' && !row.cells[0].isQuoted) continue
      if (!this.columns) this.columns = columnsOf(row.cells.map((cell) => cell.text))
      else if (row.isBad || row.cells.length !== this.columns.count) this.rejected += 1
      else yield record(this.columns.root, row.cells)
    }
    this.rest = text.slice(at)
    if (this.rest.length > MOST_LINE) throw new Error(`A row has more than ${MOST_LINE} characters. Is a quote missing?`)
  }

  end() { return [...this.take('', true)] }
}

// Returns the row at a place of a text, or null if the end of the row has not been read yet.
function rowAt(text, at, isEnd) {
  if (at >= text.length) return null
  const cells = []
  let isBad = false
  for (;;) {
    const isQuoted = text[at] === '"'
    let value
    if (isQuoted) {
      value = ''
      let from = at + 1
      for (;;) {
        const quote = text.indexOf('"', from)
        if (quote < 0) {
          if (!isEnd) return null
          isBad = true
          value += text.slice(from)
          at = text.length
          break
        }
        value += text.slice(from, quote)
        at = quote + 1
        if (text[at] !== '"') break
        value += '"'
        from = at + 1
      }
    }
    // The cell ends at the next separator.
    let to = at
    while (to < text.length && text[to] !== ',' && text[to] !== '\n') to += 1
    if (to >= text.length && !isEnd) return null
    let more = text.slice(at, to)
    if (text[to] !== ',' && more.endsWith('\r')) more = more.slice(0, -1)
    if (!isQuoted) value = more
    else if (more !== '') isBad = true
    cells.push({ text: value, isQuoted })
    at = to + 1
    if (text[to] !== ',') return { cells, isBad, end: Math.min(at, text.length) }
  }
}

function columnsOf(names) {
  names[0] = names[0].replace(/^\ufeff/, '')
  if (!names.includes('userId')) throw new Error(`The header has no column userId. Its columns begin with ${names.slice(0, 8).join(', ')}.`)
  const root = new Map()
  names.forEach((name, column) => {
    const path = name.split('.')
    if (path.includes('')) throw new Error(`The header has the name '${name}' in column ${column + 1}, which is not a valid path.`)
    let node = root
    path.forEach((key, depth) => {
      const isLast = depth === path.length - 1
      const known = node.get(key)
      if (known !== undefined && (isLast || !(known instanceof Map))) throw new Error(`The header repeats '${name}', or also has a member of '${name}'.`)
      if (isLast) node.set(key, column)
      else {
        if (known === undefined) node.set(key, new Map())
        node = node.get(key)
      }
    })
  })
  return { root, count: names.length }
}

function record(node, cells, isRoot = true) {
  const members = []
  for (const [key, place] of node) {
    if (place instanceof Map) members.push(`${JSON.stringify(key)}:${record(place, cells, false)}`)
    else if (cells[place].text !== '' || cells[place].isQuoted) members.push(`${JSON.stringify(key)}:${cellValue(cells[place], isRoot && key === 'userId')}`)
  }
  return `{${members.join(',')}}`
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/
const WORDS = { true: 'true', True: 'true', TRUE: 'true', false: 'false', False: 'false', FALSE: 'false', null: 'null' }

function cellValue({ text, isQuoted }, isText) {
  if (!isText) {
    if (!isQuoted && (NUMBER.test(text) || Object.hasOwn(WORDS, text))) return WORDS[text] ?? text
    if (/^[[{]/.test(text) && !text.includes('\n')) {
      try { JSON.parse(text); return text } catch { /* It is a string. */ }
    }
  }
  return JSON.stringify(text)
}

const sums = (a, b) => Object.fromEntries(Object.keys({ ...a, ...b }).map((key) => [key, (a?.[key] ?? 0) + (b?.[key] ?? 0)]))

// Adds the counts of two groups of users, for the same config.
export function added(a, b) {
  const placements = { ...a.placements }
  for (const [name, part] of Object.entries(b.placements)) {
    const sum = placements[name]
    placements[name] = !sum ? part : {
      ...sum, outcomes: sums(sum.outcomes, part.outcomes), unmatched: sum.unmatched + part.unmatched,
      unmatchedExample: sum.unmatchedExample ?? part.unmatchedExample,
      audiences: sum.audiences.map((audience, index) => addedAudience(audience, part.audiences[index])),
    }
  }
  return { users: a.users + b.users, rejected: a.rejected + b.rejected, placements }
}

function addedAudience(a, b) {
  const sum = { ...a, examples: { ...b.examples, ...a.examples } }
  for (const key of ['reached', 'matched', 'taken', 'heldBack', 'failed']) sum[key] = (a[key] ?? 0) + (b[key] ?? 0)
  sum.variants = a.variants?.map((variant, index) => ({ ...variant, users: variant.users + b.variants[index].users, stored: variant.stored + b.variants[index].stored }))
  return sum
}
