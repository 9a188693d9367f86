import { mediaType, type RequirementId } from '../../../contract/index.ts'
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  nodesOf,
  parseJson,
} from '../../../contract/json.ts'
import { completion, modelEntry, modelList } from '../../../contract/wire.ts'
import { judgeMaxTokens, judgeSum } from '../final-response.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'
import { type BodyJudge, judgeShape } from './shape.ts'

/** Sections 2.2 and 4.1: an unstreamed chat completion. */
export const judgeCompletion: BodyJudge = (collector, body, request, exchange) => {
  judgeShape(collector, body, completion, requirementOfMember, ([field, , inner = 'index']) =>
    field !== 'choices' || inner === 'index' ? field : inner,
  )
  const choices = asArray(body['choices']).map(asObject)
  const areWhole = !collector.isBroken('OAI-CHAT-06', 'OAI-CHAT-07')
  for (const choice of choices) {
    const message = asObject(choice?.['message'])
    const role = message?.['role']
    const other = role !== 'assistant' && `The role of the answer is ${show(role)}, not assistant.`
    if (areWhole) collector.decide('OAI-CHAT-15', other, 'The role is assistant.')
    const calls = asArray(message?.['tool_calls'])
    const ids = calls.map((call) => asObject(call)?.['id'])
    judgeCallIds(collector, 'OAI-TOOL-02', ids, request)
    const cut = choice?.['finish_reason'] === 'length'
    for (const call of calls) judgeToolCall(collector, 'OAI-TOOL-02', call, { request, cut })
  }
  const [choice, ...others] = choices
  const index = choice?.['index']
  // Without `n`, one choice is requested.
  if ((request['n'] ?? 1) === 1 && others.length === 0 && Number.isInteger(index)) {
    const other = index !== 0 && `The only choice has the index ${show(index)}, not 0.`
    collector.decide('OAI-N-01', other, 'The only choice has the index 0.')
  }
  const usage = asObject(body['usage'])
  if (usage !== undefined && !collector.isBroken('OAI-CHAT-09')) {
    judgeSum(collector, usage)
    const reasons = choices.flatMap((choice) => asString(choice?.['finish_reason']) ?? [])
    judgeMaxTokens(collector, request, usage, reasons)
  }
  const type = mediaType(exchange)
  const other = `The media type is ${show(type)}, not application/json.`
  const fault = type !== 'application/json' && other
  collector.decide('OAI-CHAT-11', fault, 'It is application/json.')
}

const requirementOfMember = {
  id: 'OAI-CHAT-02',
  object: 'OAI-CHAT-03',
  created: 'OAI-CHAT-04',
  model: 'OAI-CHAT-05',
  choices: 'OAI-CHAT-06',
  message: 'OAI-CHAT-07',
  finish_reason: 'OAI-CHAT-08',
  usage: 'OAI-CHAT-09',
} as const satisfies Record<string, RequirementId>

/** Section 2.1: the list of models, whose format is not shown: any array of objects is searched. */
export function judgeModels(collector: FindingCollector, body: unknown): void {
  judgeShape(collector, body, modelList, 'OAI-MODELS-05')
  for (const entry of entriesOf(body)) {
    if (!('id' in entry) && !('description' in entry)) continue
    judgeShape(collector, entry, modelEntry, 'OAI-MODELS-04')
  }
  collector.observed('OPEN-08', describe(body))
}

/** The entries may be grouped, e.g. by provider: groups have no ids, or ids that are numbers. */
function entriesOf(body: unknown): readonly JsonObject[] {
  const lists = [...listsOf(asObject(body)?.['data']), ...listsOf(body)]
  return lists.find((list) => list.some(({ id }) => typeof id === 'string')) ?? lists[0] ?? []
}

function listsOf(body: unknown): readonly (readonly JsonObject[])[] {
  const lists = nodesOf(body).map(({ value }) => asArray(value).filter(isObject))
  return lists.filter((objects) => objects.length > 0)
}

function describe(body: unknown): string {
  const entry = entriesOf(body)[0]
  const members = entry === undefined ? 'no objects' : Object.keys(entry).sort().join(', ')
  if (Array.isArray(body)) return `a bare array of ${members}`
  return isObject(body) ? `{${Object.keys(body).sort().join(', ')}} of ${members}` : show(body)
}

/**
 * Judges a whole tool call of the compatible surface against the tools that the request offered; `cut` if the
 * answer ended at its token limit, perhaps within the arguments.
 */
export function judgeToolCall(
  collector: FindingCollector,
  requirement: RequirementId,
  call: unknown,
  { request, cut }: { readonly request: JsonObject; readonly cut: boolean },
): void {
  // Tools that the service itself runs are not the caller's, and other types have other fields.
  if (asArray(request['tools']).length === 0) return
  const { id, type, function: called } = asObject(call) ?? {}
  if (type !== undefined && type !== 'function') {
    const offered = asArray(request['tools']).some((tool) => asObject(tool)?.['type'] === type)
    const why = `The type of a tool call is ${show(type)}, which the request did not offer.`
    if (!offered) collector.broken(requirement, why)
    return
  }
  const { name, arguments: input } = asObject(called) ?? {}
  const problem =
    (asString(id) ? undefined : `The id of a tool call is ${show(id)}, not a string.`) ??
    (type === undefined ? `The tool call ${show(id)} has no type.` : undefined) ??
    nameProblem(name, request) ??
    (cut ? undefined : argumentsProblem(input))
  collector.decide(requirement, problem, `The tool call names ${show(name)}.`)
}

/** The result of a call refers to its id, so the calls of one answer have different ids. */
export function judgeCallIds(
  collector: FindingCollector,
  requirement: RequirementId,
  ids: readonly unknown[],
  request: JsonObject,
): void {
  // Calls of tools that the service itself runs are not the caller's.
  if (asArray(request['tools']).length === 0) return
  const texts = ids.filter((id) => asString(id))
  if (new Set(texts).size === texts.length) return
  const repeated = texts.find((id, at) => texts.indexOf(id) < at)
  collector.broken(requirement, `Two tool calls have the id ${show(repeated)}.`)
}

function nameProblem(name: unknown, request: JsonObject): string | undefined {
  const offered = asArray(request['tools']).map(
    (tool) => asObject(asObject(tool)?.['function'])?.['name'],
  )
  if (offered.includes(name)) return undefined
  return `The name of a tool call is ${show(name)}; the request offered ${offered.map(show).join(', ')}.`
}

function argumentsProblem(input: unknown): string | undefined {
  const isText = typeof input === 'string'
  if (isText && parseJson(input) !== undefined) return undefined
  return `The arguments of a tool call are ${show(input)}, not ${isText ? 'JSON' : 'a string'}.`
}
