import {
  answerJson,
  bodyText,
  type Chat,
  type Exchange,
  expect,
  inputRows,
  isDeclined,
  leavesOf,
  type ScenarioContext,
  statusText,
} from '../../harness/conformance/scenario/index.ts'

/**
 * Tests if a request was refused for its content. Where the document does not show all of that and
 * the profile is silent, the refusal is one of our guess: it accuses nobody.
 */
export function isContentRefusal(exchange: Exchange): boolean {
  const status = statusText(exchange)
  return /^4\d\d$/.test(status) && !otherReasons.includes(status)
}

/** No key, no route, no such method, too slow, too often. */
const otherReasons = ['401', '403', '404', '405', '408', '429']

/** Tests if a body names a prefix as `/api/v2` or `api/v2`, alone or in a URL. */
export function namesPrefix(exchange: Exchange, prefixes: readonly string[]): boolean {
  const text = hintText(exchange)
  return prefixes.some((prefix) => {
    const path = prefix.slice(1).replaceAll(/[^\w/]/g, '\\$&')
    return new RegExp(`\\b${path}\\b`).test(text)
  })
}

/**
 * A body in which a hint is looked for (section 7): `\/api\/v2` in JSON is `/api/v2`, in a text within
 * JSON as well, and so is `&#x2F;api&#x2F;v2` in HTML.
 */
export function hintText(exchange: Exchange): string {
  return bodyText(exchange)
    .replaceAll(/\\+\//g, '/')
    .replaceAll(/&(?:#0*47|#x0*2f|sol);/gi, '/')
}

/** V3-GEN-14: a refused request leaves no step in the history; one that was accepted may. */
export async function claimNoStep(
  { v3, claim }: Pick<ScenarioContext, 'v3' | 'claim'>,
  chat: Chat,
  nonce: string,
  refused: Exchange,
): Promise<void> {
  if (!isDeclined(refused)) return
  const { rows, pages } = await v3.historyAfterPause(chat)
  claim(
    'V3-GEN-14',
    () => expect(inputRows(rows, nonce), 'steps of the refused request').toEqual([]),
    refused,
    ...pages,
  )
}

/**
 * The versions that an answer states of a chat: values beside its id, in one object. A version
 * anywhere else may repeat a request, this one or an earlier one.
 */
export function statedVersions(answer: Exchange, chatId: string): string[] {
  const leaves = leavesOf(answerJson(answer)).map(({ path, value }) => ({
    record: path.slice(0, -1).join('/'),
    text: typeof value === 'string' ? value.toLowerCase() : '',
  }))
  const records = leaves
    .filter(({ text }) => text === chatId.toLowerCase())
    .map(({ record }) => record)
  return leaves
    .filter(({ record, text }) => records.includes(record) && (text === 'v2' || text === 'v3'))
    .map(({ text }) => text)
}
