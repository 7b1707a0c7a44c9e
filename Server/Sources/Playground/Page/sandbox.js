// The test console of the sandbox backend. It lists data from apps, and has buttons for actions of users and stores.
import { EngineError } from './engine.js'
import { html, put } from './views.js'

const PARTS = [
  { name: 'checkouts', empty: 'A checkout appears here when an app begins a web purchase.', title: 'Checkouts', path: 'sandbox/checkouts',
    columns: ['id', 'state', 'product'], actions: (each) => isOpen(each) ? [['complete', 'Complete'], ['abandon', 'Abandon']] : [] },
  { name: 'codes', empty: 'Codes appear here when a checkout is completed.', title: 'Codes', path: 'sandbox/codes', id: 'code',
    columns: ['code', 'product', 'state'], actions: (each) => each.state === 'valid' ? [['expire', 'Expire']] : [] },
  { name: 'subscriptions', empty: 'Subscriptions appear here when a code is redeemed or a transaction is sent.', title: 'Subscriptions', path: 'sandbox/subscriptions',
    columns: ['id', 'product', 'user', 'status'], actions: (each) => each.status === 'active' ? [['expire', 'Expire'], ['revoke', 'Revoke']] : [] },
  { name: 'events', empty: 'Events appear here when an app sends them to /api/v1/events.', title: 'Received events', path: 'sandbox/events?limit=50',
    columns: ['name', 'user', 'receivedAt'], actions: () => [] },
]

const isOpen = (checkout) => checkout.state === 'created' || checkout.state === 'processing'
// The state of a code follows from the times when it was revoked or expires.
const codeState = (code) => code.state ?? (code.revokedAt ? 'revoked' : code.expiresAt && code.expiresAt <= Date.now() ? 'expired' : 'valid')
const remembered = 'tollgate-secret-key'

export function addSandbox(engine, element, article) {
  article.hidden = false
  put(element, html`<p class="dim">Data that apps sent to this server, with buttons for actions of customers and stores. The console needs the
      application's secret key, which the server printed when it started, or the admin token.</p>
    <form class="when"><label>Secret key <input type="password" size="24" autocomplete="off" spellcheck="false"></label>
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
      put(element.querySelector('.parts'), PARTS.map((part, index) => table(part, (answers[index][part.name] ?? []).map((row) => part.name === 'codes' ? { ...row, state: codeState(row) } : row))))
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
  return html`<h3>${part.title} <span class="dim">${rows.length || ''}</span></h3>
    ${rows.length ? html`<div class="scroller" tabindex="0" role="region" aria-label="${part.title}"><table><thead><tr>${part.columns.map((name) => html`<th scope="col">${name}</th>`)}<th scope="col"></th></tr></thead><tbody>
      ${rows.map((row) => html`<tr>${part.columns.map((name) => html`<td>${cell(name, row[name])}</td>`)}
        <td>${part.actions(row).map(([action, title]) => html`<button type="button" data-path="${part.path}/${encodeURIComponent(row[part.id ?? 'id'])}/${action}">${title}</button> `)}</td></tr>`)}
      </tbody></table></div>` : html`<p class="dim">${part.empty}</p>`}`
}

const cell = (name, value) => name === 'receivedAt' && typeof value === 'number' ? new Date(value).toISOString() : value != null && typeof value === 'object' ? JSON.stringify(value) : value
