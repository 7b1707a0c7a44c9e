// Packs the edited inputs into the fragment of an address, which browsers do not send to a server.

export async function packed(state) {
  const bytes = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(JSON.stringify(state)))
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
}

export async function unpacked(text) {
  const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'))
  const bytes = await through(new DecompressionStream('deflate-raw'), Uint8Array.from(binary, (c) => c.charCodeAt(0)))
  const state = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  if (state === null || typeof state !== 'object' || Array.isArray(state)) throw new Error('not a state')
  return Object.fromEntries(Object.entries(state).filter(([, value]) => typeof value === 'string'))
}

async function through(stream, bytes) {
  const writer = stream.writable.getWriter()
  writer.write(bytes).catch(() => {})
  writer.close().catch(() => {})
  return new Uint8Array(await new Response(stream.readable).arrayBuffer())
}
