// Finds the places of values in JSON text, which JSON.parse does not return.

// A node is {from, to, value?, members?, items?}; `value` exists for strings, `members` maps keys to nodes.
// The result is null for text that is not JSON.
export function parsed(text) {
  let at = 0
  const space = /[\s]*/y
  const literal = /"(?:[^"\\\u0000-\u001f]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y
  const skip = () => { space.lastIndex = at; space.exec(text); at = space.lastIndex }
  function node(depth) {
    skip()
    const from = at
    const opening = text[at]
    if (opening !== '{' && opening !== '[') {
      literal.lastIndex = at
      const found = literal.exec(text)
      if (!found) throw new SyntaxError('not JSON')
      at = literal.lastIndex
      return opening === '"' ? { from, to: at, value: JSON.parse(found[0]) } : { from, to: at }
    }
    if (depth > 200) throw new SyntaxError('too deep')
    at += 1
    const closing = opening === '{' ? '}' : ']'
    const result = opening === '{' ? { from, to: 0, members: new Map() } : { from, to: 0, items: [] }
    skip()
    while (text[at] !== closing) {
      if (result.items) {
        result.items.push(node(depth + 1))
      } else {
        const key = node(depth + 1)
        skip()
        if (key.value == null || text[at] !== ':') throw new SyntaxError('not JSON')
        at += 1
        result.members.set(key.value, node(depth + 1))
      }
      skip()
      if (text[at] === ',') { at += 1; skip() } else if (text[at] !== closing) throw new SyntaxError('not JSON')
    }
    at += 1
    result.to = at
    return result
  }
  try { return node(0) } catch { return null }
}

// Returns the place of an error from a message of JSON.parse.
export function placeIn(text, message) {
  const position = /position (\d+)/.exec(message)
  if (!position) return {}
  const from = Math.min(Number(position[1]), Math.max(0, text.length - 1))
  return { from, to: from + 1 }
}

// Converts a place in a JSON string literal, which begins at `from` with a quote, to a place in the string's value.
export function placeInString(text, from, place) {
  let at = from + 1
  let count = 0
  while (at < place && text[at] !== undefined && text[at] !== '"') {
    at += text[at] === '\\' ? (text[at + 1] === 'u' ? 6 : 2) : 1
    count += 1
  }
  return count
}

// Converts the server's offsets in UTF-8 to offsets in a JavaScript string.
export function utf16(text) {
  // Most texts are ASCII, for which both offsets are the same.
  if (/^[\u0000-\u007f]*$/.test(text)) return (bytes) => Math.min(bytes, text.length)
  const places = []
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at)
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    for (let byte = 0; byte < size; byte += 1) places.push(at)
    if (code > 0xffff) at += 1
  }
  return (bytes) => bytes < places.length ? places[bytes] : text.length
}
