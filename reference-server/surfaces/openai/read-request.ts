/** A chat-completions body as a request to the model. */
import type {
  ChatCompletionRequest,
  ChatMessage,
} from '../../../harness/contract/requests/index.ts'
import { ApiError } from '../../http/errors.ts'
import type { ModelRequest, Turn } from '../../model/types.ts'

export function modelRequest(body: ChatCompletionRequest): ModelRequest {
  return {
    turns: body.messages.map(turn),
    think: false,
    tools: offeredTools(body),
    toolsRunBy: 'client',
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY,
    stop: typeof body.stop === 'string' ? [body.stop] : (body.stop ?? []),
  }
}

/**
 * Members that would give the answer another shape than the caller expects are refused, not ignored.
 *
 * @throws ApiError 400 that names the member
 */
export function refuseOtherShapes(body: ChatCompletionRequest): void {
  for (const [member, plain] of Object.entries(plainValues)) {
    const value = body[member] ?? undefined
    if (value !== undefined && !plain(value)) {
      throw new ApiError(400, `${member}: this value is not supported`, {
        code: 'unsupported_value',
        param: member,
      })
    }
  }
}

const plainValues: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: (value) => value === 1,
  logprobs: (value) => value === false,
  response_format: (value) =>
    typeof value === 'object' && value !== null && 'type' in value && value.type === 'text',
}

function turn({ role, content }: ChatMessage): Turn {
  const text =
    typeof content === 'string'
      ? content
      : (content ?? []).map((part) => part.text ?? '').join('\n')
  return { role: role === 'function' ? 'tool' : role, text }
}

function offeredTools({ tools, tool_choice }: ChatCompletionRequest): readonly string[] {
  if (tool_choice === 'none') return []
  return (tools ?? []).flatMap((tool) => (tool.function === undefined ? [] : [tool.function.name]))
}
