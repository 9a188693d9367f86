import {
  bodyJson,
  type Exchange,
  mediaType,
  type OperationId,
  operationAt,
  type RequirementId,
  requestPath,
} from '../../../../contract/index.ts'
import { setAt } from '../../../../reference-server/deviations/patches/json.ts'
import { type Mutation, type MutationKind, mutantsOf, withText } from './mutation.ts'

/** Type of a member by the document, or by the contract that it names. */
type Kind = 'a string' | 'an integer' | 'an array' | 'an object' | 'an object or null'

/** One member of the bodies of an operation; `*` in its path stands for every element. */
type Member = readonly [OperationId, path: string, Kind, RequirementId]

/** Members without which a row is broken, and with another type as well. */
const members: readonly Member[] = [
  ['openai.chat', 'id', 'a string', 'OAI-CHAT-02'],
  ['openai.chat', 'object', 'a string', 'OAI-CHAT-03'],
  ['openai.chat', 'created', 'an integer', 'OAI-CHAT-04'],
  ['openai.chat', 'model', 'a string', 'OAI-CHAT-05'],
  ['openai.chat', 'choices', 'an array', 'OAI-CHAT-06'],
  ['openai.chat', 'choices.*.index', 'an integer', 'OAI-CHAT-06'],
  ['openai.chat', 'choices.*.message', 'an object', 'OAI-CHAT-07'],
  ['openai.chat', 'choices.*.message.role', 'a string', 'OAI-CHAT-07'],
  ['openai.chat', 'choices.*.message.content', 'a string', 'OAI-CHAT-07'],
  ['openai.chat', 'choices.*.finish_reason', 'a string', 'OAI-CHAT-08'],
  ['openai.chat', 'usage', 'an object', 'OAI-CHAT-09'],
  ['openai.chat', 'usage.prompt_tokens', 'an integer', 'OAI-CHAT-09'],
  ['openai.chat', 'usage.completion_tokens', 'an integer', 'OAI-CHAT-09'],
  ['openai.chat', 'usage.total_tokens', 'an integer', 'OAI-CHAT-09'],
  ['openai.models', 'object', 'a string', 'OAI-MODELS-05'],
  ['openai.models', 'data', 'an array', 'OAI-MODELS-05'],
  ['v2.message', 'id', 'a string', 'V2-MSG-02'],
  ['v2.message', 'chat_id', 'a string', 'V2-MSG-03'],
  ['v2.message', 'model_id', 'a string', 'V2-MSG-04'],
  ['v2.message', 'role', 'a string', 'V2-MSG-05'],
  ['v2.message', 'content', 'a string', 'V2-MSG-06'],
  ['v2.message', 'created_at', 'a string', 'V2-MSG-07'],
  ['v2.generate', 'message', 'an object', 'V2-GEN-01'],
  ['v2.generate', 'message.content', 'a string', 'V2-GEN-01'],
  ['v3.history', 'result', 'an array', 'V3-HIST-01'],
  ['v3.history', 'pagination', 'an object', 'V3-HIST-01'],
  ['v3.history', 'result.*.item', 'an object or null', 'V3-HIST-02'],
  ['v3.history', 'result.*.item_type', 'a string', 'V3-HIST-03'],
  ['v3.history', 'result.*.item_status', 'a string', 'V3-HIST-04'],
  ['v3.generate', 'output', 'an array', 'V3-GEN-02'],
  ['v3.generate', 'output.*.type', 'a string', 'V3-GEN-02'],
  ['v3.oneShot', 'output', 'an array', 'V3-GEN-02'],
  ['v3.oneShot', 'output.*.type', 'a string', 'V3-GEN-02'],
]

const others: Readonly<Record<Kind, readonly unknown[]>> = {
  'a string': [7, true, null, {}, ['text']],
  'an integer': ['1', 1.5, true, null, {}],
  'an array': ['text', 7, null, {}],
  'an object': ['text', 7, null, []],
  'an object or null': ['text', 7, true, []],
}

