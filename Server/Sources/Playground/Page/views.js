// Converts answers to HTML. Every value passes through `html`, which escapes it.

class Safe { constructor(text) { this.text = text } }

export function html(parts, ...values) {
  return new Safe(parts.reduce((text, part, index) => text + shown(values[index - 1]) + part))
}

export function escaped(text) {
  return String(text).replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c])
}

function shown(value) {
  if (value instanceof Safe) return value.text
  if (Array.isArray(value)) return value.map(shown).join('')
  if (value == null || value === false) return ''
  return escaped(value)
}

export function put(element, content) { element.innerHTML = shown(content) }

export const json = (value) => JSON.stringify(value)

const percent = (share) => `${(share * 100).toLocaleString('en', { maximumFractionDigits: 1 })} %`

const TERMS = {
  variant: 'One alternative of an experiment: a paywall, or a holdout.',
  holdout: 'A variant that shows no paywall. Its users are the control group of the experiment.',
  assignment: "A user's variant in an experiment. An assignment is drawn once and then stored.",
  draw: 'A number from 0 to 1, computed from a hash of the seed, the experiment and the user. The number selects a variant according to the shares.',
  limit: 'An occurrence limit: the number of times that an audience may apply to a user in a period.',
}

const term = (name, text = name) => html`<span class="term" tabindex="0" data-tip="${TERMS[name]}">${text}</span>`

export function outcomeOf(result, paywall) {
  switch (result?.result ?? result) {
    case 'paywall': return { kind: 'paywall', text: paywall ?? result.experiment?.variant?.paywallId ?? 'a paywall' }
    case 'holdout': return { kind: 'holdout', text: 'no paywall: holdout' }
    case 'noAudienceMatch': return { kind: 'nothing', text: 'no paywall' }
    case 'placementNotFound': return { kind: 'nothing', text: 'no paywall: no such placement' }
    case 'userIsSubscribed': return { kind: 'nothing', text: 'no paywall: subscribed' }
    case 'undecidable': return { kind: 'failed', text: 'undecidable' }
    default: return { kind: 'failed', text: `error: ${result?.error ?? result?.result ?? result}` }
  }
}

function because(one) {
  const experiment = one.result?.experiment
  const taken = one.audiences?.find((each) => each.index === one.audience)
  const drawn = one.reason?.draw
  if (experiment && taken) {
    return html`Audience ${taken.index + 1}, <b>${taken.experimentId}</b>, ${taken.expression ? 'matches' : 'matches every user'}.
      ${term('variant', 'Variant')} <code>${experiment.variant.id}</code> ${one.assignment?.source === 'stored' ? html`is the stored ${term('assignment')}.`
        : drawn ? html`was selected by a ${term('draw')} of ${drawn.number.toFixed(3)}, from ${drawn.from} to ${drawn.to}.` : html`is the only variant.`}
      ${experiment.variant.type === 'HOLDOUT' ? html`This variant is a ${term('holdout')}.` : ''}`
  }
  if (one.result?.result === 'noAudienceMatch') {
    const held = one.reason?.heldBack?.length
    return held ? html`An audience matches, but its ${term('limit')} is reached.` : one.audiences?.length ? 'No audience matches this user.' : 'The placement has no audience.'
  }
  return one.result?.error ?? ''
}

export function decisionView(one) {
  const outcome = outcomeOf(one.result, one.paywall)
  return html`<p class="outcome ${outcome.kind}">${outcome.kind === 'paywall' ? html`<span class="unseen">paywall </span>` : ''}${outcome.text}</p>
    <p class="because">${because(one)} <span class="dim">As of ${one.now}.</span></p>
    ${versionsView(one.sdk)}`
}

// The SDK that decided, and the ranges of versions with different outcomes.
function versionsView(sdk) {
  if (!sdk) return ''
  const stretches = sdk.versions ?? []
  const head = html`Decided as <b>${sdk.name}</b>, evaluator <code>${sdk.evaluator}</code>.`
  if (stretches.length < 2) return html`<p class="versions">${head} Every version gives the same outcome.</p>`
  return html`<p class="versions">${head} By version:</p><ul class="versions">${stretches.map((each) => html`<li>${each.until ? `${each.from} or newer, before ${each.until}` : `${each.from} and newer`}:
    <b>${each.result === 'paywall' ? each.paywall : each.result === 'noAudienceMatch' ? 'no match' : each.result}</b></li>`)}</ul>`
}

export function elsewhereView(explanations, chosen) {
  if (explanations.length < 2) return ''
  return html`<span class="dim">The same user at every placement:</span><ul>${explanations.map((each) => {
    const outcome = outcomeOf(each.result, each.paywall)
    return html`<li><button type="button" data-placement="${each.placement}" ${each.placement === chosen ? new Safe('aria-current="true"') : ''}>${each.placement} <span class="${outcome.kind}">${outcome.text}</span></button></li>`
  })}</ul>`
}

