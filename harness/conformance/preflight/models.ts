import { leavesOf } from '../../../contract/index.ts'

/** The models of section 2.1, and how the ids of others are found in a list whose shape is not shown. */

export const mainIds: readonly string[] = ['svc-main-model', 'SVC-Main']
export const visionId = 'SVC-Vision'
const documented: readonly string[] = [...mainIds, visionId]

export function isDocumented(id: string): boolean {
  return documented.includes(id)
}

/** Texts under a key that is named for an id; in a list without such keys, all of its texts. */
export function modelIdsIn(body: unknown): string[] {
  const texts = leavesOf(body).flatMap(({ path, value }) =>
    typeof value === 'string' && isPlainName(value) ? [{ path, value }] : [],
  )
  const named = texts.filter(({ path }) => idNames.includes(path.at(-1) ?? ''))
  const bare = texts.filter(({ path }) => /^\d+$/.test(path.at(-1) ?? ''))
  const found = (named.length > 0 ? named : bare).map(({ value }) => value)
  const known = texts.map(({ value }) => value).filter(isDocumented)
  return [...new Set([...found, ...known])]
}

const idNames = ['id', 'model', 'model_id', 'modelId', 'slug']

/** Nothing that a profile would take for a variable, and nothing that is no name. */
function isPlainName(text: string): boolean {
  return text.length <= 200 && /^[^\s\p{C}$]+$/u.test(text)
}

/** The cheapest completion there is. */
export function smallestCompletion(model: string) {
  return { model, messages: [{ role: 'user', content: 'Name a colour.' }], max_tokens: 16 }
}
