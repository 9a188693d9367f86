import {
  answerParts,
  answerText,
  assume,
  type Chat,
  contains,
  type Exchange,
  expect,
  finalResponse,
  findGap,
  type HistoryWalk,
  inputRows,
  inputText,
  isDeclined,
  mayRace,
  racers,
  type Scenario,
  sendAtOnce,
} from '../../harness/conformance/scenario/index.ts'
import { firstWord } from './chat-names.ts'
import { withReasoning } from './test-data.ts'
import { withCombinedTexts } from './text-edits.ts'

/** Form, input and parent_id of a turn: all pairs of values of any two of them occur. */
const kinds = [
  { stream: false, ofItems: true, hasParent: false },
  { stream: true, ofItems: false, hasParent: false },
  { stream: false, ofItems: false, hasParent: true },
  { stream: true, ofItems: true, hasParent: true },
] as const
type TurnKind = (typeof kinds)[number]

/** Maximum number of races of one kind until the requests overlap. */
const maxTries = 3

/** Pause after requests that conflict with the turn before. */
const busyMs = 1_000

/** Generations of races that overlap in the first attempt, of their control, and of repeated races. */
export const raceGenerations = kinds.length * racers
export const controlGenerations = maxTries * racers
export const raceRepeats = kinds.length * (maxTries - 1) * racers

/** A turn of each kind in one chat, each continuing the previous run. */
export async function raceTurns(scenario: Scenario, chat: Chat): Promise<readonly RacedTurn[]> {
  await scenario.session.waitForOthers()
  const turns: RacedTurn[] = []
  const tried = mayRace(scenario.profile) ? maxTries : 1
  const explainLimit = createLimitControl(scenario)
  for (const kind of kinds) {
    let isLimitJudged = false
    for (let tries = 0; tries < tried; tries += 1) {
      const before = turns.findLast(({ answer }) => answer !== undefined)?.answer
      const parent = before && finalResponse(before)?.['id']
      const raced = await raceTurn(scenario, chat, kind, parent, { isLimitJudged })
      const turn = { ...raced, gap: raced.gap ?? (await explainLimit(raced.sent)) }
      if (tries < tried - 1 && (await waitIfBusy(scenario, turn.sent))) continue
      turns.push(turn)
      if (turn.gap === undefined) break
      isLimitJudged = tries > 0 && turn.sent.some(wasSentAgain)
    }
  }
  return turns
}

/** Waits if every request conflicts: the chat may still be busy with the turn before. */
export async function waitIfBusy(
  { session }: Pick<Scenario, 'session'>,
  sent: readonly Exchange[],
): Promise<boolean> {
  const isBusy = sent.every(({ response }) => response?.status === 409)
  if (isBusy) await session.sleep(busyMs)
  return isBusy
}

/** A turn of the user that is sent several times at once, with one Idempotency-Key. */
async function raceTurn(
  { v3, session, profile, prompts }: Scenario,
  chat: Chat,
  kind: TurnKind,
  parent: unknown,
  limit: { readonly isLimitJudged: boolean },
) {
  const { stream, ofItems, hasParent } = kind
  const nonce = session.nonce()
  const key = session.uuid()
  const question = prompts.brief(nonce)
  const body = v3.generateBody(chat, ofItems ? [inputText(question)] : question, {
    stream,
    ...(stream ? {} : withReasoning(profile)),
    ...(hasParent && typeof parent === 'string' ? { parent_id: parent } : {}),
  })
  // It is unknown which of them is first, and the response to the others is open.
  const send = (options: object) =>
    v3.generate(body, { key, role: 'negative', ...limit, ...options })
  const sent = await sendAtOnce(session, ...Array<typeof send>(racers).fill(send))
  // The fullest answer; undefined if every request was refused.
  const [answer] = sent
    .filter((exchange) => !isDeclined(exchange))
    .toSorted((a, b) => textLength(b) - textLength(a))
  /** Reason why the requests are no evidence of concurrency; undefined if they overlapped. */
  const gap = findGap(sent, profile)
  return { kind, nonce, key, body, sent, answer, gap }
}

/** Tests if a request was refused with 429 or failed at first: then its repeat met an answer that was complete. */
export function wasSentAgain({ labels }: Exchange): boolean {
  return labels.attempt > 0
}

/**
 * A 429 in a race may be the response to a key in use, which is open, or that of a limit, which proves nothing. The
 * control are two turns with different keys in different chats, at once: if both are answered, no limit is in the way.
 * @returns a function for the reason why the requests of a race are no evidence; undefined if they are.
 */
