/** The run that answers a v3 request: how it begins, and its events, live and replayed. */
import type { GenerateRequest, OneShotRequest } from '../../../contract/requests/index.ts'
import { type Ask, answer } from '../../answering/answer.ts'
import { pacer } from '../../events/pacer.ts'
import { beginRun, type ResponseRun, type RunSettings } from '../../events/run.ts'
import { endsRun, isFragment, type ResponseEvent } from '../../events/sequence.ts'
import type { SseBlock } from '../../events/sse.ts'
import { allowedTools, type BuiltinTool } from '../../model/tools/tools.ts'
import type { Services } from '../../services.ts'

type Context = Pick<Ask, 'caller' | 'turns' | 'assistant' | 'rag'> &
  Pick<RunSettings, 'previousRunId' | 'stored'>

/** @throws ModelOutage when the prompt asks for it */
export async function beginAnswer(
  services: Services,
  body: GenerateRequest | OneShotRequest,
  { previousRunId, stored, ...context }: Context,
): Promise<ResponseRun> {
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
  return beginRun(generation, settings, services)
}

/**
 * Events at the pace of the run; its end is sent once the run is stored, so that a client that saw the
 * end finds the turn in the history.
 */
export async function* liveEvents(
  { events }: Services,
  run: ResponseRun,
  settled: Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<SseBlock> {
  const nextFragment = pacer(run.decoding, signal)
  for (const event of events(run)) {
    if (endsRun(event)) await settled
    else if (isFragment(event)) await nextFragment()
    yield block(event)
  }
}

export async function* replayedEvents(
  { events }: Services,
  run: ResponseRun,
): AsyncGenerator<SseBlock> {
  for (const event of events(run)) yield block(event)
}

function toolObject({ name, description, parameters }: BuiltinTool): object {
  return { type: 'function', name, description, parameters, strict: false }
}

function block(event: ResponseEvent): SseBlock {
  return { event: event.type, data: event }
}
