import {
  answerJson,
  type Exchange,
  leavesOf,
  operations,
  succeeded,
} from '../../../contract/index.ts'
import { ConfigurationError } from '../errors.ts'
import { statusText } from '../scenario/read.ts'
import type { SendProbe } from './classify-answer.ts'

/** The models of section 2.1, and detection of other ids in a list whose format is not documented. */

export const mainIds: readonly string[] = ['svc-main-model', 'SVC-Main']
export const visionId = 'SVC-Vision'
const documented: readonly string[] = [...mainIds, visionId]

export function isDocumented(id: string): boolean {
  return documented.includes(id)
}

/** Texts under a key for ids; all texts of a list without such keys. */
export function modelIdsIn(body: unknown): string[] {
  const texts = leavesOf(body).flatMap(({ path, value }) =>
    typeof value === 'string' && isPlainName(value) ? [{ path, value }] : [],
  )
  const named = texts.filter(({ path }) => idNames.includes(path.at(-1) ?? ''))
  const bare = texts.filter(({ path }) => /^\d+$/.test(path.at(-1) ?? ''))
  const found = (named.length > 0 ? named : bare).map(({ value }) => value)
  const documented = texts.map(({ value }) => value).filter(isDocumented)
  return [...new Set([...found, ...documented])]
}

const idNames = ['id', 'model', 'model_id', 'modelId', 'slug']

/** A name without characters that a profile would read as a variable. */
function isPlainName(text: string): boolean {
  return text.length <= 200 && /^[^\s\p{C}$]+$/u.test(text)
}

/** The cheapest possible completion. */
export function smallestCompletion(model: string) {
  return { model, messages: [{ role: 'user', content: 'Name a color.' }], max_tokens: 16 }
}

/**
 * Looks up the model of the profile in the list, since a mistyped one costs a whole run, and tries it once if
 * it is missing: a model that works need not be listed. The ids of section 2.1 are left to their
 * requirements.
 * @throws ConfigurationError that names what the target lists
 */
export async function requireKnownModel(
  model: string,
  list: Exchange | undefined,
  ask: SendProbe,
): Promise<void> {
  if (isDocumented(model) || list === undefined || !succeeded(list)) return
  const body = answerJson(list)
  const listed = modelIdsIn(body)
  // As a value or as the name of a field.
  const isNamed = leavesOf(body).some(({ path, value }) => value === model || path.includes(model))
  if (listed.length === 0 || isNamed) return
  const completion = await ask({ ...completions, json: smallestCompletion(model) })
  const status = completion.response?.status ?? 0
  if (!refusals.includes(status)) return
  const names = listed.slice(0, maxListed).join(', ')
  const more = listed.length > maxListed ? ` and ${listed.length - maxListed} more` : ''
  throw new ConfigurationError([
    `models.main: the target lists ${names}${more}, not ${model}, and refuses a completion with it (${statusText(completion)})`,
  ])
}

const maxListed = 8

/** Statuses of refusals for other reasons than the key, a rate or a fault of the target. */
export const refusals: readonly number[] = [400, 404, 422]

export const completions = operations['openai.chat']
