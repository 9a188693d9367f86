/** Laws of the history of a chat: how it shows turns under conditions. */
import {
  answerParts,
  type Chat,
  contains,
  describeRow,
  type Exchange,
  everyItemShown,
  expect,
  expectAccepted,
  finalResponse,
  type HistoryRow,
  type HistoryWalk,
  historyCursor,
  historyRows,
  inputRows,
  isDeclined,
  isObject,
  type Scenario,
} from '../../harness/conformance/scenario/index.ts'
import type { Caller } from '../support/credentials.ts'
import {
  claimOutputShown,
  claimShownOnce,
  inputsOf,
  inputTexts,
  itemsOf,
  missingFrom,
  showsOutput,
  textParts,
  textsOf,
} from '../support/history.ts'
import { askUntil } from '../support/recall.ts'
import { doBefore } from './conditions/edits.ts'
import type { Body, Trial } from './conditions/plan.ts'
import { tryConditions } from './conditions/trials.ts'
import { claimSameTypes } from './same-types.ts'

/** The history contains each turn once, as it was sent and answered; a repeat adds nothing. */
export async function claimTurns(
  scenario: Scenario,
  chat: Chat,
  trials: readonly Trial[],
  keys: ReadonlyMap<Exchange, string>,
): Promise<void> {
  const { v3, claim } = scenario
  const { settling } = scenario.session
  claimSameTypes(scenario, trials)
  const answered = trials.filter(({ answer }) => finalResponse(answer) !== undefined)
  const last = answered.at(-1)
  if (last === undefined) return
  const ids = answered.flatMap(({ answer }) => finalResponse(answer)?.['id'] ?? [])
  const different = expect(new Set(ids).size, 'different ids')
  claim('V3-GEN-15', () => different.toBe(ids.length), last.answer)
  await claimShown(scenario, chat, answered)
  // The last rows may be stored after their answer.
  let { rows: before } = await v3.historyAfterPause(chat)
  await claimShownOnce(scenario, chat, [...keys.keys()], before)
  for (const isStream of [false, true]) {
    const ofForm = answered.filter(({ body }) => (body['stream'] === true) === isStream)
    for (const { body, answer } of ofForm) {
      const key = keys.get(answer)
      if (key === undefined) continue
      const repeat = await v3.generate(body, { key, repeatOf: answer.id })
      claim('V3-IDEM-08', () => expect(repeat.response?.status, 'status').toBeLessThan(500), repeat)
    }
    const [first] = ofForm
    if (first === undefined) continue
    const { rows, pages } = await v3.historyAfterPause(chat)
    // Further rows that are not messages may be late ones of the turns: a run that waits for them decides.
    if (rows.length > before.length && countMessages(rows) === countMessages(before))
      settling.noteLate()
    const rowsAfter = expect(rows.length, 'rows of the history after repeats')
    const { length } = before
    claim(
      isStream ? 'V3-IDEM-03' : 'V3-IDEM-02',
      () => rowsAfter.toBe(length),
      first.answer,
      ...pages,
    )
    before = rows
  }
}

/** The history shows turns as they were sent and answered. */
export async function claimShown(
  scenario: Scenario,
  chat: Chat,
  answered: readonly Trial[],
): Promise<void> {
  const { v3, claim } = scenario
  // Several turns may have the same text.
  const sent = answered.flatMap(({ body }) => inputsOf(body))
  const isComplete = (rows: readonly HistoryRow[]) =>
    missingFrom(inputRows(rows), sent).length === 0 &&
    answered.every(({ answer }) => answerParts(answer).every((text) => contains(rows, text.trim())))
  const isWhole = (rows: readonly HistoryRow[]) =>
    isComplete(rows) && answered.every(({ answer }) => showsOutput(rows, answer))
  let history = await v3.waitForHistory(chat, isWhole)
  if (!isComplete(history.rows)) {
    // Other requirements cover rows that are lost between pages.
    const page = await v3.history(chat, { limit: 100 })
    const rows = [...history.rows, ...historyRows(page)]
    history = { ...history, rows, pages: [...history.pages, page] }
  }
  if (!everyItemShown(history.rows)) return
  for (const trial of answered) {
    claimInputsShown(scenario, trial, history)
    const under = ` (${describeRow(trial.row)})`
    claimOutputShown(scenario, trial.answer, history, under)
    if (finalResponse(trial.answer)?.['status'] !== 'completed') continue
    const texts = answerParts(trial.answer).filter((text) => !text.includes('\ufffd'))
    const lost = texts.filter((text) => !contains(history.rows, text.trim()))
    const what = `answers that the history does not show${under}`
    claim('V3-HIST-07', () => expect(lost, what).toEqual([]), trial.answer, ...history.pages)
  }
  const ofParts = inputRows(history.rows).flatMap((row) => textParts(row).map(({ type }) => type))
  const types = [...new Set(ofParts.filter((type) => typeof type === 'string'))]
  const areTexts = () => expect(types, 'types of the parts of a text').toEqual(['input_text'])
  if (types.length > 0) claim('V3-HIST-05', areTexts, ...history.pages)
}

