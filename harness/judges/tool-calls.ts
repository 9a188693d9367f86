import type { RequirementId } from '../../contract/index.ts'
import { asArray, asObject, asString, type JsonObject, parseJson } from '../../contract/json.ts'
import type { FindingCollector } from './finding-collector.ts'
import { show } from './json.ts'

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
    if (!offered)
      collector.broken(
        requirement,
        `The type of a tool call is ${show(type)}, which the request did not offer.`,
      )
    return
  }
  const { name, arguments: input } = asObject(called) ?? {}
  const problem =
    idProblem(id) ??
    (type === undefined ? `The tool call ${show(id)} has no type.` : undefined) ??
    nameProblem(name, request) ??
    (cut ? undefined : argumentsProblem(input))
  if (problem === undefined) collector.held(requirement, `The tool call names ${show(name)}.`)
  else collector.broken(requirement, problem)
}

/** The result of a call refers to its id, so the calls of one answer have different ids. */
export function judgeCallIds(
  collector: FindingCollector,
  requirement: RequirementId,
  ids: readonly unknown[],
): void {
  const repeated = ids.find((id, at) => asString(id) && ids.indexOf(id) < at)
  if (repeated === undefined) return
  collector.broken(requirement, `Two tool calls have the id ${show(repeated)}.`)
}

function idProblem(id: unknown): string | undefined {
  return asString(id) ? undefined : `The id of a tool call is ${show(id)}, not a string.`
}

function nameProblem(name: unknown, request: JsonObject): string | undefined {
  const offered = asArray(request['tools']).map(
    (tool) => asObject(asObject(tool)?.['function'])?.['name'],
  )
  if (offered.includes(name)) return undefined
  return `The name of a tool call is ${show(name)}; the request offered ${offered.map(show).join(', ')}.`
}

function argumentsProblem(input: unknown): string | undefined {
  if (typeof input !== 'string') {
    return `The arguments of a tool call are ${show(input)}, not a string.`
  }
  return parseJson(input) === undefined
    ? `The arguments of a tool call are ${show(input)}, not JSON.`
    : undefined
}
