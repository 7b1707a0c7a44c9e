// Example configs. Each is short and shows one feature.

const treatment = (id, paywall, percentage) => ({ variant_id: id, variant_type: 'TREATMENT', percentage, paywall_identifier: paywall })
const holdout = (id, percentage) => ({ variant_id: id, variant_type: 'HOLDOUT', percentage })

const paywall = (id, identifier) => ({
  id, identifier, name: identifier, url: `${identifier}.html`, url_config: { max_attempts: 1, endpoints: [] }, cache_key: id, build_id: id,
  paywalljs_event: '', presentation_style_v2: 'MODAL', presentation_style_v3: { type: 'MODAL' }, presentation_delay: 0,
  presentation_condition: 'ALWAYS', background_color_hex: '#FFFFFF',
})

function config(placements, paywalls) {
  const triggers = Object.entries(placements).map(([event_name, rules], group) => ({
    event_name,
    rules: rules.map((rule, index) => ({
      experiment_id: rule.id, experiment_group_id: String(group + 1), expression_cel: rule.when ?? null,
      ...(rule.limit && { occurrence: rule.limit }), variants: rule.variants, preload: { behavior: 'ALWAYS' },
    })),
  }))
  return {
    trigger_options: triggers,
    paywall_responses: paywalls.map((identifier, index) => paywall(String(index + 1), identifier)),
    // The SDKs also require these keys.
    build_id: 'example', log_level: 10, app_session_timeout_ms: 3600000, toggles: [], products: [], postback: {},
    disable_preload: { all: false, triggers: [] }, localization: { locales: [] },
  }
}

const written = (value) => JSON.stringify(value, null, 2) + '\n'

const products = `{"products": [
  {"slot": "primary", "identifier": "pro.yearly", "price": "59.99", "currency": "USD", "period": {"unit": "year", "count": 1},
   "intro": {"mode": "freeTrial", "unit": "week", "count": 1}},
  {"slot": "secondary", "identifier": "pro.monthly", "price": "9.99", "currency": "USD", "period": {"unit": "month", "count": 1}}
]}
`

const person = (user, more = {}) => written({
  userId: 'ada', user, device: { platform: 'iOS', appVersion: '4.2.0' }, params: {}, subscriptionStatus: 'INACTIVE', ...more,
})

export const EXAMPLES = [
  {
    name: 'Two audiences: engaged users first',
    placement: 'export_tapped',
    config: written(config({
      export_tapped: [
        { id: 'engaged', when: 'user.exports >= 10 && device.subscriptionStatus != "ACTIVE"', variants: [treatment('engaged-annual', 'annual', 100)] },
        { id: 'everyone-else', when: 'device.subscriptionStatus != "ACTIVE"', variants: [treatment('else-monthly', 'monthly', 100)] },
      ],
    }, ['annual', 'monthly'])),
    user: person({ firstName: 'Ada', exports: 7 }),
    template: '{{ user.firstName }}, that was export {{ user.exports }}. Everything for << products.primary.price >> a << products.primary.period >>.\n',
    products,
    users: [3, 9, 10, 25, 0, 14].map((exports, index) => JSON.stringify({ userId: `user-${index}`, user: { exports }, subscriptionStatus: index === 3 ? 'ACTIVE' : 'INACTIVE' })).join('\n') + '\n',
  },
  {
    name: 'An experiment with a holdout',
    placement: 'onboarding_end',
    config: written(config({
      onboarding_end: [
        { id: 'onboarding-offer', when: 'user.country in ["DE", "AT", "CH"]', variants: [treatment('trial', 'trial-week', 45), treatment('discount', 'half-price', 45), holdout('nothing', 10)] },
      ],
    }, ['trial-week', 'half-price'])),
    user: person({ firstName: 'Ada', country: 'AT' }),
    template: `{% if products.primary.isFreeTrialAvailable -%}
Try everything free for {{ products.primary.trialPeriodDays }} days, then << products.primary.price >> a year.
{%- else -%}
Everything for << products.primary.price >> a year.
{%- endif %}
`,
    products,
    users: Array.from({ length: 60 }, (_, index) => JSON.stringify({ userId: `user-${index}`, user: { country: ['DE', 'AT', 'US'][index % 3] } })).join('\n') + '\n',
  },
  {
    name: 'At most twice a day',
    placement: 'article_opened',
    config: written(config({
      article_opened: [
        { id: 'reader', when: 'params.words > 800', limit: { key: 'reader', max_count: 2, interval: { type: 'MINUTES', minutes: 1440 } }, variants: [treatment('reader-offer', 'reader', 100)] },
      ],
    }, ['reader'])),
    user: person({ firstName: 'Ada' }, { params: { words: 1200 }, occurrences: { reader: ['2026-03-01T08:10:00Z', '2026-03-01T11:40:00Z'] } }),
    now: '2026-03-01T12:00:00Z',
    template: 'Read without limits for << products.secondary.price >> a month.\n',
    products,
    users: '',
  },
]
