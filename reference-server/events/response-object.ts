/** The response object with all 31 members of the Responses contract. */
import { unixSeconds } from '../runtime/clock.ts'
import { outputItem, type RunItem } from './items.ts'
import { type ResponseRun, runStatus } from './run.ts'

export type ResponseObject = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly status: string
  readonly output: readonly RunItem[]
}

/** The final response: the body of the JSON form and the `response` of the terminal event. */
export function finalResponse(run: ResponseRun): ResponseObject {
  const status = runStatus(run)
  return {
    ...runningResponse(run),
    status,
    completed_at: status === 'completed' ? unixSeconds(run.completedAt) : null,
    error: run.failure,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    output: run.steps.map(outputItem),
    usage: usage(run),
  }
}

/** The snapshot of `response.created` and `response.in_progress`: nothing said yet, nothing used. */
export function runningResponse(run: ResponseRun): ResponseObject {
  const { settings } = run
  return {
    id: run.id,
    object: 'response',
    created_at: unixSeconds(run.startedAt),
    completed_at: null,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: settings.instructions,
    max_output_tokens: settings.maxTokens,
    max_tool_calls: null,
    model: settings.model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: settings.previousRunId,
    presence_penalty: settings.presencePenalty,
    frequency_penalty: 0,
    prompt_cache_key: null,
    reasoning: { effort: settings.think ? 'medium' : null, summary: null },
    safety_identifier: null,
    service_tier: 'default',
    store: settings.stored,
    temperature: settings.temperature,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: settings.tools,
    top_logprobs: 0,
    top_p: settings.topP,
    truncation: 'disabled',
    usage: null,
    metadata: {},
  }
}

function usage({ tokens }: ResponseRun): object {
  return {
    input_tokens: tokens.input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: tokens.output,
    output_tokens_details: { reasoning_tokens: tokens.reasoning },
    total_tokens: tokens.input + tokens.output,
  }
}
