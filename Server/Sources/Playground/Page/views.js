// From answers to HTML. Every value passes through `html`, which escapes it.

class Safe { constructor(text) { this.text = text } }

export function html(parts, ...values) {
  return new Safe(parts.reduce((text, part, index) => text + shown(values[index - 1]) + part))
}

function shown(value) {
  if (value instanceof Safe) return value.text
  if (Array.isArray(value)) return value.map(shown).join('')
  if (value == null || value === false) return ''
  return String(value).replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c])
}

export function put(element, content) { element.innerHTML = shown(content) }

export const json = (value) => JSON.stringify(value)

const percent = (share) => `${(share * 100).toLocaleString('en', { maximumFractionDigits: 1 })} %`

export function outcomeOf(result, paywall) {
  switch (result?.result ?? result) {
    case 'paywall': return { kind: 'paywall', text: `paywall ${paywall ?? result.experiment?.variant?.paywallId ?? ''}` }
    case 'holdout': return { kind: 'holdout', text: 'holdout: no paywall' }
    case 'noAudienceMatch': return { kind: 'nothing', text: 'nothing: no audience matches' }
    case 'placementNotFound': return { kind: 'nothing', text: 'nothing: no such placement' }
    case 'userIsSubscribed': return { kind: 'nothing', text: 'nothing: the user is subscribed' }
    default: return { kind: 'failed', text: String(result?.result ?? result) }
  }
}

const chip = (outcome) => html`<span class="chip ${outcome.kind}">${outcome.text}</span>`

export function decisionView(explanations, chosen) {
  const one = explanations.find((each) => each.placement === chosen)
  const variant = one?.result?.experiment?.variant
  return html`
    ${one && html`<p class="outcome">At <b>${chosen}</b>, ${one.userId} gets ${chip(outcomeOf(one.result, one.paywall))}</p>
      <p class="dim">${variant ? html`Variant <code>${variant.id}</code> of <code>${one.result.experiment.id}</code>,
        ${one.assignment?.source === 'stored' ? 'stored before' : 'assigned now'}.` : ''} As of ${one.now}.</p>`}
    <table><thead><tr><th scope="col">Placement</th><th scope="col">This user gets</th><th scope="col">Audience</th></tr></thead><tbody>
    ${explanations.map((each) => html`<tr class="${each.placement === chosen ? 'here' : ''}">
      <td><button type="button" data-placement="${each.placement}">${each.placement}</button></td>
      <td>${chip(outcomeOf(each.result, each.paywall))}</td>
      <td>${each.audience == null ? html`<span class="dim">none</span>` : html`${each.audience} <span class="dim">${each.audiences?.[each.audience]?.experimentId}</span>`}</td></tr>`)}
    </tbody></table>`
}

const REASONS = {
  matched: ['matched', 'matches: it takes the user'],
  expressionFalse: ['false', 'does not match'],
  occurrenceLimit: ['held', 'matches, but its limit holds it back'],
  expressionError: ['false', 'does not match: its condition goes wrong'],
  entitled: ['held', 'not asked: the user has what it sells'],
  notReached: ['held', 'not asked: one before it takes the user'],
}

function limitText(limit) {
  if (!limit) return ''
  const window = limit.minutes ? ` in ${limit.minutes % 1440 === 0 ? `${limit.minutes / 1440 * 24} hours` : `${limit.minutes} minutes`}` : ''
  return `Shown ${limit.count} ${limit.count === 1 ? 'time' : 'times'}${window}, at most ${limit.of}; counted as ‘${limit.key}’.`
}

function clauseRow(clause) {
  if (clause.constant) return ''
  const mark = !clause.reached ? ['skipped', 'not asked'] : { true: ['yes', 'yes'], false: ['no', 'no'] }[clause.outcome] ?? ['no', clause.outcome]
  const reads = [...(clause.computed ?? []).map((each) => `${each.text} is ${json(each.value)}`),
    ...clause.reads.map((each) => 'value' in each ? `${each.path} is ${json(each.value)}` : `${each.path} is missing`)]
  return html`<tr><td class="${mark[0]}">${mark[1]}</td><td><code>${clause.text}</code></td><td><code class="dim">${reads.join(', ')}</code></td></tr>`
}

export function whyView(one) {
  if (!one) return html`<p class="dim">Choose a placement.</p>`
  return html`
    ${(one.audiences ?? []).map((audience) => {
      const [kind, text] = REASONS[audience.reason.code] ?? ['false', audience.reason.code]
      return html`<details class="${kind}" open><summary>Audience ${audience.index} <b>${audience.experimentId}</b>: ${text}</summary>
        ${audience.expression ? html`<div class="code">${audience.expression}</div>` : html`<div class="dim">It has no condition: it matches everybody.</div>`}
        ${audience.clauses?.length ? html`<table class="clauses"><tbody>${audience.clauses.map(clauseRow)}</tbody></table>` : ''}
        ${audience.limit ? html`<p class="dim">${limitText(audience.limit)}</p>` : ''}
        ${audience.reason.message ? html`<p class="bad">${audience.reason.message}</p>` : ''}
        ${kind === 'false' ? html`<div class="change" data-change="${audience.index}">Looking for the smallest change …</div>` : ''}
      </details>`
    })}
    ${one.shares?.length ? html`<h3>The variants and their shares</h3><table><tbody>${one.shares.map((share) => {
      const variant = share.result.experiment.variant
      const isTaken = variant.id === one.result?.experiment?.variant?.id
      return html`<tr class="${isTaken ? 'here' : ''}"><td>${variant.id}</td><td>${chip(outcomeOf(share.result))}</td>
        <td class="num">${share.probability} <span class="dim">${percent(share.share)}</span></td><td>${isTaken ? '← this user' : ''}</td></tr>`
    })}</tbody></table>` : ''}
    ${one.reason?.draw ? html`<p class="dim">Drew ${one.reason.draw.number.toFixed(3)} of 1, from ${one.reason.draw.from} to ${one.reason.draw.to}.</p>` : ''}`
}

