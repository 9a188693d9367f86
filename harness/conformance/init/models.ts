import { bodyJson, type Exchange, succeeded } from '../../contract/index.ts'
import type { Caller } from '../caller.ts'
import { leavesOf } from '../scenario/find.ts'
import { isCompletion } from '../scenario/read.ts'
import { brief, type Found, type Models, route, unknown } from './probe.ts'

/** Section 2.1. */
const mainIds = ['svc-main-model', 'SVC-Main']
const visionId = 'SVC-Vision'

/** Where nothing is listed, the names of section 2.1 are as good as any. */
export const assumedModels: Models = { main: 'svc-main-model', aliases: [], vision: visionId }

/**
 * The models of section 2.1 where they are listed, else the first id of the list. The other id of
 * the main model need not be listed to be accepted, so it is tried.
 */
export async function findModels(
  list: Exchange | undefined,
  caller: Caller,
  redact: (text: string) => string,
): Promise<Found<Models>> {
  if (!list) return unknown('GET /api/openai/models was not asked')
  const ids = succeeded(list) ? modelIdsIn(bodyJson(list)) : []
  const listed = ids.filter((id) => redact(id) === id)
  const [first] = listed
  if (first === undefined) return unknown(`${brief(list)}, and no id of a model in it`)

  const shown = listed.slice(0, 12).join(', ')
  const evidence = [`${brief(list)}, which lists ${shown}${listed.length > 12 ? ', …' : ''}`]
  const vision = listed.includes(visionId) ? visionId : undefined
  const main = mainIds.find((id) => listed.includes(id))
  if (main === undefined) {
    evidence.push('The first of them, for none is a main model of section 2.1')
    return { value: { main: first, aliases: [], vision }, evidence }
  }
  const other = mainIds.find((id) => id !== main) ?? main
  const tried = await caller.send({ ...route('openai.chat'), json: smallest(other) })
  const accepted = succeeded(tried) && isCompletion(tried)
  evidence.push(brief(tried, `with model ${other}`))
  if (!accepted) {
    evidence.push(`Section 2.1 accepts ${other} as well: name it as an alias to have that judged`)
  }
  return { value: { main, aliases: accepted ? [other] : [], vision }, evidence }
}

/** Texts under a key that is named for an id; in a list without such keys, all of its texts. */
export function modelIdsIn(body: unknown): string[] {
  const texts = leavesOf(body).flatMap(({ path, value }) =>
    typeof value === 'string' && isPlainName(value) ? [{ path, value }] : [],
  )
  const named = texts.filter(({ path }) => idNames.includes(path.at(-1) ?? ''))
  const bare = texts.filter(({ path }) => /^\d+$/.test(path.at(-1) ?? ''))
  const found = (named.length > 0 ? named : bare).map(({ value }) => value)
  const known = texts.map(({ value }) => value).filter((value) => allKnown.includes(value))
  return [...new Set([...found, ...known])]
}

const idNames = ['id', 'model', 'model_id', 'modelId', 'slug']
const allKnown = [...mainIds, visionId]

/** Nothing that a profile would take for a variable, and nothing that is no name. */
function isPlainName(text: string): boolean {
  return text.length <= 200 && /^[^\s\p{C}$]+$/u.test(text)
}

function smallest(model: string) {
  return { model, messages: [{ role: 'user', content: 'Name a colour.' }], max_tokens: 16 }
}
