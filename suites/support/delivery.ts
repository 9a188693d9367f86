import {
  assume,
  ContractViolation,
  type Delivery,
  deliveryOf,
  deltasOf,
  describeRow,
  type Exchange,
  type Prompts,
  plain,
  type Row,
  type Scenario,
} from '../../harness/conformance/scenario/index.ts'
import type { Body, Trial } from '../laws/conditions/plan.ts'

/** A different text for each attempt: a target may answer a known text from a cache. */
const subjects = ['bicycles', 'lighthouses', 'compasses', 'umbrellas'].map(
  (things) => `${things} came about`,
)
/** One more follows if text was gathered. */
const usualAsks = subjects.length - 1

/** Sentences of the first answer; longer ones follow if it came at once, too fast to decide. */
const firstLength = 10
const growth = 4

/** Number of streams with gathered text that are needed for a decision: a busy machine may stall two of them. */
const enough = 3

/** Share of the time of a long answer; if a brief answer takes as long, the time is not spent on text. */
const briefShare = 0.6

/** Answers that came at once after this time may have been held back if a brief one comes far sooner. */
const minSuspectMs = 100

interface Arrival {
  readonly kind: 'spread' | 'held back' | 'undecided'
  /** Observation, for messages. */
  readonly description: string
  readonly replies: readonly Exchange[]
}

/**
 * Observes the arrival of streamed text, in streams of increasing length. One spread stream shows that text is
 * forwarded as it is generated. A gathered one may be due to a stall of the network, so several are needed. An
 * answer that came at once may have been generated at once, after a wait, unless a brief one arrives far sooner.
 * If an answer came at once too fast to decide, longer ones follow.
 */
async function arrivalOfText(
  prompts: Prompts,
  ask: (text: string, more?: Body) => Promise<Exchange>,
): Promise<Arrival> {
  const replies: Exchange[] = []
  const deliveries: Delivery[] = []
  let sentences = firstLength
  for (const subject of subjects) {
    // The last one decides, if only one was not gathered.
    if (replies.length === usualAsks && deliveries.filter(isGathered).length !== enough - 1) break
    const reply = await ask(prompts.sentences(sentences, subject))
    const delivery = deliveryOf(reply)
    replies.push(reply)
    // A repeat after a transport failure may be answered from storage.
    if (reply.labels.repeatOf !== undefined) continue
    if (delivery.kind === 'spread') return { ...delivery, kind: 'spread', replies: [reply] }
    if (delivery.kind === 'quick') sentences *= growth
    deliveries.push(delivery)
  }
  const gathered = deliveries.filter(isGathered)
  const description = gathered.at(-1)?.description ?? deliveries.at(-1)?.description ?? ''
  const summary = `${description}, as in ${gathered.length} of ${replies.length} streams`
  if (gathered.filter(({ kind }) => kind === 'lumps').length >= enough)
    return { kind: 'held back', description: summary, replies }
  const isDecided = gathered.length >= enough
  // A busy machine or target delays any one of them, so the shortest answer has to be the short one.
  const ofKind = isDecided ? replies.filter((reply) => isGathered(deliveryOf(reply))) : replies
  const longMs = Math.min(...ofKind.map(({ ending }) => ending.atMs))
  const cameAtOnce = deliveries.every(({ kind }) => kind === 'quick' || kind === 'bunched')
  if (!isDecided && !(cameAtOnce && longMs >= minSuspectMs))
    return { kind: 'undecided', description, replies }
  const control = await ask(prompts.brief(), { max_tokens: 4 })
  const all = [...replies, control]
  const briefMs = Math.round(control.ending.atMs)
  if (briefMs > longMs * briefShare) {
    const alike = `${summary}, but a short answer took ${briefMs} ms as well`
    return { kind: 'undecided', description: isDecided ? alike : description, replies: all }
  }
  if (isDecided) return { kind: 'held back', description: summary, replies: all }
  const suspicion = `every long answer arrived at once, ${Math.round(longMs)} ms or more after its request, a short one after ${briefMs} ms: a proxy may buffer the stream`
  return { kind: 'undecided', description: suspicion, replies: all }
}