/** Pages of any size show the whole history, whatever was done with its chat. */
export async function claimPages(scenario: Scenario, chat: Chat, caller: Caller): Promise<void> {
  const { v3, claim, depth } = scenario
  const { rows: all } = await v3.walk(chat)
  await tryConditions(
    { ...scenario, coverage: { ...scenario.coverage, depth } },
    {
      operation: 'v3.history',
      accepts: 'V3-HIST-01',
      rows: pagesAt[depth],
      async base({ after }) {
        await doBefore(scenario, chat.id, after, caller)
        return {}
      },
      send: (query) => v3.history(chat, query, { role: 'act' }),
      laws: [{ law: isWhole }],
    },
  )

  async function isWhole(_: unknown, { row, body, answer }: Trial): Promise<void> {
    const under = ` (${describeRow(row)})`
    await claimNext(scenario, chat, answer, body)
    const { rows, pages } = await v3.walk(chat, body['limit'] as number | undefined)
    const size = (page?: Exchange) => (page ? historyRows(page).length : 0)
    let first = answer
    // A page may have been cut short once.
    for (let tries = 0; tries < 2 && size(first) < size(pages[0]); tries += 1) {
      await doBefore(scenario, chat.id, row['after'], caller)
      first = await v3.history(chat, body, { role: 'act' })
    }
    const rowsOfPage = expect(size(first), `rows of a page${under}`)
    claim('V3-HIST-10', () => rowsOfPage.toBe(size(pages[0])), first, ...pages)
    if (body['limit'] === undefined) {
      const sizes = [first, ...pages.slice(1)].map(size)
      const last = sizes.findLastIndex((count) => count > 0)
      const different = [...new Set(sizes.slice(0, last))]
      const of = expect(different, `rows of pages without limit before the last${under}`)
      if (last > 0) claim('V3-HIST-08', () => of.toEqual([50]), first, ...pages)
    }
    const texts = new Set(textsOf(rows))
    const lost = textsOf(inputRows(all)).filter((text) => !texts.has(text))
    const showsAll = () => {
      expect(rows.length, `rows of the history${under}`).toBeGreaterThanOrEqual(all.length)
      expect(lost, `inputs that pages do not show${under}`).toEqual([])
    }
    claim('V3-HIST-10', showsAll, answer, ...pages)
  }
}

/** The cursor of a page leads to an accepted one. */
export async function claimNext(
  { v3, claim }: Scenario,
  chat: Chat,
  page: Exchange,
  query: Body,
): Promise<void> {
  const cursor = historyCursor(page)
  if (typeof cursor !== 'string') return
  const next = await askUntil(
    (answer) => !isDeclined(answer),
    () => v3.history(chat, { ...query, cursor }),
  )
  claim('V3-HIST-12', () => expectAccepted(next, 'a request with the cursor of a page'), next, page)
}

/** Each size of a page, and each change before it, once; at depth full, each pair of them. */
const pagesAt = { quick: 6, normal: 6, full: 20 } as const

/**
 * The id of a response, with which a later turn names it; undefined if a stream begins with that of another one, as
 * it is open which of them to name.
 */
export function parentIn(answer: Exchange): string | undefined {
  const id = finalResponse(answer)?.['id']
  const created = answer.events.find(({ name }) => name === 'response.created')
  const isOne = created === undefined || created.data.includes(JSON.stringify(id))
  return typeof id === 'string' && isOne ? id : undefined
}

/** Other requirements cover items without a type and content that is not a list of parts. */
function claimInputsShown(
  { claim }: Scenario,
  { row, body, answer }: Trial,
  { rows, pages }: HistoryWalk,
): void {
  const evidence = [answer, ...pages]
  // An input with another role also counts.
  const inputs = rows.filter(
    ({ item }) => isObject(item) && item['type'] === 'message' && item['role'] !== 'assistant',
  )
  const isTyped = rows.every(({ item }) => isObject(item) && typeof item['type'] === 'string')
  const ofParts = inputs.every(({ item }) => isObject(item) && Array.isArray(item['content']))
  if (!isTyped || !ofParts) return
  const missing = missingFrom(inputs, inputsOf(body))
  const what = `inputs that the history does not show as they were sent (${describeRow(row)})`
  claim('V3-HIST-07', () => expect(missing, what).toEqual([]), ...evidence)
  if (row['input'] === 'image' && missing.length === 0) {
    const hasImage = inputs.some((input) => contains(input, 'input_image'))
    const isShown = () => expect(hasImage, 'the history shows the image').toBe(true)
    claim('V3-HIST-07', isShown, ...evidence)
  }
  for (const { role, text } of itemsOf(body)) {
    const roles = inputs
      .filter((input) => inputTexts(input).join('') === text)
      .map(({ item }) => isObject(item) && sideOf(item['role']))
    if (roles.length === 0) continue
    const isKept = () => expect(roles, 'whose input it is').toContain(sideOf(role))
    claim('V3-HIST-05', isKept, ...evidence)
  }
}

/** "Input of a user or system" (section 2.6): a developer may be stored as the system. */
const sideOf = (role: unknown) => (role === 'developer' ? 'system' : role)

function countMessages(rows: readonly HistoryRow[]): number {
  return rows.filter(({ item }) => isObject(item) && item['type'] === 'message').length
}