export function changeText(answer) {
  if (answer.verdict === 'found') {
    const parts = answer.changes.map((each) => html`<code>${each.path}</code> were <code>${'to' in each ? json(each.to) : 'missing'}</code>
      <span class="dim">(now ${'from' in each ? json(each.from) : 'missing'})</span>`)
    return html`It would take this user if ${parts.map((part, index) => html`${index ? ' and ' : ''}${part}`)}.`
  }
  const why = answer.why ? `: ${answer.why}` : ''
  return answer.verdict === 'none'
    ? html`No change of the user makes it take them${why}.` : html`<span class="dim">No small change was found${why}.</span>`
}

export function textView(answer) {
  return html`<div class="rendered" lang="">${answer.text}</div>
    ${answer.isComplete ? '' : html`<p class="bad">Something in it could not be filled in.</p>`}
    ${answer.errors?.length ? html`<ul>${answer.errors.map((each) => html`<li class="bad">${each.message ?? json(each)}</li>`)}</ul>` : ''}`
}

const SHOWN = ['price', 'period', 'dailyPrice', 'weeklyPrice', 'monthlyPrice', 'yearlyPrice', 'trialPeriodText', 'trialPeriodPrice', 'trialPeriodEndDate', 'rawPrice', 'currencyCode', 'localizedPeriod']

export function productView(products) {
  return html`<table><thead><tr><th scope="col">Attribute</th>${products.map((each) => html`<th scope="col">${each.slot ?? each.identifier}</th>`)}</tr></thead><tbody>
    ${SHOWN.map((name) => html`<tr><th scope="row"><code>${name}</code></th>${products.map((each) => html`<td>${each.attributes[name]}</td>`)}</tr>`)}</tbody></table>`
}

const HUES = [218, 150, 15, 280, 190, 335, 95, 250, 60, 305, 170, 125]

function shares(placement) {
  const counts = new Map()
  for (const audience of placement.audiences ?? []) {
    for (const variant of audience.variants ?? []) {
      const name = variant.result === 'holdout' ? 'holdout' : variant.paywall ?? variant.result
      counts.set(name, (counts.get(name) ?? 0) + variant.users)
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1])
}

export function spreadView(answer, chosen) {
  const placements = Object.entries(answer.placements)
  const names = [...new Set(placements.flatMap(([, placement]) => shares(placement).map(([name]) => name)))]
  const colour = (name) => name === 'holdout' ? 'light-dark(#b98a2a, #d6a848)' : `hsl(${HUES[names.indexOf(name) % HUES.length]} 55% 52%)`
  return html`<p class="dim">${answer.users.toLocaleString('en')} users${answer.rejected ? html`, <span class="bad">${answer.rejected} refused</span>` : ''}. Grey: they get nothing.</p>
    <table><tbody>${placements.map(([name, placement]) => html`<tr class="${name === chosen ? 'here' : ''}"><td><button type="button" data-placement="${name}">${name}</button></td>
      <td style="width:60%"><div class="spread" role="img" aria-label="${shares(placement).map(([each, count]) => `${each}: ${count}`).join(', ') || 'nobody gets anything'}">
        ${shares(placement).map(([each, count]) => html`<span title="${each}: ${count}" style="width:${100 * count / Math.max(1, answer.users)}%;background:${colour(each)}"></span>`)}</div></td>
      <td class="num">${shares(placement).filter(([each]) => each !== 'holdout').reduce((sum, [, count]) => sum + count, 0)} see one</td></tr>`)}</tbody></table>
    <p class="legend">${names.map((name) => html`<span><i style="background:${colour(name)}"></i>${name}</span>`)}</p>`
}

export function changesView(answer) {
  const placements = Object.entries(answer.placements)
  const changed = placements.filter(([, each]) => each.verdict !== 'same')
  if (!changed.length) return html`<p>Nothing: every user gets what they get today. <span class="dim">${placements.length} placements compared.</span></p>`
  return html`${changed.map(([name, each]) => html`<h3>${name}: ${each.verdict === 'differs' ? 'somebody gets something else' : each.verdict}</h3>
    ${(each.witnesses ?? []).map((witness) => html`<p>${chip(outcomeOf(witness.from.result, witness.from.paywall))} → ${chip(outcomeOf(witness.to.result, witness.to.paywall))}
      <br><span class="dim">${witness.text}. For example this user:</span></p><pre class="record">${JSON.stringify(witness.record)}</pre>
      <button type="button" data-user="${JSON.stringify(witness.record, null, 2)}" data-placement="${name}">Look at this user</button>`)}`)}
    <p class="dim">The same for every user: ${placements.filter(([, each]) => each.verdict === 'same').map(([name]) => name).join(', ') || 'none'}.</p>`
}
