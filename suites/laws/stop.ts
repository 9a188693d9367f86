/** Ends of an answer: a stop sequence, which is taken from an answer instead of a fixed wording, or max_tokens. */
import { parseJson, type RequirementId } from '../../contract/index.ts'
import {
  answerText,
  bodyJson,
  deltasOf,
  type Exchange,
  expect,
  expectAccepted,
  isDeclined,
  isObject,
  plain,
  type Row,
  type Scenario,
  sendAtOnce,
} from '../../harness/conformance/scenario/index.ts'
import type { Body, Trial } from './conditions/plan.ts'

/** Stop sequences of common clients, which are unlikely in answers. */
const strangers = ['\n\nUser:', '\n\nHuman:', '» Ende «']

/** `stop` in the form of a condition, around a sequence. */
export function stopOf(form: string | undefined, sequence: string): string | readonly string[] {
  const lists: Readonly<Record<string, readonly string[]>> = {
    'list of one': [sequence],
    'first of a list': [sequence, ...strangers.slice(1)],
    'last of a list': [...strangers, sequence],
  }
  return lists[form ?? ''] ?? sequence
}

/** The request of a trial with a word from its answer as stop sequence. */
interface Stopped {
  readonly trial: Trial
  /** Form of `stop`. */
  readonly form: string
  readonly sequence: string
  readonly send: (options?: object) => Promise<Exchange>
}

/**
 * The law that an answer ends at its stop sequence, whatever is sent at the same time: requests are sent in pairs with
 * different sequences. Tests each form of `stop` once at depth normal.
 */
export function createStopLaw(
  context: Scenario,
  send: (body: Body, row: Row, options?: object) => Promise<Exchange>,
) {
  const isFull = context.coverage.depth === 'full'
  const tried = new Set<string>()
  let waiting: Stopped | undefined
  /** True for a requirement with evidence, false if all its answers were different ones. */
  const isDecided = new Map<RequirementId, boolean>()
  /** False if the answer is no evidence. */
  const claimStop = ({ trial: { body, answer }, form, sequence }: Stopped, cut: Exchange) => {
    const ofJson = form === 'text' ? 'OAI-STOP-01' : 'OAI-STOP-02'
    const requirement = body['stream'] === true ? 'OAI-STOP-05' : ofJson
    const what = `stop ${form}: ${JSON.stringify(sequence)}`
    const isEvidence = claimCut(context, requirement, sequence, cut, answer, what)
    isDecided.set(requirement, isEvidence || isDecided.get(requirement) === true)
    return isEvidence
  }
  const sendAll = async (all: readonly Stopped[]) => {
    const answers = await sendAtOnce(context.session, ...all.map((one) => one.send))
    for (const [at, one] of all.entries()) {
      const cut = answers[at]
      // Open: whether two requests at once are accepted; another answer than before is no evidence.
      if (cut && !isDeclined(cut) && claimStop(one, cut)) continue
      claimStop(one, await one.send())
    }
  }
  return {
    async try(trial: Trial): Promise<void> {
      const { row, body, answer } = trial
      if (row['stop'] === plain) return
      const isStream = body['stream'] === true
      // Each answer shows other forms as well, as few of them have words.
      const others = isStream ? ['text'] : ['text', 'last of a list']
      for (const form of new Set([row['stop'] ?? plain, ...(isFull ? [] : others)])) {
        const isOfMany = form.endsWith('of a list')
        const kind = `${form} ${isFull ? answer.id : isStream}`
        if (tried.has(kind)) continue
        const mark = isOfMany && !isStream ? markIn(answer) : undefined
        const phrase = form === 'text' && !isStream ? phraseIn(answer) : undefined
        const word = wordIn(answer, isStream, waiting?.sequence)
        // Chunks may be shorter than words.
        const sequence = mark ?? phrase ?? word ?? markIn(answer)
        if (sequence === undefined) continue
        tried.add(kind)
        // Mostly neither first nor last in a list, because a server may read only one of these, or the first two.
        const isInMiddle = form === 'last of a list' && tried.size % 3 > 0
        const stop = isInMiddle ? strangers.toSpliced(2, 0, sequence) : stopOf(form, sequence)
        const last = {
          trial,
          form,
          sequence,
          send: (more = {}) => send({ ...body, stop }, row, more),
        }
        if (waiting) await sendAll([waiting, last])
        waiting = waiting ? undefined : last
      }
    },
    /** Sends the request that waits for another one, and says why requirements have no evidence. */
    async end(): Promise<void> {
      await sendAll(waiting ? [waiting] : [])
      const open = [...isDecided]
        .filter(([, decided]) => !decided)
        .map(([requirement]) => requirement)
      if (open.length > 0) context.session.markUndecided('inconclusive', open, answersDiffer)
    },
  }
}

