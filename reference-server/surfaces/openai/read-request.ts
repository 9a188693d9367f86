/** A chat-completions body as a request to the model. */
import type { ChatCompletionRequest, ChatMessage } from '../../../contract/requests/index.ts'
import { ApiError } from '../../http/errors.ts'
import type { ClientDemands, FunctionTool, ModelRequest, Turn } from '../../model/types.ts'

/** The request for one of the `n` answers; `choice` counts from 0. */
export function modelRequest(body: ChatCompletionRequest, choice: number): ModelRequest {
  const functions = offeredFunctions(body)
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
 * Members whose effect this server lacks, and demands that contradict each other, are refused, not
 * ignored.
 *
 * @throws ApiError 400 that names the member
 */
export function refuseUnsupported(body: ChatCompletionRequest): void {
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
  return new ApiError(400, `${param}: ${why}`, { code, param })
}

function turn({ role, content }: ChatMessage): Turn {
  const text =
    typeof content === 'string'
      ? content
      : (content ?? []).map((part) => part.text ?? '').join('\n')
  return { role: role === 'function' ? 'tool' : role, text }
}

function offeredFunctions(body: ChatCompletionRequest): readonly FunctionTool[] {
  return body.tool_choice === 'none' ? [] : functionsIn(body)
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
