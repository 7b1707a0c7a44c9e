// Loads the engine's files. The playground in one file has another version of this module.

export const newWorker = () => new Worker(new URL('worker.js', import.meta.url), { type: 'module' })

export async function loadModule() {
  const response = await fetch(new URL('tollgate.wasm', import.meta.url))
  if (!response.ok) throw new Error(`tollgate.wasm: ${response.status}`)
  const isTyped = response.headers.get('content-type')?.startsWith('application/wasm')
  return isTyped ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer())
}

export async function loadJSON(name) {
  const response = await fetch(new URL(name, import.meta.url))
  if (!response.ok) throw new Error(`${name}: ${response.status}`)
  return response.json()
}