/** Reason why an answer with `stop` proves nothing. */
export const answersDiffer = 'the model answered differently the second time'

/** Compares an answer with the one without stop; false if it is refused, or a different answer, which is no evidence. */
export function claimCut(
  { claim }: Scenario,
  requirement: 'OAI-STOP-01' | 'OAI-STOP-02' | 'OAI-STOP-04' | 'OAI-STOP-05',
  sequence: string,
  cut: Exchange,
  answer: Exchange,
  what: string,
): boolean {
  if (isDeclined(cut)) return claim(requirement, () => expectAccepted(cut, what), cut, answer)
  const [text, before] = [answerText(cut) ?? '', answerText(answer) ?? '']
  const upToStop = before.slice(0, before.indexOf(sequence))
  const isShown = sameAnswer(text, upToStop + sequence)
  const hasStopped = isShown || sameAnswer(text, upToStop)
  // The sequence may be included at the end of an answer.
  const [whole, at] = [text.trimEnd(), text.indexOf(sequence)]
  const goesOn = at >= 0 && at + sequence.length < whole.length
  const ranOn = runsOn(text, before, sequence) || goesOn
  if (!hasStopped && !ranOn) return false
  const continues = `the text continues after ${JSON.stringify(sequence)}`
  claim(requirement, () => expect(ranOn, continues).toBe(false), cut, answer)
  const showsStop = `the answer shows ${JSON.stringify(sequence)}`
  if (hasStopped) claim('OAI-STOP-03', () => expect(isShown, showsStop).toBe(false), cut, answer)
  return true
}

/** A punctuation mark in the middle of an answer. */
function markIn(answer: Exchange): string | undefined {
  const text = answerText(answer) ?? ''
  return ['.', ',', ';', ':', '!', '?'].find((mark) => {
    const at = text.indexOf(mark)
    return at > 0 && text.slice(at).length > 40
  })
}

/** Two neighboring words, with the space before them, that occur once in the middle of an answer. */
function phraseIn(answer: Exchange): string | undefined {
  const text = answerText(answer) ?? ''
  const [phrase] = text.slice(text.length / 4).match(/ \p{L}{2,} \p{L}{2,}(?=.{3})/u) ?? []
  return phrase && text.split(phrase).length === 2 ? phrase : undefined
}

/**
 * A word that first occurs in the middle of an answer, after another one if it occurs there, and, in a stream,
 * within one chunk; for streams, preferably one with characters beyond ASCII.
 */
function wordIn(answer: Exchange, isStream: boolean, other?: string): string | undefined {
  const text = answerText(answer) ?? ''
  const deltas = deltasOf(answer).map((delta) => delta.text)
  const found = [...text.matchAll(isStream ? /\p{L}{4,}/gu : /\p{L}{3,}/gu)].filter(
    ({ 0: word, index }) => index > 0 && text.indexOf(word) === index,
  )
  const late = found.filter(({ index }) => index > text.length / 4)
  // An answer that repeats itself has new words at its beginning alone.
  const words = (late.length > 0 ? late : found)
    .filter(({ 0: word, index }) => text.slice(index + word.length).trim().length > 2)
    .map(({ 0: word }) => word)
    .filter((word) => word.isWellFormed() && !word.includes('\ufffd'))
    .filter((word) => !isStream || deltas.some((delta) => delta.includes(word)))
  const isAscii = (word: string) => /^[\0-\x7f]*$/.test(word)
  const later = words.slice(words.findIndex((word) => other && word.startsWith(other)) + 1)
  const [preferred = later[0]] = later.filter((word) => isAscii(word) !== isStream)
  // Leaves a rest of the chunk after the sequence, which must not be sent.
  const start = isStream ? preferred?.slice(0, Math.max(3, preferred.length - 2)) : preferred
  return start && text.indexOf(start) === text.indexOf(preferred ?? start) ? start : preferred
}

