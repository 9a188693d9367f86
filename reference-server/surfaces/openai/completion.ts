/** A chat completion of one or several choices, as an object (section 2.2) and as its chunks. */
import type { SseBlock } from '../../events/sequence.ts'
import { textOf } from '../../model/generation.ts'
import type { Generation, Step } from '../../model/types.ts'

/** Content of both forms; `created` in Unix seconds. */
export interface Completion {
  readonly id: string
  readonly created: number
  readonly model: string
  /** One for each of `n`. */
  readonly choices: readonly Choice[]
}

interface Choice {
  readonly generation: Generation
  /** Ids of the tool calls, in order. */
  readonly callIds: readonly string[]
}

export function completionObject(completion: Completion): object {
  return {
    ...head(completion, 'chat.completion'),
    choices: completion.choices.map(wholeChoice),
    usage: usage(completion),
  }
}

function wholeChoice({ generation, callIds }: Choice, index: number): object {
  const calls = generation.steps.filter(({ type }) => type === 'function_call')
  return {
    index,
    message: {
      role: 'assistant',
      content: textOf(generation.steps, 'message') ?? '',
      refusal: textOf(generation.steps, 'refusal') ?? null,
      ...(calls.length === 0
        ? {}
        : { tool_calls: calls.map((step, i) => toolCall(step, callIds[i])) }),
    },
    finish_reason: generation.finish,
    logprobs: null,
  }
}

/**
 * Chunks at the pace of the decoding, and the end marker. A failed generation ends in an error instead of a finish
 * reason.
 */
export function* liveChunks(
  completion: Completion,
  includeUsage: boolean,
  nextToken: () => Promise<void> | undefined,
): Generator<SseBlock | Promise<void>> {
  const envelope = {
    ...head(completion, 'chat.completion.chunk'),
    ...(includeUsage ? { usage: null } : {}),
  }
  for (const { index, part, isStep } of decoded(completion.choices)) {
    if ('failure' in part) {
      yield { data: failure(part.failure) }
      yield end
      return
    }
    const wait = isStep ? nextToken() : undefined
    if (wait !== undefined) yield wait
    const { delta, finish = null } = part
    const choice = { index, delta, finish_reason: finish, logprobs: null }
    yield { data: { ...envelope, choices: [choice] } }
  }
  if (includeUsage) yield { data: { ...envelope, choices: [], usage: usage(completion) } }
  yield end
}

const end = { data: '[DONE]' }

/**
 * The parts of all choices in decoding order: the first token of each choice, then the second of each, … Each of these
 * steps begins with the part that has `isStep`.
 */
function* decoded(choices: readonly Choice[]) {
  let open = choices.map((choice, index) => ({ index, parts: deltas(choice) }))
  while (open.length > 0) {
    const unfinished: typeof open = []
    for (const one of open) {
      for (let next = one.parts.next(); next.done !== true; next = one.parts.next()) {
        const token = 'token' in next.value && next.value.token
        yield { index: one.index, part: next.value, isStep: token && unfinished.length === 0 }
        if (!token) continue
        unfinished.push(one)
        break
      }
    }
    open = unfinished
  }
}

type Part =
  | { readonly delta: object; readonly token: boolean; readonly finish?: string }
  | { readonly failure: NonNullable<Generation['failure']> }

function* deltas({ generation, callIds }: Choice): Generator<Part, void> {
  yield { delta: { role: 'assistant', content: '' }, token: false }
  let call = 0
  for (const step of generation.steps) {
    if (step.type === 'function_call') {
      const opening = { index: call, ...toolCall({ ...step, fragments: [] }, callIds[call]) }
      yield { delta: { tool_calls: [opening] }, token: false }
    }
    for (const fragment of step.fragments) {
      yield { delta: fragmentDelta(step, fragment, call), token: true }
    }
    if (step.type === 'function_call') call += 1
  }
  if (generation.failure !== null) yield { failure: generation.failure }
  else yield { delta: {}, token: false, finish: generation.finish }
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

function failure({ code, message }: { code: string; message: string }): object {
  return { error: { message, type: 'server_error', param: null, code } }
}

/** The prompt counts once, regardless of the number of choices. */
function usage({ choices }: Completion): object {
  const input = choices[0]?.generation.tokens.input ?? 0
  const output = choices.reduce((sum, { generation }) => sum + generation.tokens.output, 0)
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}
