import { asArray } from '../../../contract/index.ts'
import {
  answerParts,
  areConcurrent,
  assume,
  type Chat,
  type Claim,
  compareOutputWithHistory,
  contains,
  covers,
  describe,
  type Exchange,
  everyItemShown,
  expect,
  finalResponse,
  findGap,
  type HistoryRow,
  inputRows,
  isDeclined,
  type Scenario,
  sendAtOnce,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import {
  type AnsweredTurn,
  claimOneStepEach,
  controlGenerations,
  createLimitControl,
  raceGenerations,
  raceRepeats,
  raceTurns,
  waitIfBusy,
  wasSentAgain,
} from '../../support/raced-turns.ts'

/** Maximum number of attempts to repeat a request that is still running. */
const maxRepeats = 3

/** Section 4.3: repeats with one Idempotency-Key. The history must contain the step once. */
describe('v3: idempotency', () => {
  test(
    'concurrent requests with one key MUST add one step',
    covers(['V3-IDEM-02', 'V3-IDEM-03', 'V3-IDEM-05', 'V3-IDEM-08', 'V3-HIST-07'], {
      requests: 22,
      generations: raceGenerations + 4,
      chats: 1,
      again: raceRepeats + controlGenerations,
      isLong: true,
    }),
    async ({ v3, claim, session, chats, scenario }) => {
      const chat = await v3.createChat()
      const turns = await raceTurns(scenario, chat)
      const sent = turns.flatMap((turn) => turn.sent)
      claimNoServerError(claim, sent)
      const answered = turns.flatMap((turn) => {
        const { answer } = turn
        return answer === undefined ? [] : [{ ...turn, answer }]
      })
      assume(answered.length > 0, 'every request was refused', ...sent)
      await v3.waitForHistory(chat, (rows) => answered.every((turn) => isShown(turn, rows)))
      const history = await v3.historyAfterPause(chat)
      claimOneStepEach(scenario, turns, history)

      // A key of each form, neither of them the latest of the chat.
      for (const stream of [false, true]) {
        const turn = answered.find(({ kind }) => kind.stream === stream)
        if (turn === undefined) {
          const requirement = stream ? 'V3-IDEM-03' : 'V3-IDEM-02'
          session.markUndecided('inconclusive', [requirement], 'every request was refused')
          continue
        }
        // Not the deltas: requirements of the stream cover their agreement with the answer, and lost bytes.
        const parts = answerParts(turn.answer)
        const { rows, pages } = history
        const holdsAnswer = parts.every((text) => contains(rows, text.trim()))
        const holdsBoth = () => {
          expect(contains(rows, turn.nonce), 'the history holds the question').toBe(true)
          expect(holdsAnswer, 'the history holds the answer').toBe(true)
        }
        if (everyItemShown(rows) && !parts.some((text) => text.includes('\ufffd')))
          claim('V3-HIST-07', holdsBoth, turn.answer, ...pages)
        // The keys of a chat remain valid when it is renamed.
        if (stream) await chats.rename(chat.id, session.name(), { role: 'probe' })
        await claimNoSecondStep(scenario, chat, turn)
      }
    },
  )

  test(
    'a repeat during the first request MUST NOT add a second step',
    covers(['V3-IDEM-04', 'V3-IDEM-05', 'V3-IDEM-08'], {
      requests: 9,
      generations: 2,
      chats: 1,
      again: 2 * (maxRepeats - 1) + controlGenerations,
    }),
    async ({ v3, claim, session, profile, scenario }) => {
      const chat = await v3.createChat()
      const tries: Awaited<ReturnType<typeof repeatOnce>>[] = []
      const explainLimit = createLimitControl(scenario)
      let sentAgain = false
      while (tries.length < maxRepeats && !tries.some(({ isDuring }) => isDuring)) {
        // The first try once it is answered, the others together with it.
        const isOnceAnswered = tries.length === 0
        const isLimitJudged = tries.length === maxRepeats - 1 && sentAgain
        const made = await repeatOnce(scenario, chat, { isOnceAnswered, isLimitJudged })
        const { first, repeat } = made
        sentAgain ||= [first, repeat].some(wasSentAgain)
        const limited = await explainLimit([first, repeat])
        const isBusy = await waitIfBusy(scenario, [first, repeat])
        tries.push(limited === undefined && !isBusy ? made : { ...made, isDuring: false })
        session.observe('OPEN-29', describeRepeat(first, repeat), [first, repeat])
        claimNoServerError(claim, [repeat])
      }
      const sent = tries.flatMap(({ first, repeat }) => [first, repeat])
      if (sent.every(isDeclined))
        return session.markUndecided('inconclusive', ['V3-IDEM-04'], 'every request was refused')
      await v3.waitForHistory(chat, (rows) =>
        tries.every(({ nonce }) => inputRows(rows, nonce).length > 0),
      )
      const { rows, pages } = await v3.historyAfterPause(chat)
      for (const { nonce, first, repeat, isDuring } of tries) {
        const steps = inputRows(rows, nonce)
        if (steps.length === 0 || !isDuring) continue
        // Two steps of concurrent requests are the result of a race.
        const isRace = steps.length > 1 && findGap([first, repeat], profile) === undefined
        const requirement = isRace ? 'V3-IDEM-05' : 'V3-IDEM-04'
        const evidence = [repeat, first, ...pages]
        claim(requirement, () => expect(steps, 'steps with this key').toHaveLength(1), ...evidence)
      }
      const [during] = tries.filter(({ isDuring }) => isDuring)
      const reason =
        during === undefined
          ? `no repeat overlapped a running request in ${tries.length} tries; in the last one, ${findGap(sent.slice(-2), profile) ?? 'one of the two was not accepted'}`
          : 'the history does not show the step'
      if (during === undefined || inputRows(rows, during.nonce).length === 0) {
        session.markUndecided('inconclusive', ['V3-IDEM-04'], reason)
      }
    },
  )
})

/** A stream and its repeat, sent when the stream begins or together with it. */
async function repeatOnce(
  { v3, session, prompts }: Scenario,
  chat: Chat,
  { isOnceAnswered, isLimitJudged }: { isOnceAnswered: boolean; isLimitJudged: boolean },
) {
  const nonce = session.nonce()
  const turn = v3.generateBody(chat, prompts.sentencesAbout(5, nonce), { stream: true })
  const key = session.uuid()
  const repeatNow = (more: object = {}) =>
    v3.generate(turn, { key, role: 'negative', isLimitJudged, ...more })
  const repeatOnceAnswered = async () => {
    const running = v3.startGenerate(turn, { key })
    await running.answered
    const repeat = await repeatNow()
    return [await running.exchange, repeat] as const
  }
  await session.waitForOthers()
  // If an answer is complete at once, there is no time for a repeat after its beginning.
  const [first, repeat] = isOnceAnswered
    ? await repeatOnceAnswered()
    : await sendAtOnce(session, repeatNow, repeatNow)
  assume(first && repeat, 'a request is missing')
  return { nonce, first, repeat, isDuring: areConcurrent(first, repeat) }
}

function claimNoServerError(claim: Claim, repeats: readonly Exchange[]): void {
  for (const repeat of repeats) {
    const status = () => expect(repeat.response?.status, 'status of the repeat').toBeLessThan(500)
    claim('V3-IDEM-08', status, repeat)
  }
}

/** Waits for all rows: reasoning rows may come last and would otherwise count as a second step. */
function isShown({ nonce, answer }: AnsweredTurn, rows: readonly HistoryRow[]): boolean {
  const output = asArray(finalResponse(answer)?.['output'])
  return (
    inputRows(rows, nonce).length > 0 &&
    answerParts(answer).every((text) => contains(rows, text.trim())) &&
    compareOutputWithHistory(output, rows).length === 0
  )
}

/** V3-IDEM-02 and V3-IDEM-03: repeats in the same or the other form leave the history unchanged. */
async function claimNoSecondStep(
  { v3, claim, session }: Scenario,
  chat: Chat,
  { kind: { stream }, nonce, key, body, answer }: AnsweredTurn,
): Promise<void> {
  const before = await v3.historyAfterPause(chat)
  const repeat = await v3.generate(body, { key, repeatOf: answer.id })
  const form = stream ? 'a stream' : 'one JSON body'
  session.observe('OPEN-28', `${form}: ${describeRepeat(answer, repeat)}`, [answer, repeat])
  const other = { ...body, stream: !stream }
  const inOtherForm = await v3.generate(other, { key, repeatOf: answer.id })
  claimNoServerError(claim, [repeat, inOtherForm])
  const steps = inputRows(before.rows, nonce).length
  const requirement = stream ? 'V3-IDEM-03' : 'V3-IDEM-02'
  const notShown = 'the history does not show the step'
  if (steps === 0) return session.markUndecided('inconclusive', [requirement], notShown)
  const after = await v3.historyAfterPause(chat)
  const isSame = () => {
    expect(inputRows(after.rows, nonce).length, 'steps with this key after repeats').toBe(steps)
    expect(after.rows.length, 'rows of the history').toBe(before.rows.length)
  }
  claim(requirement, isSame, repeat, inOtherForm, answer, ...after.pages)
}

/** The response to a repeat, in words; without numbers, which differ between runs. */
function describeRepeat(first: Exchange, repeat: Exchange): string {
  const status = repeat.response?.status
  if (isDeclined(repeat)) return `refused with ${status}`
  if (repeat.events.length === 0) return `${status}, a JSON body`
  const more = repeat.events.length - first.events.length
  const events = more === 0 ? 'as many events as' : `${more > 0 ? 'more' : 'fewer'} events than`
  return `${status}, a stream of ${events} the first`
}
