/** Content that the history of a chat must contain after a turn. */
import { asArray, asObject, type JsonObject, requestJson } from '../../contract/index.ts'
import {
  answerParts,
  assume,
  bodyText,
  type Chat,
  compareOutputWithHistory,
  contains,
  type Exchange,
  everyItemShown,
  expect,
  expectAccepted,
  finalResponse,
  type HistoryRow,
  type HistoryWalk,
  historyRows,
  inputRows,
  isDeclined,
  isObject,
  leavesOf,
  type Scenario,
} from '../../harness/conformance/scenario/index.ts'

/** V3-HIST-06: every item of a reply is in the history unchanged, whatever its type. */
export async function claimOutputKept(
  scenario: Scenario,
  chat: Chat,
  reply: Exchange,
): Promise<void> {
  const output = finalResponse(reply)?.['output']
  if (!Array.isArray(output)) return
  const isShown = (rows: readonly HistoryRow[]) =>
    compareOutputWithHistory(output, rows).length === 0
  const history = await scenario.v3.waitForHistory(chat, isShown)
  if (history.rows.length > 0) claimOutputShown(scenario, reply, history)
}

/** V3-GEN-11: a turn is accepted with the id of the first response as its parent, unless another id of that run is. */
export async function claimLinked(
  { v3, claim }: Scenario,
  chat: Chat,
  linked: Exchange,
  first: Exchange,
): Promise<void> {
  if (isDeclined(linked) && (linked.response?.status ?? 500) < 500) {
    const body = requestJson(linked) as JsonObject
    const { rows } = await v3.walk(chat)
    const values = leavesOf([finalResponse(first), rows])
      .filter(({ path, value }) => /(^|_)id$/i.test(path.at(-1) ?? '') && typeof value === 'string')
      .map(({ value }) => value)
    const ids = new Set(values.filter((one) => one !== body['parent_id']))
    for (const id of [...ids].slice(0, maxIds)) {
      const other = await v3.generate({ ...body, parent_id: id }, { role: 'probe' })
      assume(isDeclined(other), 'parent_id refers to another id than that of the response', other)
    }
  }
  claim('V3-GEN-11', () => expectAccepted(linked, 'a turn with parent_id'), linked, first)
  assume(!isDeclined(linked), 'a turn with parent_id is refused', linked)
}

const maxIds = 5

/** Tests if rows show each item of a reply, as far as they show items. */
export function showsOutput(rows: readonly HistoryRow[], reply: Exchange): boolean {
  const output = asArray(finalResponse(reply)?.['output'])
  return !everyItemShown(rows) || compareOutputWithHistory(output, rows).length === 0
}

/** V3-HIST-06, for a history that shows its items. */
export function claimOutputShown(
  { claim }: Scenario,
  reply: Exchange,
  { rows, pages }: HistoryWalk,
  under = '',
): void {
  const output = finalResponse(reply)?.['output']
  if (!Array.isArray(output) || !everyItemShown(rows)) return
  const differences = compareOutputWithHistory(output, rows)
  const what = `items that the history shows otherwise${under}`
  claim('V3-HIST-06', () => expect(differences, what).toEqual([]), reply, ...pages)
}

/** V3-HIST-07: the history contains a turn: the nonce of its question and the text of its answer. */
export async function claimTurnKept(
  { v3, claim }: Scenario,
  chat: Chat,
  nonce: string,
  reply: Exchange,
): Promise<boolean> {
  // White space around an answer may be stored otherwise.
  const answer = answerParts(reply).map((text) => text.trim())
  const holdsAnswer = (value: unknown) => answer.every((text) => contains(value, text))
  const whole = await v3.waitForHistory(
    chat,
    (history) => inputRows(history, nonce).length > 0 && holdsAnswer(history),
  )
  const isLong = whole.rows.length >= pageSize
  const page = isLong ? await v3.history(chat, { limit: 2 * pageSize }) : undefined
  const rows = [...whole.rows, ...(page ? historyRows(page) : [])]
  const pages = [...whole.pages, ...(page ? [page] : [])]
  if (!everyItemShown(rows)) return true
  // The laws of pages cover what is lost beyond such a page.
  if (whole.rows.length >= 2 * pageSize && !(contains(rows, nonce) && holdsAnswer(rows)))
    return true
  // A requirement of the stream covers bytes that it lost.
  const isWhole = !bodyText(reply).includes('\ufffd')
  const isKept = () => {
    expect(contains(rows, nonce), 'the history contains the question').toBe(true)
    if (isWhole) expect(holdsAnswer(rows), 'the history contains the answer').toBe(true)
  }
  return claim('V3-HIST-07', isKept, reply, ...pages)
}

/** Rows of a page without `limit` (section 4.3). */
const pageSize = 50