const REASONS = {
  matched: ['matched', 'matches and decides'],
  expressionFalse: ['false', 'does not match'],
  occurrenceLimit: ['held', 'matches, but its limit is reached'],
  expressionError: ['false', 'does not match: evaluating it fails'],
  entitled: ['held', 'skipped: the user already owns the entitlement'],
  notReached: ['later', 'not tried: an earlier audience decides'],
}

export function verdictOf(audience) {
  if (audience.reason.error === 'does-not-compile') return ['false', 'does not match: its condition has an error']
  return REASONS[audience.reason.code] ?? ['false', audience.reason.code]
}

function limitText(limit) {
  const window = !limit.minutes ? '' : limit.minutes % 1440 === 0 ? ` in ${limit.minutes / 60} hours` : ` in ${limit.minutes} minutes`
  return html`${term('limit', 'Limit')} <code>${limit.key}</code>: shown ${limit.count} of ${limit.of} times${window}.`
}

function clauseRow(clause) {
  if (clause.constant) return ''
  const [kind, text] = !clause.reached ? ['skipped', 'not reached'] : { true: ['yes', 'yes'], false: ['no', 'no'] }[clause.outcome] ?? ['no', clause.outcome]
  const reads = [...(clause.computed ?? []).map((each) => `${each.text} is ${json(each.value)}`),
    ...clause.reads.map((each) => 'value' in each ? `${each.path} is ${json(each.value)}` : `${each.path} is missing`)]
  return html`<li><span class="${kind}">${text}</span><code>${clause.text}</code> <code class="dim">${reads.join(', ')}</code></li>`
}

// The lines below an audience's condition.
export function audienceView(audience) {
  const [kind] = verdictOf(audience)
  return html`${audience.clauses?.length > 1 || audience.clauses?.some((each) => each.reads.length) ? html`<ul class="clauses">${audience.clauses.map(clauseRow)}</ul>` : ''}
    ${audience.limit ? html`<p class="dim">${limitText(audience.limit)}</p>` : ''}
    ${audience.reason.message ? html`<p class="bad">${audience.reason.message}</p>` : ''}
    ${kind === 'false' ? html`<div class="change dim" data-change="${audience.index}">Looking for the smallest change …</div>` : ''}`
}

export function sharesView(one) {
  if (!one?.shares?.length) return ''
  return html`<h3>Variants and their shares</h3><ul class="shares">${one.shares.map((share) => {
    const variant = share.result.experiment.variant
    const isTaken = variant.id === one.result?.experiment?.variant?.id
    const outcome = outcomeOf(share.result)
    return html`<li class="${isTaken ? 'here' : ''}"><span>${variant.id} <span class="dim">${outcome.text}</span></span><span>${isTaken ? 'this user' : ''}</span><span class="num" title="${share.probability}">${percent(share.share)}</span></li>`
  })}</ul>`
}

export function changeText(answer) {
  if (answer.verdict === 'found') {
    const parts = answer.changes.map((each) => html`<code>${each.path}</code> were <code>${'to' in each ? json(each.to) : 'missing'}</code>
      <span class="dim">(now ${'from' in each ? json(each.from) : 'missing'})</span>`)
    return html`This audience would match if ${parts.map((part, index) => html`${index ? ' and ' : ''}${part}`)}.`
  }
  const why = answer.why ? `: ${answer.why}` : ''
  return answer.verdict === 'none'
    ? html`No change of the user makes this audience match${why}.` : html`<span class="dim">No small change makes this audience match${why}.</span>`
}

// From worst to best.
const VERDICTS = ['false', 'false-if-ineligible', 'unknown', 'true']
const VERDICT_WORDS = { 'false-if-ineligible': 'false without the offer', unknown: 'not checkable' }

export function textView(answer) {
  const claims = answer.claims ?? []
  return html`<div class="rendered" lang="">${answer.text}</div>
    ${answer.isComplete ? '' : html`<p class="bad">Some values of the text are missing.</p>`}
    ${answer.errors?.length ? html`<ul>${answer.errors.map((each) => html`<li class="bad">${each.message ?? json(each)}${each.suggestion ? html`; ${each.suggestion}` : ''}</li>`)}</ul>` : ''}
    ${claimsView(claims)}`
}

// Lists true claims side by side, below all other claims.
function claimsView(claims) {
  if (!claims.length) return ''
  const doubts = claims.filter((each) => each.verdict !== 'true').sort((a, b) => VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict))
  const proved = claims.filter((each) => each.verdict === 'true')
  const products = [...new Set(proved.map((each) => each.product).filter(Boolean))]
  return html`<h3>Claims of the text</h3>
    ${doubts.length ? html`<ul class="claims">${doubts.map((each) => html`<li class="${each.verdict}"><b>${VERDICT_WORDS[each.verdict] ?? each.verdict}</b> ${each.words ? `“${each.words}” ` : ''}<span class="dim">${dotted([each.product, each.reason].filter(Boolean).join(': '))}</span></li>`)}</ul>` : ''}
    ${proved.length ? html`<p class="dim">True${products.length === 1 ? html` of ${dotted(products[0])}` : ''}:</p>
      <ul class="proved">${[...new Set(proved.map((each) => each.words))].map((words) => html`<li>${words}</li>`)}</ul>` : ''}`
}