/** Tests if an answer is the earlier one with only the sequence removed. */
function runsOn(text: string, before: string, sequence: string): boolean {
  const start = before.indexOf(sequence)
  const rest = text.slice(start).trimStart()
  const after = before.slice(start + sequence.length).trimStart()
  const isLong = rest.length >= 24 && after.length >= 24
  return (
    isLong && text.startsWith(before.slice(0, start)) && rest.slice(0, 24) === after.slice(0, 24)
  )
}

/** Tests if an answer is the same up to the stop; trailing space may be trimmed. */
function sameAnswer(text: string, upToStop: string): boolean {
  return text.trimEnd() === upToStop.trimEnd()
}

/** An answer with as many tokens as its limit was cut, unless it is short by itself; without a count, its length tells. */
export function saysItWasCut({ claim }: Scenario, { row, body, answer }: Trial): void {
  if (row['max_tokens'] === plain) return
  const limit = Number(body['max_tokens'])
  const { tokens, reason } = endOf(answer)
  const { length } = answerText(answer) ?? ''
  if (tokens === undefined && length > limit * maxPerToken) {
    const characters = expect(length, `characters of an answer with max_tokens: ${limit}`)
    claim('OAI-MAXTOK-01', () => characters.toBeLessThan(limit * maxPerToken + 1), answer)
  }
  if (row['text'] !== plain || row['stop'] !== plain) return
  if (tokens !== limit || reason === undefined) return
  const what = 'finish_reason of an answer cut by max_tokens'
  claim('OAI-MAXTOK-02', () => expect(reason, what).toBe('length'), answer)
}

/** Characters of a token: more than any tokenizer has on average. */
const maxPerToken = 100

/** Answers of a form that are short by themselves do not show that their limit was kept. */
export function requireLimited({ session }: Scenario, trials: readonly Trial[]): void {
  for (const isStream of [false, true]) {
    const ofForm = trials.filter(({ body }) => (body['stream'] === true) === isStream)
    const areCut = ofForm.flatMap(({ row, body, answer }) => {
      const limit = Number(body['max_tokens'])
      const { tokens, reason } = endOf(answer)
      const isKnown = typeof tokens === 'number' || reason !== undefined
      // A single token may be all that an answer has.
      if (!isKnown || !(limit > 1)) return []
      if (Number(tokens) >= limit || reason === 'length') return [true]
      // So may few tokens, unless a long answer was asked for.
      const isAsked = row['messages'] !== plain && limit >= 64
      return row['text'] === plain && row['stop'] === plain && !isAsked ? [false] : []
    })
    if (areCut.length === 0 || areCut.includes(true)) continue
    const reason = `every ${isStream ? 'stream' : 'answer'} is short anyway, so a limit has no visible effect`
    session.markUndecided('inconclusive', ['OAI-MAXTOK-01', 'OAI-MAXTOK-02'], reason)
  }
}

/** Completion tokens of the usage, and the finish_reason, of an answer in either form. */
export function endOf(answer: Exchange) {
  const parts = [bodyJson(answer), ...answer.events.map(({ data }) => parseJson(data))]
  const objects = parts.filter(isObject)
  const usage = objects.map((part) => part['usage']).find(isObject)
  const choices = objects.flatMap((part) => (Array.isArray(part['choices']) ? part['choices'] : []))
  const reasons = choices.map((choice) => (isObject(choice) ? choice['finish_reason'] : undefined))
  return {
    tokens: usage?.['completion_tokens'],
    reason: reasons.find((one) => typeof one === 'string'),
  }
}
