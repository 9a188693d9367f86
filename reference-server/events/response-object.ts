/** The response object with all 31 members of the Responses contract. */
import { unixSeconds } from '../runtime/clock.ts'
import { type ResponseRun, type RunStep, runStatus } from './run.ts'

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

type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** Any row of a history: an item as the caller sent it, or as the model made it. */
export type RunItem = { readonly type: string } & Readonly<Record<string, unknown>>

/** The item as it ends: in `output_item.done`, in the final response and in the history alike. */
export function outputItem(step: RunStep): RunItem {
  const status: ItemStatus = step.complete ? 'completed' : 'incomplete'
  return itemWith(step, status, stepText(step), parts(step), searchResults(step))
}

/** The item as it is announced: what is known beforehand, and zero values for the rest. */
export function openingItem(step: RunStep): RunItem {
  return itemWith(step, 'in_progress', '', [], null)
}

/** The content part of a spoken step; with no text, as it is announced. */
export function contentPart(step: RunStep, text: string): RunItem {
  switch (step.type) {
    case 'reasoning':
      return { type: 'reasoning_text', text }
    case 'refusal':
      return { type: 'refusal', refusal: text }
    default:
      return { type: 'output_text', text, annotations: annotations(step, text), logprobs: [] }
  }
}

/** Annotations that lie within the text: of an answer that was cut, some may be lost. */
export function annotations(step: RunStep, text: string): readonly RunItem[] {
  if (step.type !== 'message') return []
  return step.citations
    .filter(({ index }) => index <= text.length)
    .map(({ fileId, filename, index }) => ({
      type: 'file_citation',
      file_id: fileId,
      filename,
      index,
    }))
}

export function stepText(step: RunStep): string {
  return step.fragments.join('')
}

function parts(step: RunStep): readonly RunItem[] {
  return [contentPart(step, stepText(step))]
}

/** Clients read five members of each, and want the attributes to be an object. */
function searchResults(step: RunStep): readonly object[] | null {
  if (step.type !== 'file_search') return null
  return step.results.map(({ fileId, filename, score, text }) => ({
    file_id: fileId,
    filename,
    score,
    text,
    attributes: {},
  }))
}

function itemWith(
  step: RunStep,
  status: ItemStatus,
  text: string,
  content: readonly RunItem[],
  results: readonly object[] | null,
): RunItem {
  const id = step.itemId
  switch (step.type) {
    case 'reasoning':
      return { id, type: 'reasoning', status, summary: [], content }
    case 'function_call':
      return {
        id,
        type: 'function_call',
        status,
        call_id: step.callId,
        name: step.name,
        arguments: text,
      }
    case 'file_search':
      return { id, type: 'file_search_call', status, queries: step.queries, results }
    default:
      return { id, type: 'message', status, role: 'assistant', content }
  }
}
