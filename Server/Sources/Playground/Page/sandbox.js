// The test console of the sandbox backend: what apps have sent, and what a person, a store or time
// would do.
import { EngineError } from './engine.js'
import { html, put } from './views.js'

const PARTS = [
  { name: 'checkouts', title: 'Checkouts', path: 'sandbox/checkouts',
    columns: ['id', 'status', 'product'], actions: (each) => isOpen(each) ? [['complete', 'Complete'], ['abandon', 'Abandon']] : [] },
  { name: 'codes', title: 'Codes', path: 'sandbox/codes', id: 'code',
    columns: ['code', 'product', 'status'], actions: () => [['expire', 'Expire']] },
  { name: 'subscriptions', title: 'Subscriptions', path: 'sandbox/subscriptions',
    columns: ['id', 'product', 'user', 'status'], actions: (each) => each.status === 'active' ? [['expire', 'Expire'], ['revoke', 'Revoke']] : [] },
  { name: 'events', title: 'Received events', path: 'sandbox/events?limit=50',
    columns: ['name', 'user', 'receivedAt'], actions: () => [] },
]

const isOpen = (checkout) => checkout.status === 'created' || checkout.status === 'pending'
const remembered = 'tollgate-secret-key'

export function addSandbox(engine, element, article) {
  article.hidden = false
  put(element, html`<p class="dim">What apps sent to this server, and buttons for what people and stores do. It takes the application's
      secret key, which the server printed when it started, or the admin token.</p>
    <form class="bar"><label>Secret key <input type="password" size="24" autocomplete="off" spellcheck="false"></label>
      <button type="submit">Show</button> <output role="status"></output></form>
    <div class="parts"></div>`)
  const field = element.querySelector('input')
  const status = element.querySelector('output')
  field.value = sessionStorage.getItem(remembered) ?? ''

  const ask = (method, path, body) => engine.ask(method, path, body, field.value.trim())

  async function show() {
    sessionStorage.setItem(remembered, field.value.trim())
    try {
      const answers = await Promise.all(PARTS.map((part) => ask('GET', part.path)))
      status.textContent = ''
      put(element.querySelector('.parts'), PARTS.map((part, index) => table(part, answers[index][part.name] ?? [])))
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      status.textContent = error.message
      put(element.querySelector('.parts'), '')
    }
  }

  element.querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault()
    show()
  })
  element.addEventListener('click', async (event) => {
    const path = event.target.closest('button[data-path]')?.dataset.path
    if (!path) return
    try {
      await ask('POST', path)
      await show()
    } catch (error) {
      status.textContent = error.message
    }
  })
  if (field.value) show()
}

function table(part, rows) {
  return html`<h3>${part.title} <span class="dim">${rows.length || 'none yet'}</span></h3>
    ${rows.length ? html`<table><thead><tr>${part.columns.map((name) => html`<th scope="col">${name}</th>`)}<th scope="col"></th></tr></thead><tbody>
      ${rows.map((row) => html`<tr>${part.columns.map((name) => html`<td>${cell(name, row[name])}</td>`)}
        <td>${part.actions(row).map(([action, title]) => html`<button type="button" data-path="${part.path}/${encodeURIComponent(row[part.id ?? 'id'])}/${action}">${title}</button> `)}</td></tr>`)}
      </tbody></table>` : ''}`
}

const cell = (name, value) => name === 'receivedAt' && typeof value === 'number' ? new Date(value).toISOString() : value != null && typeof value === 'object' ? JSON.stringify(value) : value
