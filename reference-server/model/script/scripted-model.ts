/** A model that answers from a script, or with another model if no entry matches. */
import { hash } from 'node:crypto'
import { seededDraw } from '../../runtime/random.ts'
import { generationOf, type Plan, splitTokens, spoken, tokensBeforeStop } from '../generation.ts'
import { findModel } from '../models.ts'
import { toolStep } from '../tools/tools.ts'
import {
  type Disruption,
  type Generation,
  type Model,
  ModelOutage,
  type ModelRequest,
  type Step,
} from '../types.ts'
import { type AnswerScript, patternOf, type ScriptEntry, timeMs } from './answer-script.ts'

/**
 * The first matching entry is used. Recorded entries with the same request are used one after the other, the
 * last one repeatedly.
 */
export function scriptedModel(
  { answers, otherwise }: AnswerScript,
  fallback: Model,
  seed: number,
): Model {
  const entries = answers.map((entry, index) => ({
    entry,
    matches: matcher(entry),
    used: 0,
    draw: seededDraw(seed, 'script', String(index)),
  }))
  const digests = Map.groupBy(entries, ({ entry }) => entry.match?.digest)
  digests.delete(undefined)
  return (request) => {
    const digest = digests.size > 0 ? requestDigest(request) : undefined
    const found = entries.find(
      (candidate) =>
        candidate.used < (candidate.entry.times ?? limitOf(candidate)) &&
        candidate.matches(request, digest) &&
        candidate.draw() < (candidate.entry.probability ?? 1),
    )
    if (found === undefined) return unmatched(request)
    found.used += 1
    return scriptedAnswer(found.entry, request)
  }

  function limitOf(candidate: (typeof entries)[number]): number {
    const same = digests.get(candidate.entry.match?.digest)
    return same === undefined || same.at(-1) === candidate ? Number.POSITIVE_INFINITY : 1
  }

  function unmatched(request: ModelRequest) {
    if (otherwise === 'model') return fallback(request)
    const text = questionOf(request)
    throw new ModelOutage(501, {
      code: 'not_in_script',
      message: `The script has no answer number ${turnOf(request)} to ${JSON.stringify(text.slice(0, 200))}`,
    })
  }
}

/** Answers from the current script; a replacement starts from its beginning. */
export function replaceableScript(
  current: () => AnswerScript | undefined,
  fallback: Model,
  seed: number,
): Model {
  let script: AnswerScript | undefined
  let model = fallback
  return (request) => {
    if (current() !== script) {
      script = current()
      model = script === undefined ? fallback : scriptedModel(script, fallback, seed)
    }
    return model(request)
  }
}

type Matches = (request: ModelRequest, digest: string | undefined) => boolean

function matcher({ match = {} }: ScriptEntry): Matches {
  const text = match.text === undefined ? undefined : textMatcher(match.text)
  const model = match.model === undefined ? undefined : canonical(match.model)
  return (request, digest) =>
    (text === undefined || text(questionOf(request))) &&
    (model === undefined || canonical(request.model) === model) &&
    (match.turn === undefined || turnOf(request) === match.turn) &&
    (match.digest === undefined || digest === match.digest)
}

function textMatcher(text: string): (question: string) => boolean {
  const pattern = patternOf(text)
  if (pattern !== undefined) return (question) => pattern.test(question)
  const part = text.toLowerCase()
  return (question) => question.toLowerCase().includes(part)
}

function canonical(model: string): string {
  return findModel(model)?.id ?? model
}

export function questionOf({ turns }: ModelRequest): string {
  return turns.findLast(({ role }) => role === 'user')?.text ?? ''
}

/** Number of the answer; a message and its tool calls count as one. */
function turnOf({ turns }: ModelRequest): number {
  const isAnswer = (at: number) =>
    turns[at]?.role === 'assistant' && turns[at - 1]?.role !== 'assistant'
  return 1 + turns.filter((_, at) => isAnswer(at)).length
}

/** Digest of everything that an answer may depend on, stable across server runs. */
export function requestDigest({ knowledge, ...request }: ModelRequest): string {
  const found = knowledge?.found.map(({ fileId, text }) => ({ fileId, text })) ?? []
  const content = JSON.stringify({ ...request, maxTokens: String(request.maxTokens), found })
  return hash('sha256', content, 'base64url').slice(0, 22)
}

/** @throws ModelOutage for an entry with an error */
function scriptedAnswer(entry: ScriptEntry, request: ModelRequest): Generation {
  const { delay, error, reasoning } = entry
  if (error !== undefined) {
    throw new ModelOutage(error.status, {
      code: error.code,
      message: error.message ?? `The model answers with status ${error.status}, as the script says`,
      retryAfter: error.retry_after,
      delayMs: timeMs(delay ?? 0),
    })
  }
  const thoughts =
    request.think && reasoning !== undefined
      ? [spoken({ type: 'reasoning' } as const, splitTokens(reasoning))]
      : []
  const called = (entry.tool_calls ?? []).map(({ name, arguments: given }) => {
    const text = typeof given === 'string' ? given : JSON.stringify(given)
    return toolStep({ name, arguments: text }, request, '')
  })
  const steps = [...thoughts, ...called, ...messageStep(entry, request)]
  const callsClient = called.some(({ type }) => type === 'function_call')
  const finish = callsClient && request.toolsRunBy === 'client' ? 'tool_calls' : 'stop'
  const generation = generationOf(cutShort(entry, { steps, finish }), request, paceOf(entry))
  return { ...generation, disruption: disruptionOf(entry) }
}

function disruptionOf(entry: ScriptEntry): Disruption | undefined {
  for (const kind of ['drop', 'malformed', 'stall'] as const) {
    const afterTokens = entry[`${kind}_after`]
    if (afterTokens !== undefined) return { kind, afterTokens }
  }
  return undefined
}

/** Marks the last step as incomplete if the answer failed or reached its limit. */
function cutShort({ answer, fail_after: failAfter, finish }: ScriptEntry, plan: Plan): Plan {
  if (failAfter === undefined && finish === undefined) return plan
  const last = plan.steps.at(-1)
  const cutBefore = finish === 'length' ? answer === '' : last?.type !== 'message'
  const steps =
    last === undefined || cutBefore
      ? plan.steps
      : [...plan.steps.slice(0, -1), { ...last, complete: false }]
  return { steps, finish: finish ?? 'failed' }
}

function messageStep(entry: ScriptEntry, { stop }: ModelRequest): readonly Step[] {
  const { answer, refusal, fail_after: failAfter, finish } = entry
  if (refusal !== undefined) return [spoken({ type: 'refusal' }, splitTokens(refusal))]
  if (answer === undefined) return []
  const given = entry.citations ?? []
  const citations = given.map(({ file_id: fileId, ...place }) => ({ fileId, ...place }))
  const fragments = tokensBeforeStop(splitTokens(answer), stop).slice(0, failAfter)
  if (fragments.length === 0 && (failAfter !== undefined || finish !== undefined)) return []
  return [{ ...spoken({ type: 'message' }, fragments), citations }]
}

function paceOf({ delay, gap }: ScriptEntry): Generation['pace'] {
  return {
    ...(delay === undefined ? {} : { ttftMs: timeMs(delay), ttftSigma: 0 }),
    ...(gap === undefined ? {} : { gapMs: timeMs(gap), gapSigma: 0 }),
    ...(delay === undefined && gap === undefined ? {} : { jitter: 0 }),
  }
}
