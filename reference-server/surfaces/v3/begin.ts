/** The run that answers a v3 request, with or without a chat. */
import type { GenerateRequest, OneShotRequest } from '../../../contract/requests/index.ts'
import { type Ask, answer } from '../../answering/answer.ts'
import { beginRun, type ResponseRun, type RunSettings } from '../../events/run.ts'
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

function toolObject({ name, description, parameters }: BuiltinTool): object {
  return { type: 'function', name, description, parameters, strict: false }
}