export function createLimitControl({ v3, session, prompts, profile }: Scenario) {
  const answersBoth = async () => {
    const chats = [await v3.createChat(), await v3.createChat()]
    for (let tries = 0; tries < maxTries; tries += 1) {
      const racing = chats.map((chat) => (options: object) => {
        const body = v3.generateBody(chat, prompts.brief())
        return v3.generate(body, { role: 'control', isLimitJudged: true, ...options })
      })
      const sent = await sendAtOnce(session, ...racing)
      if (sent.some(isDeclined)) return false
      if (findGap(sent, profile) === undefined) return true
    }
    return false
  }
  let control: Promise<boolean> | undefined
  return async (sent: readonly Exchange[]): Promise<string | undefined> => {
    if (!sent.some(({ response }) => response?.status === 429)) return undefined
    control ??= answersBoth()
    if (await control) return undefined
    return 'a request was refused with 429, and two different turns were not answered concurrently either'
  }
}

type RacedTurn = Awaited<ReturnType<typeof raceTurn>>

/** A turn of which at least one request was accepted. */
export type AnsweredTurn = RacedTurn & { readonly answer: Exchange }

function textLength(exchange: Exchange): number {
  return answerParts(exchange).join('').length
}

/** V3-IDEM-05: for each kind, a race with overlapping requests added one step. */
export function claimOneStepEach(
  { claim, session }: Scenario,
  turns: readonly RacedTurn[],
  { rows, pages }: HistoryWalk,
): void {
  const leaveOpen = (reason: string) =>
    session.markUndecided('inconclusive', ['V3-IDEM-05'], reason)
  for (const { kind, nonce, sent, answer, gap } of turns) {
    const steps = inputRows(rows, nonce)
    // Requests that did not overlap enough are a plain repeat.
    const repeatRow = kind.stream ? 'V3-IDEM-03' : 'V3-IDEM-02'
    if (steps.length === 0) {
      const reason =
        answer === undefined ? 'every request was refused' : 'the history does not show the step'
      leaveOpen(`${reason}${describeKind(kind)}`)
    } else if (gap === undefined || steps.length > 1) {
      const requirement = gap === undefined ? 'V3-IDEM-05' : repeatRow
      const what = `steps with this key${describeKind(kind)}`
      claim(requirement, () => expect(steps, what).toHaveLength(1), ...sent, ...pages)
    }
  }
  for (const kind of kinds) {
    const races = turns.filter((turn) => turn.kind === kind)
    if (races.some(({ gap }) => gap === undefined)) continue
    const times = races.length === 1 ? 'one race' : `${races.length} races`
    leaveOpen(
      `the requests did not overlap in ${times}${describeKind(kind)}; in the last one, ${races.at(-1)?.gap}`,
    )
  }
}

function describeKind({ stream, ofItems, hasParent }: TurnKind): string {
  const input = ofItems ? 'an array of items' : 'a text'
  const parent = hasParent ? 'with parent_id' : 'no parent_id'
  return ` (${stream ? 'stream' : 'JSON body'}, ${input}, ${parent})`
}

/** Asks in a new chat while something is said in another one, and then again: they know nothing of each other. */
export async function sayBesideOtherChat(
  scenario: Scenario,
  chat: Chat,
  ask: string,
  say: (options: { readonly inBurst?: boolean }) => Promise<Exchange>,
): Promise<Exchange> {
  const { v3, chats, claim, session, prompts } = scenario
  const other = await v3.createChat()
  const reference = session.nonce()
  // The same question as in the first chat.
  const body = v3.generateBody(other, [inputText(prompts.note(reference)), inputText(ask)])
  const [saying, reply] = await sendAtOnce(session, say, (options) =>
    v3.generateOk(body, { role: 'act', ...options }),
  )
  assume(saying && reply, 'a request is missing')
  // The second turn of a chat that was told nothing.
  const odd = withCombinedTexts(ask, scenario)
  const again = await v3.generateOk(v3.generateBody(other, odd))
  for (const one of [reply, again]) {
    // A server that confuses chats may return the fact of another scenario.
    const foreign = session
      .noncesSaidIn(answerText(one) ?? '')
      .filter((fact) => fact !== reference && !other.name.includes(fact))
    const what = 'facts of other chats in a fresh one'
    claim('V3-CTX-02', () => expect([...new Set(foreign)], what).toEqual([]), one)
  }
  const isStrange = answerText(saying)?.includes(reference) === true
  const knows = 'an answer contains what is said in another chat at the same time'
  claim('V3-CTX-02', () => expect(isStrange, knows).toBe(false), saying, reply)
  // A search that finds both, each with several turns.
  await chats.rename(chat.id, other.name, { role: 'probe' })
  const list = await chats.list({ search: firstWord(other.name) }, { role: 'probe' })
  const twice = chats.shownTwice(list)
  const once = () => expect(twice, 'chats that a page shows twice').toEqual([])
  if (twice.length > 0) claim('V3-CHAT-08', once, list)
  // A history is judged by itself.
  await v3.history(other)
  const { rows, pages } = await v3.walk(chat)
  const isMixed = contains(rows, reference)
  const mixes = 'the history shows a row of another chat'
  claim('V3-HIST-16', () => expect(isMixed, mixes).toBe(false), reply, ...pages)
  return saying
}
