/** The generation that an entry of a script describes. */
import { type ScriptEntry, timeMs } from '../../../contract/answer-script.ts'
import { generationOf, type Plan, spoken } from '../generation.ts'
import { splitTokens, tokensBeforeStop } from '../tokens.ts'
import { searchQuery } from '../tools/tools.ts'
import {
  type Disruption,
  type Generation,
  ModelOutage,
  type ModelRequest,
  type Step,
} from '../types.ts'

/** @throws ModelOutage for an entry with an error */
export function scriptedAnswer(entry: ScriptEntry, request: ModelRequest): Generation {
  if (entry.error !== undefined) throw outage(entry, entry.error)
  const called = (entry.tool_calls ?? []).map((call) => callStep(call, request))
  const message = messageStep(entry, request)
  const steps = [...reasoningSteps(entry, request), ...called, ...message]
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

/** The part that was being said when the answer failed or reached its limit is not complete. */
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

function outage({ delay }: ScriptEntry, error: NonNullable<ScriptEntry['error']>): ModelOutage {
  const { status, code, message, retry_after: retryAfter } = error
  return new ModelOutage(status, {
    code,
    message: message ?? `The model answers with status ${status}, as the script says`,
    retryAfter,
    delayMs: delay === undefined ? 0 : timeMs(delay),
  })
}

function reasoningSteps({ reasoning }: ScriptEntry, { think }: ModelRequest): readonly Step[] {
  return think && reasoning !== undefined
    ? [spoken({ type: 'reasoning' }, splitTokens(reasoning))]
    : []
}

type ToolCall = NonNullable<ScriptEntry['tool_calls']>[number]

/** The service runs its own search; a client gets every call. */
function callStep({ name, arguments: given }: ToolCall, request: ModelRequest): Step {
  const call = { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) }
  const query = request.toolsRunBy === 'service' ? searchQuery(call, '') : undefined
  if (query === undefined)
    return spoken({ type: 'function_call', name }, splitTokens(call.arguments))
  const results = request.knowledge?.search(query) ?? []
  return spoken({ type: 'file_search', queries: [query], results }, [])
}

function messageStep(entry: ScriptEntry, { stop }: ModelRequest): readonly Step[] {
  const { answer, refusal, fail_after: failAfter, finish } = entry
  if (refusal !== undefined) return [spoken({ type: 'refusal' }, splitTokens(refusal))]
  if (answer === undefined) return []
  const citations = (entry.citations ?? []).map(({ file_id, filename, index }) => ({
    fileId: file_id,
    filename,
    index,
  }))
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
