/** The run that answers a v3 request: its start, and its events, live and replayed. */
import { type Ask, answer } from '../../answering/answer.ts'
import { finalResponse } from '../../events/response-object.ts'
import { beginRun, type ResponseRun, type RunSettings } from '../../events/run.ts'
import type { SseBlock } from '../../events/sequence.ts'
import { endsRun, isFragment, type ResponseEvent } from '../../events/sequence.ts'
import type { Call, Reply } from '../../http/call.ts'
import { allowedTools, type BuiltinTool } from '../../model/tools/tools.ts'
import type { Disruption, Failure } from '../../model/types.ts'
import type { GenerateRequest, OneShotRequest } from '../../requests/native.ts'
import { tokenDelays } from '../../runtime/decoding.ts'
import { TimedValues } from '../../runtime/timed-values.ts'
import type { Services } from '../../services.ts'
import { StoreFailure } from '../../store/types.ts'

type Context = Pick<Ask, 'caller' | 'turns' | 'assistant' | 'rag'> &
  Pick<RunSettings, 'previousRunId' | 'stored'>

export interface Begun {
  readonly run: ResponseRun
  readonly disruption: Disruption | undefined
}

/** @throws ModelOutage when the prompt asks for it */
export async function beginAnswer(
  services: Services,
  body: GenerateRequest | OneShotRequest,
  { previousRunId, stored, ...context }: Context,
): Promise<Begun> {
  const tools = allowedTools(body)
  const think = body.think === true
  const generation = await answer(services, {
    ...context,
    model: body.model_id,
    think,
    tools,
    maxTokens: body.max_tokens ?? Number.POSITIVE_INFINITY,
  })
  const settings: RunSettings = {
    model: body.model_id,
    think,
    tools: tools.map(toolObject),
    maxTokens: body.max_tokens ?? null,
    temperature: body.temperature ?? 1,
    topP: body.top_p ?? 1,
    presencePenalty: body.presence_penalty ?? 0,
    instructions: context.assistant.instructions,
    stored,
    previousRunId,
  }
  return { run: beginRun(generation, settings, services), disruption: generation.disruption }
}

/**
 * The run as a stream at its pace, or as one body. The end is sent after the run is stored, so that a client that
 * received it finds the turn in the history. A run that cannot be stored has failed.
 */
export async function runReply(
  services: Services,
  { body, signal }: Call<GenerateRequest | OneShotRequest>,
  { run, disruption }: Begun,
  settled: Promise<void>,
): Promise<Reply> {
  if (body.stream === true) {
    const blocks = new TimedValues(pacedEvents(services, run, settled, signal))
    return { status: 200, disruption, blocks }
  }
  await settled
  return { status: 200, disruption, body: finalResponse(run) }
}

function* pacedEvents(
  { events }: Services,
  run: ResponseRun,
  settled: Promise<void>,
  signal: AbortSignal,
): Generator<SseBlock | Promise<void>> {
  const nextFragment = tokenDelays(run.decoding, signal)
  let sent = 0
  for (const event of events(run)) {
    if (endsRun(event)) {
      let failure: Failure | undefined
      yield settled.catch((error) => {
        if (!(error instanceof StoreFailure)) throw error
        failure = { code: error.code, message: error.message }
      })
      if (failure !== undefined) {
        yield* [...events({ ...run, finish: 'failed', failure })].slice(sent).map(block)
        return
      }
    } else if (isFragment(event)) {
      const wait = nextFragment()
      if (wait !== undefined) yield wait
    }
    yield block(event)
    sent += 1
  }
}

/** The reply to a repeat of the request of a finished run. */
export function replay({ events }: Services, run: ResponseRun, isStreamed: boolean): Reply {
  const head = { status: 200, headers: { 'idempotency-replayed': 'true' } }
  return isStreamed
    ? { ...head, blocks: new TimedValues(blocks(events(run))) }
    : { ...head, body: finalResponse(run) }
}

function* blocks(events: Iterable<ResponseEvent>): Generator<SseBlock> {
  for (const event of events) yield block(event)
}

function toolObject({ name, description, parameters }: BuiltinTool): object {
  return { type: 'function', name, description, parameters, strict: false }
}

function block(event: ResponseEvent): SseBlock {
  return { event: event.type, data: event }
}