// A long name may break after its dots.
const dotted = (name) => String(name).split('.').map((part, index) => html`${index ? new Safe('.<wbr>') : ''}${part}`)

const SHOWN = ['price', 'period', 'dailyPrice', 'weeklyPrice', 'monthlyPrice', 'yearlyPrice', 'trialPeriodText', 'trialPeriodPrice', 'trialPeriodEndDate', 'rawPrice', 'currencyCode', 'localizedPeriod']

export function productView(products) {
  if (!products.length) return html`<p class="dim">There are no products. Add products under Products.</p>`
  return html`<ul class="products">${products.map((each) => html`<li><h3>${dotted(each.slot ?? each.identifier ?? each.productId)}</h3>
    <dl>${SHOWN.filter((name) => each.attributes[name] != null && each.attributes[name] !== '').map((name) => html`<div><dt><code>${name}</code></dt><dd>${each.attributes[name]}</dd></div>`)}</dl></li>`)}</ul>`
}

const HUES = [162, 210, 20, 280, 190, 335, 95, 250, 60, 305, 135, 0]

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

// `names` are the names of the chosen placement's audiences. `note` names the source of the users.
export function spreadView(answer, chosen, audiences = [], note = '') {
  const placements = Object.entries(answer.placements)
  const names = [...new Set(placements.flatMap(([, placement]) => shares(placement).map(([name]) => name)))]
  const colour = (name) => name === 'holdout' ? 'light-dark(#b98a2a, #d6a848)' : `hsl(${HUES[names.indexOf(name) % HUES.length]} 48% 46%)`
  return html`<p class="dim">${answer.users.toLocaleString('en')} users${note}${answer.rejected ? html`, <span class="bad">${answer.rejected.toLocaleString('en')} rejected</span>` : ''}. Grey: no paywall and no holdout.</p>
    <ul class="spread-list">${placements.map(([name, placement]) => html`<li class="${name === chosen ? 'here' : ''}"><button type="button" data-placement="${name}">${name}</button>
      <div class="spread" role="img" aria-label="${shares(placement).map(([each, count]) => `${each}: ${count}`).join(', ') || 'no user sees a paywall'}">
        ${shares(placement).map(([each, count]) => html`<span title="${each}: ${count.toLocaleString('en')}" style="width:${100 * count / Math.max(1, answer.users)}%;background:${colour(each)}"></span>`)}</div>
      <span class="num">${shares(placement).filter(([each]) => each !== 'holdout').reduce((sum, [, count]) => sum + count, 0).toLocaleString('en')} see a paywall</span></li>`)}</ul>
    <p class="legend">${names.map((name) => html`<span><i style="background:${colour(name)}"></i>${name}</span>`)}</p>
    ${reachView(answer, chosen, audiences)}`
}

// How many users each audience of a placement reaches, matches and takes.
function reachView(answer, chosen, names) {
  const audiences = answer.placements[chosen]?.audiences ?? []
  if (!audiences.length || !answer.users) return ''
  const count = (number) => html`<td class="num">${number.toLocaleString('en')} <span class="dim">${percent(number / answer.users)}</span></td>`
  return html`<h3>The audiences of ${chosen}</h3><div class="scroller" tabindex="0" role="region" aria-label="The audiences of ${chosen}"><table class="reach">
    <thead><tr><th scope="col">Audience</th><th scope="col" class="num">reached</th><th scope="col" class="num">matched</th><th scope="col" class="num">taken</th></tr></thead>
    <tbody>${audiences.map((each) => html`<tr><th scope="row">${each.index + 1}. ${names[each.index] ?? ''}</th>${count(each.reached)}${count(each.matched)}${count(each.taken)}</tr>`)}</tbody></table></div>`
}

export function changesView(answer) {
  const placements = Object.entries(answer.placements)
  const changed = placements.filter(([, each]) => each.verdict !== 'same')
  if (!changed.length) return html`<p>No effect: every user gets the same outcome as before. <span class="dim">${placements.length} placements compared.</span></p>`
  return html`${changed.map(([name, each]) => html`<h3>${name}: ${each.verdict === 'differs' ? 'some users get a different outcome' : each.verdict}</h3>
    ${(each.witnesses ?? []).map((witness) => html`<p><b>${outcomeOf(witness.from.result, witness.from.paywall).text}</b> → <b>${outcomeOf(witness.to.result, witness.to.paywall).text}</b>
      <br><span class="dim">${witness.text}. Example user:</span></p><pre class="record">${JSON.stringify(witness.record)}</pre>
      <button type="button" data-user="${JSON.stringify(witness.record, null, 2)}" data-placement="${name}">Look at this user</button>`)}`)}
    <p class="dim">The same for every user: ${placements.filter(([, each]) => each.verdict === 'same').map(([name]) => name).join(', ') || 'no placement'}.</p>`
}