/**
 * V3-HIST-10: no input is shown more often than it was sent, and no item of an answer twice; an input that was refused
 * may be shown as well.
 * @param sent responses to all requests to the chat with texts of their own
 */
export async function claimShownOnce(
  { v3, claim, prompts }: Scenario,
  chat: Chat,
  sent: readonly Exchange[],
  history: readonly HistoryRow[],
): Promise<void> {
  // A message may be shown as a row for each of its parts.
  const textsIn = (answers: readonly Exchange[]) =>
    answers.flatMap((answer) => {
      const body = requestJson(answer) as JsonObject
      const parts = itemsOf(body).map((item) => item.parts)
      return [...inputsOf(body), ...parts.filter(({ length }) => length > 1).flat()]
    })
  const all = textsIn(sent).filter((text) => text !== prompts.brief())
  // An earlier try may have been stored.
  const repeats = textsIn(
    sent.filter(({ labels }) => labels.attempt > 0 || labels.repeatOf !== undefined),
  )
  const timesIn = (texts: readonly string[], text: string) =>
    texts.filter((one) => one === text).length
  const doubledIn = (rows: readonly HistoryRow[]) => {
    const texts = textsOf(inputRows(rows))
    // A short text may be that of another request, as a brief one is.
    const isDoubled = (text: string) =>
      text.length >= 16 && !repeats.includes(text) && timesIn(texts, text) > timesIn(all, text)
    return [...new Set(all)].filter(isDoubled)
  }
  const answered = sent.flatMap((answer) => itemIdsOf(asArray(finalResponse(answer)?.['output'])))
  const twiceIn = (rows: readonly HistoryRow[]) => repeatedItems(rows, answered)
  if (doubledIn(history).length + twiceIn(history).length === 0) return
  // A row that is added while the history is paged through may make others appear twice.
  const { rows, pages } = await v3.walk(chat)
  const isOnce = () => {
    const what = 'inputs that the history shows more often than they were sent'
    expect(doubledIn(rows), what).toEqual([])
    expect(twiceIn(rows), 'items of an answer that the history shows twice').toEqual([])
  }
  claim('V3-HIST-10', isOnce, ...pages)
}

/** The ids of items that are in one answer, but in equal rows. A server may have the same ids for items of all answers. */
function repeatedItems(rows: readonly HistoryRow[], answered: readonly string[]): string[] {
  const equal = Map.groupBy(rows, ({ item }) => JSON.stringify(item))
  const repeated = [...equal.values()].filter(({ length }) => length > 1)
  return itemIdsOf(repeated.map(([row]) => row?.['item'])).filter(
    (id) => answered.filter((one) => one === id).length === 1,
  )
}

function itemIdsOf(items: readonly unknown[]): string[] {
  return items.map((item) => asObject(item)?.['id']).filter((id) => typeof id === 'string')
}

export function textsOf(rows: readonly HistoryRow[]): string[] {
  return rows.map((row) => inputTexts(row).join(''))
}

export function inputTexts(row: HistoryRow): string[] {
  return textParts(row).map(({ text }) => text)
}

export function textParts({ item }: HistoryRow) {
  const parts = asArray(asObject(item)?.['content']).filter(isObject)
  return parts.flatMap(({ type, text }) => (typeof text === 'string' ? [{ type, text }] : []))
}

/** Texts that rows do not show as often as they were sent: as parts of one row, or of rows that follow each other. */
export function missingFrom(
  rows: readonly HistoryRow[],
  sent: readonly string[],
): readonly string[] {
  // A row without a text separates those around it.
  const partsOf = (row: HistoryRow) => (inputTexts(row).length > 0 ? inputTexts(row) : [''])
  const orders = [rows, rows.toReversed()].map((all) => all.flatMap(partsOf))
  return sent.filter((text, at) => {
    const count = sent.slice(0, at + 1).filter((one) => one === text).length
    return orders.every((parts) => occurrencesIn(parts, text) < count)
  })
}

/** Number of places where parts, joined, are the text. */
function occurrencesIn(parts: readonly string[], text: string): number {
  return parts.filter((first, at) => {
    let joined = first
    for (const part of parts.slice(at + 1)) {
      if (joined.length >= text.length || !text.startsWith(joined)) break
      joined += part
    }
    return joined === text
  }).length
}

/** The text of each message of an input. */
export function inputsOf(body: JsonObject): string[] {
  return typeof body['input'] === 'string' ? [body['input']] : itemsOf(body).map(({ text }) => text)
}

/** Messages of an input that is a list. */
export function itemsOf({ input }: JsonObject) {
  const items = Array.isArray(input) ? input.filter(isObject) : []
  return items.map((item) => {
    const parts = inputTexts({ item })
    return { role: item['role'], parts, text: parts.join('') }
  })
}
