// Runs the engine for the page. The first message is the compiled module, all others are questions:
// {id, name, values}. An answer is {id, value} or {id, error}, and a long question first sends {id, progress}.
import { countFile } from './counting.js'
import { Config, TollgateError, initialize } from './tollgate.js'

const MOST_CONFIGS = 4
const configs = new Map()

// The compiled config of a text, cached because most questions are about the config that is being edited.
function config(text) {
  let found = configs.get(text)
  if (!found) found = new Config(text)
  configs.delete(text)
  configs.set(text, found)
  for (const [old, each] of configs) {
    if (configs.size <= MOST_CONFIGS) break
    configs.delete(old)
    each.free()
  }
  return found
}

const noConfig = () => config('{"trigger_options":[]}')

// The questions of the service's engine.js, with the same answers.
const questions = {
  check: (text) => noConfig().check({ config: text }).diagnostics,
  explainAll: (text, user, when) => config(text).explain(undefined, user, { ...when, all: true }),
  smallestChange: (text, user, placement, audience, when) => config(text).explain(placement, user, { ...when, audience }),
  render: (template, products, user, locale, when) => noConfig().render({ template, products, user, locale, claims: true, ...when }),
  products: (products, locale, when) => noConfig().products({ products, locale, ...when }),
  match: (text, users, when) => config(text).match(users, when),
  diff: (from, to, when) => config(from).diff(config(to), when),
  countFile: (text, file, when, id) => {
    const plan = config(text)
    return countFile(file, (users) => plan.match(users, when), (users, part) => postMessage({ id, progress: [users, part] }))
  },
}

let ready

addEventListener('message', async ({ data }) => {
  if (data.module) {
    ready = initialize(data.module)
    return
  }
  const { id, name, values } = data
  try {
    await ready
    postMessage({ id, value: await questions[name](...values, id) })
  } catch (error) {
    const isOurs = error instanceof TollgateError
    postMessage({ id, error: { code: isOurs ? error.code : 'failed', message: error.message } })
  }
})
