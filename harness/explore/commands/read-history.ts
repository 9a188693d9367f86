import { type Exchange, type RequirementId, succeeded } from '../../../contract/index.ts'
import { poll } from '../../conformance/scenario/poll.ts'
import {
  contains,
  everyItemShown,
  type HistoryRow,
  type HistoryWalk,
  historyRows,
  inputRows,
} from '../../conformance/scenario/read.ts'
import { asControl, expectLimit, isAccepted, requireChat } from '../checks.ts'
import {
  type Command,
  demand,
  drawFrom,
  type ExplorationContext,
  type Operation,
  StateViolation,
} from '../command.ts'
import type { Turn } from '../model.ts'

const limits = [undefined, undefined, 1, 2, 3, 4, 5, 7, 10, 20, 30, 50] as const

/** Reads the history of a chat and compares it with the turns that were sent. */
export const readHistory: Command = {
  weight: 5,
  reads: true,
  expects: [
    ...(['V3-HIST-01', 'V3-HIST-07', 'V3-HIST-09', 'V3-HIST-10', 'V3-HIST-11'] as const),
    ...(['V3-HIST-16', 'V3-IDEM-02', 'V3-IDEM-03'] as const),
  ],
  chats: ({ living }) => living,
  draw(model, pick) {
    const { living } = model
    const used = living.filter(({ label }) => model.turnsOf(label).length > 0)
    const chosen = drawFrom(used.length > 0 && pick(5) > 0 ? used : living, pick)
    const limit = drawFrom(limits, pick)
    return chosen && { chat: chosen.label, limit }
  },
  run: async (context, operation) => void (await walkHistory(context, operation)),
}

/** True if every turn was shown, with its answer. */
async function walkHistory(context: ExplorationContext, operation: Operation): Promise<boolean> {
  const { limit } = operation
  const { v3, session, model, knowledge } = context
  const chat = requireChat(context, operation)
  const { label } = chat
  const first = await v3.history(chat, limit === undefined ? {} : { limit })
  if (!succeeded(first)) context.record(first)
  if (!isAccepted(context, first, 'history', 'V3-HIST-01', 'a further history')) return false
  const turns = model.turnsOf(label)
  const walk = await poll(
    session,
    () => v3.walk(chat, limit),
    ({ rows }) =>
      findTurnFault(turns, rows) === undefined &&
      (!knowledge.isAble(answersOf(limit)) || isComplete(turns, rows)),
  )
  const isRight = isComplete(turns, walk.rows)
  const { limit: _, ...whole } = operation
  // A fault that also occurs without a limit is not a fault of the pages.
  const isOwnFault =
    isRight || limit === undefined || (await walkHistory(asControl(context), whole))
  for (const page of walk.pages) context.record(page)
  const { pages, lastCursor } = walk
  const count = (page: Exchange) => historyRows(page).length
  expectLimit(context, 'V3-HIST-09', limit, pages, count, (rows) => `has ${rows} rows`)
  if (lastCursor === null) knowledge.prove('last cursor')
  const isEnd = lastCursor === null || typeof lastCursor === 'string'
  const isWrong = !isEnd && knowledge.isAble('last cursor')
  demand(!isWrong, 'V3-HIST-11', 'the cursor of the last page is not null', ...pages.slice(-1))
  if (isOwnFault) expectTurns(context, turns, walk, limit)
  const foreign = model.turns.find(
    ({ chat, marks }) => chat !== label && marks.some((mark) => contains(walk.rows, mark)),
  )
  if (foreign !== undefined) {
    const why = 'the history of a chat contains what was said in another chat'
    throw new StateViolation('V3-HIST-16', why, walk.pages, [{ label: foreign.chat }])
  }
  return isRight
}

function isComplete(turns: readonly Turn[], rows: readonly HistoryRow[]): boolean {
  return (
    findTurnFault(turns, rows) === undefined && turns.every(({ answer }) => isShown(answer, rows))
  )
}

/** Tests if an answer is shown; broken characters and white space around it may be stored differently. */
function isShown(answer: readonly string[], rows: readonly HistoryRow[]): boolean {
  return answer.every((text) => text.includes('\ufffd') || contains(rows, text.trim()))
}

/** The first turn that is not in the rows as often as it was accepted, and the number of times that it is. */
function findTurnFault(turns: readonly Turn[], rows: readonly HistoryRow[]) {
  for (const turn of turns) {
    for (const mark of turn.marks) {
      const times = inputRows(rows, mark).length
      const isRight = turn.isAccepted ? times === 1 : times <= 1
      if (!isRight) return { turn, times }
    }
  }
  return undefined
}

function expectTurns(
  { knowledge }: ExplorationContext,
  turns: readonly Turn[],
  { rows, pages }: HistoryWalk,
  limit: number | undefined,
): void {
  const isWhole = everyItemShown(rows)
  const fault = findTurnFault(turns, rows)
  // A list read with a limit was complete without it, so the pages lose the turn.
  const requirement: RequirementId = limit === undefined ? 'V3-HIST-07' : 'V3-HIST-10'
  const limited = limit === undefined ? '' : ` when it is read with limit ${limit}`
  const history = `history${limit === undefined ? '' : ' with limit'}`
  const answers = answersOf(limit)
  if (fault === undefined) {
    if (turns.some(({ isAccepted }) => isAccepted)) knowledge.prove(history)
  } else if (fault.times === 0) {
    // A row without its item may be the one that is missing.
    const isClear = isWhole && knowledge.isAble(history)
    demand(!isClear, requirement, `the history lacks a turn of the chat${limited}`, ...pages)
  } else if (knowledge.isAble('history')) {
    const { turn, times } = fault
    const often = `the history contains a turn ${times} times${limited}`
    if (!turn.isRepeated) throw new StateViolation('V3-HIST-10', often, pages)
    const ofKey = turn.body['stream'] === true ? 'V3-IDEM-03' : 'V3-IDEM-02'
    const why = `${times} steps are stored for one Idempotency-Key${limited}`
    throw new StateViolation(ofKey, why, pages)
  }
  if (!isWhole || fault !== undefined) return
  for (const { answer } of turns) {
    if (!isShown(answer, rows)) {
      const isClear = knowledge.isAble(answers)
      demand(!isClear, requirement, `the history lacks an answer${limited}`, ...pages)
    } else if (answer.length > 0) knowledge.prove(answers)
  }
}

function answersOf(limit: number | undefined): string {
  return limit === undefined ? 'answers' : 'answers with limit'
}
