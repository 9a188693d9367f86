/** POST /api/openai/chat/completions (section 4.1). */
import { type Call, type Reply, type Route, route } from '../../http/call.ts'
import { ApiError } from '../../http/errors.ts'
import type { ClientDemands, FunctionTool, ModelRequest, Turn } from '../../model/types.ts'
import {
  type ChatCompletionRequest,
  type ChatMessage,
  chatCompletionRequest,
} from '../../requests/openai.ts'
import { unixSeconds } from '../../runtime/clock.ts'
import { beginDecoding, tokenDelays } from '../../runtime/decoding.ts'
import { TimedValues } from '../../runtime/timed-values.ts'
import type { Services } from '../../services.ts'
import { knownModel, throwFailure } from '../ownership.ts'
import { completionShape } from '../shapes.ts'
import { completionObject, liveChunks } from './completion.ts'

export function chatCompletionRoutes(services: Services): readonly Route[] {
  return [
    route('POST', '/api/openai/chat/completions', {
      summary: 'Complete a chat',
      answer: completionShape,
      stream: 'Chunks of the answer as data lines, then [DONE]',
      body: chatCompletionRequest,
      reply: (call) => complete(services, call),
    }),
  ]
}

async function complete(
  services: Services,
  { body, signal }: Call<ChatCompletionRequest>,
): Promise<Reply> {
  const { ids, model } = services
  refuseUnsupported(body)
  knownModel(body.model, 'model')
  const choices = Array.from({ length: body.n ?? 1 }, (_, choice) => {
    const generation = model(modelRequest(body, choice))
    const calls = generation.steps.filter(({ type }) => type === 'function_call')
    return { generation, callIds: calls.map(() => ids.tagged('call')) }
  })
  const id = ids.tagged('chatcmpl')
  const first = choices[0]?.generation
  // The answers to one request are decoded together, so the longest determines the time.
  const output = Math.max(...choices.map(({ generation }) => generation.tokens.output))
  const tokens = { input: first?.tokens.input ?? 0, output }
  const { startedAt, decoding } = beginDecoding(
    services,
    { tokens, pace: first?.pace ?? {} },
    signal,
  )
  const completion = { id, created: unixSeconds(startedAt), model: body.model, choices }
  const disruption = first?.disruption
  if (body.stream === true) {
    const includeUsage = body.stream_options?.include_usage === true
    const blocks = new TimedValues(
      liveChunks(completion, includeUsage, tokenDelays(decoding, signal)),
    )
    return { status: 200, disruption, blocks }
  }
  await decoding.all(signal)
  throwFailure(first?.failure)
  return { status: 200, disruption, body: completionObject(completion) }
}

/** The request for one of the `n` answers; `choice` counts from 0. */
function modelRequest(body: ChatCompletionRequest, choice: number): ModelRequest {
  const functions = body.tool_choice === 'none' ? [] : functionsIn(body)
  return {
    model: body.model,
    turns: body.messages.map(turn),
    think: false,
    tools: functions.map(({ name }) => name),
    toolsRunBy: 'client',
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY,
    stop: typeof body.stop === 'string' ? [body.stop] : (body.stop ?? []),
    client: {
      functions,
      toolChoice: forcedChoice(body),
      parallel: body.parallel_tool_calls !== false,
      form: answerForm(body),
      choice,
    },
  }
}

/**
 * Refuses unsupported fields and contradictory requests instead of ignoring them.
 *
 * @throws ApiError 400 that names the field
 */
function refuseUnsupported(body: ChatCompletionRequest): void {
  if ((body['logprobs'] ?? false) !== false) {
    throw unsupported('logprobs', 'this value is not supported', 'unsupported_value')
  }
  const { tool_choice: choice } = body
  const offered = functionsIn(body)
  if (choice === 'required' && offered.length === 0) {
    throw unsupported('tool_choice', 'required needs tools', 'invalid_value')
  }
  if (typeof choice === 'object' && choice !== null) {
    const { name } = choice.function
    if (!offered.some((tool) => tool.name === name)) {
      throw unsupported('tool_choice', `tools has no function ${name}`, 'invalid_value')
    }
  }
}

function unsupported(param: string, why: string, code: string): ApiError {
  return new ApiError(400, `${param}: ${why}`, code, param)
}

function turn({ role, content }: ChatMessage): Turn {
  const text =
    typeof content === 'string'
      ? content
      : (content ?? []).map((part) => part.text ?? '').join('\n')
  return { role: role === 'function' ? 'tool' : role, text }
}

function functionsIn({ tools }: ChatCompletionRequest): readonly FunctionTool[] {
  return (tools ?? []).flatMap(({ function: tool }) =>
    tool === undefined ? [] : [{ name: tool.name, parameters: tool.parameters ?? {} }],
  )
}

function forcedChoice({ tool_choice: choice }: ChatCompletionRequest): ClientDemands['toolChoice'] {
  if (typeof choice === 'object' && choice !== null) return { name: choice.function.name }
  return choice === 'required' ? 'required' : 'auto'
}

function answerForm({ response_format: format }: ChatCompletionRequest): ClientDemands['form'] {
  if (format?.type === 'json_schema') return format.json_schema.schema ?? 'object'
  return format?.type === 'json_object' ? 'object' : 'text'
}