export const bodyMutations: readonly Mutation[] = [
  ...members.map(([operation, path, , row]) => inBody('drop', operation, path, [undefined], row)),
  ...members.map(([operation, path, kind, row]) =>
    inBody('retype', operation, path, others[kind], row),
  ),
  ...(['drop', 'retype'] as const).map((kind) =>
    inBody(
      kind,
      'v3.generate',
      'output.*.content.*.type',
      kind === 'drop' ? [undefined] : others['a string'],
      'V3-GEN-02',
      hasContentOfMessagesOnly,
    ),
  ),
  inBody('retype', 'openai.chat', 'usage.total_tokens', [plusOne], 'OAI-CHAT-10'),
  inBody('retype', 'openai.chat', 'choices.*.message.role', ['user', 'model'], 'OAI-CHAT-15'),
  inBody('retype', 'openai.chat', 'created', [(seconds: number) => seconds * 1000], 'OAI-CHAT-04'),
  inBody('drop', 'openai.chat', 'choices', [[]], 'OAI-CHAT-06'),
  inBody('retype', 'openai.models', 'data.*.id', [7, {}, true], 'OAI-MODELS-04'),
  inBody('retype', 'openai.models', 'data.*.description', [7, {}, []], 'OAI-MODELS-04'),
  inBody('retype', 'v2.message', 'id', ['msg_1', ''], 'V2-MSG-02'),
  inBody('retype', 'v2.message', 'chat_id', [crypto.randomUUID()], 'V2-MSG-03'),
  inBody('retype', 'v2.message', 'role', ['assistant', 'User'], 'V2-MSG-05'),
  inBody('corrupt', 'v2.message', 'content', [shorter, longer], 'V2-MSG-06'),
  inBody('corrupt', 'v2.message', 'created_at', [withoutZone, 'today', ''], 'V2-MSG-07'),
  inBody('truncate', 'v3.generate', 'output', [[]], 'V3-GEN-02', isCompleted),
  inBody('retype', 'v3.generate', 'usage.total_tokens', [plusOne, -1, '9'], 'V3-GEN-12'),
  inBody('retype', 'v3.oneShot', 'usage.total_tokens', [plusOne, -1, '9'], 'V3-GEN-12'),
  inBody('retype', 'v3.generate', 'usage.input_tokens_details.cached_tokens', [1e6], 'V3-GEN-12'),
  inBody(
    'retype',
    'v3.generate',
    'usage.output_tokens_details.reasoning_tokens',
    [1e6],
    'V3-GEN-12',
  ),
]

/** One mutant for each place where the member is, and each other value. */
export function inBody(
  kind: MutationKind,
  operation: OperationId,
  path: string,
  values: readonly unknown[],
  row: RequirementId | null,
  where: (exchange: Exchange) => boolean = () => true,
): Mutation {
  return {
    kind,
    what: `${path} of ${operation}`,
    row,
    of: (exchange) => {
      if (!isInOnePiece(operation, exchange) || !where(exchange)) return undefined
      const body = bodyJson(exchange)
      const places = placesAt(body, path.split('.'))
      return mutantsOf(
        places.flatMap((place) =>
          values.map(
            (value) => () => withText(exchange, JSON.stringify(setAt(body, place, value))),
          ),
        ),
      )
    },
  }
}

export function isInOnePiece(operation: OperationId, exchange: Exchange): boolean {
  const is = operationAt(exchange.request.method, requestPath(exchange))
  return is === operation && mediaType(exchange) === 'application/json'
}

/** The concrete paths that a pattern stands for, where something other than null is. */
function placesAt(value: unknown, [name, ...rest]: readonly string[], before = ''): string[] {
  if (value == null) return []
  if (name === undefined) return [before.slice(1)]
  if (typeof value !== 'object') return []
  const names = name === '*' ? Object.keys(value) : [name]
  return names.flatMap((one) =>
    placesAt((value as Record<string, unknown>)[one], rest, `${before}.${one}`),
  )
}

/** The parts of a reasoning item have no type that the document names. */
function hasContentOfMessagesOnly(exchange: Exchange): boolean {
  const { output } = bodyJson(exchange) as { readonly output: readonly Record<string, unknown>[] }
  return output.every(({ type, content }) => type === 'message' || content === undefined)
}

/** A response that was cut owes no answer. */
function isCompleted(exchange: Exchange): boolean {
  return (bodyJson(exchange) as { readonly status?: unknown }).status === 'completed'
}

function plusOne(count: number): number {
  return count + 1
}

function shorter(text: string): string {
  return [...text].slice(0, -1).join('')
}

function longer(text: string): string {
  return `${text} `
}

function withoutZone(time: string): string {
  return time.replace(/Z$/, '')
}
