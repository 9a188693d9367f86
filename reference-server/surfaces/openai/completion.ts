/** One chat completion, as an object (section 2.2) and as the chunks that add up to it. */
import type { Generation, Step } from '../../model/types.ts'

/** A generation with what both forms repeat; `created` in Unix seconds. */
export interface Completion {
  readonly id: string
  readonly created: number
  readonly model: string
  readonly generation: Generation
  readonly callIds: readonly string[]
}

export function completionObject(completion: Completion): object {
  const { generation, callIds } = completion
  const calls = generation.steps.filter(({ type }) => type === 'function_call')
  return {
    ...head(completion, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: textOf(generation, 'message') ?? '',
          refusal: textOf(generation, 'refusal'),
          ...(calls.length === 0
            ? {}
            : { tool_calls: calls.map((step, i) => toolCall(step, callIds[i])) }),
        },
        finish_reason: generation.finish,
        logprobs: null,
      },
    ],
    usage: usage(generation),
  }
}

export interface Chunk {
  readonly body: object
  /** Carries one fragment of text: what the pace applies to. */
  readonly fragment: boolean
}

/** Without the end marker; a failed generation ends in an error instead of a finish reason. */
export function* completionChunks(completion: Completion, includeUsage: boolean): Generator<Chunk> {
  const { generation } = completion
  const envelope = {
    ...head(completion, 'chat.completion.chunk'),
    ...(includeUsage ? { usage: null } : {}),
  }
  const choice = (delta: object, finish_reason: string | null = null) => ({
    ...envelope,
    choices: [{ index: 0, delta, finish_reason, logprobs: null }],
  })
  yield { body: choice({ role: 'assistant', content: '' }), fragment: false }
  let call = 0
  for (const step of generation.steps) {
    if (step.type === 'function_call') {
      const opening = {
        index: call,
        ...toolCall({ ...step, fragments: [] }, completion.callIds[call]),
      }
      yield { body: choice({ tool_calls: [opening] }), fragment: false }
    }
    for (const fragment of step.fragments) {
      yield { body: choice(fragmentDelta(step, fragment, call)), fragment: true }
    }
    if (step.type === 'function_call') call += 1
  }
  if (generation.failure !== null) {
    yield { body: failure(generation.failure), fragment: false }
    return
  }
  yield { body: choice({}, generation.finish), fragment: false }
  if (includeUsage) {
    yield { body: { ...envelope, choices: [], usage: usage(generation) }, fragment: false }
  }
}

function head({ id, created, model }: Completion, object: string): object {
  return { id, object, created, model }
}

function fragmentDelta(step: Step, fragment: string, index: number): object {
  if (step.type === 'function_call') {
    return { tool_calls: [{ index, function: { arguments: fragment } }] }
  }
  return step.type === 'refusal' ? { refusal: fragment } : { content: fragment }
}

function toolCall(step: Step, id: string | undefined): object {
  const name = step.type === 'function_call' ? step.name : ''
  return { id, type: 'function', function: { name, arguments: step.fragments.join('') } }
}

function textOf({ steps }: Generation, type: Step['type']): string | null {
  const said = steps.filter((step) => step.type === type)
  return said.length === 0 ? null : said.flatMap(({ fragments }) => fragments).join('')
}

function failure({ code, message }: { code: string; message: string }): object {
  return { error: { message, type: 'server_error', param: null, code } }
}

function usage({ tokens }: Generation): object {
  return {
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
  }
}