/** Claims that streamed text arrives while it is generated; `ask` sends a streamed question that must be accepted. */
export async function claimArrival(
  { claim, prompts }: Scenario,
  requirement: 'V3-SSE-30' | 'OAI-STREAM-11',
  ask: (text: string, more?: Body) => Promise<Exchange>,
): Promise<void> {
  const { kind, description, replies } = await arrivalOfText(prompts, ask)
  assume(kind !== 'undecided', description, ...replies)
  claim(requirement, () => expectSpread(kind, description), ...replies)
}

/** Texts of the control streams, which have no conditions. */
const controlSubjects = ['kites came about', 'anchors came about', 'almanacs came about']

/** Maximum number of suspicious streams that are examined in a scenario, without and with a limit of tokens. */
const maxSuspects = { whole: 2, limited: 1 }

/** Tokens of a limit that a long answer of {@link arrivalOfText} seldom reaches. */
const highLimit = 1_000

/** Requests of a scenario under conditions. */
interface Asking {
  readonly body: (text: string, more?: Body) => Body
  readonly send: (body: Body, row: Row) => Promise<Exchange>
}

/**
 * The law that streams arrive while they are generated, under all conditions. A stream that came at once is
 * requested again with a long text, and counts only if control streams, sent in turns with it, arrive spread, or
 * if the first two of them are held back as well: then all streams of the operation are.
 */
export function createDeliveryLaw(
  { claim, prompts }: Scenario,
  requirement: 'V3-SSE-30' | 'OAI-STREAM-11',
  { body, send }: Asking,
) {
  const suspects = { whole: 0, limited: 0 }
  return async ({ row, answer, edit }: Trial): Promise<void> => {
    const kind = row['max_tokens'] === plain ? 'whole' : 'limited'
    if (row['form'] === plain || !cameAtOnce(answer) || suspects[kind] >= maxSuspects[kind]) return
    suspects[kind] += 1
    // A limited answer may be generated at once; a high limit shows whether all limited ones arrive so.
    const limit = kind === 'whole' ? {} : { max_tokens: highLimit }
    const ask = (text: string, more: Body = {}) =>
      send({ ...edit(body(text)), ...limit, ...more }, row)
    const arrival = await arrivalOfText(prompts, ask)
    if (arrival.kind === 'undecided') return
    const controls: Exchange[] = []
    // A busy machine may hold back any stream once, so both kinds are sent in turns.
    for (const subject of arrival.kind === 'spread' ? [] : controlSubjects) {
      const text = prompts.sentences(firstLength, subject)
      if (controls.length > 0 && !isHeldBack(await ask(text))) return
      const control = await send(body(text, { stream: true }), {})
      const isLikeBefore = controls.every((before) => isHeldBack(before) === isHeldBack(control))
      controls.push(control)
      if (!isLikeBefore || !(isHeldBack(control) || deliveryOf(control).kind === 'spread')) return
      if (isHeldBack(control) && controls.length === 2) break
    }
    const description = `${arrival.description} (${describeRow(row)})`
    const evidence = [...arrival.replies, ...controls]
    claim(requirement, () => expectSpread(arrival.kind, description), ...evidence)
  }
}

function isHeldBack(answer: Exchange): boolean {
  return cameAtOnce(answer) || deliveryOf(answer).kind === 'lumps'
}

/** Tests if all text of a stream arrived together after a wait, however short the text. */
function cameAtOnce(answer: Exchange): boolean {
  const times = deltasOf(answer).flatMap(({ text, atMs }) => (text === '' ? [] : [atMs]))
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  return (
    times.length >= minFragments && last >= minSuspectMs && last - first <= last * togetherShare
  )
}

const minFragments = 3
const togetherShare = 0.01

function isGathered({ kind }: Delivery): boolean {
  return kind === 'bunched' || kind === 'lumps'
}

function expectSpread(kind: Arrival['kind'], description: string): void {
  if (kind !== 'spread') throw new ContractViolation(description)
}
