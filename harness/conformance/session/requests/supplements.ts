import {
  bodyText,
  type Exchange,
  isObject,
  type OpenQuestionId,
  type OperationId,
  operationAt,
  operationOf,
  requestJson,
} from '../../../../contract/index.ts'
import type { TargetProfile } from '../../profile/index.ts'
import type { RequestSpec } from './wire-request.ts'

export type Members = Readonly<Record<string, unknown>>

/**
 * Fields that the document does not declare required, with a value that means the same as their absence, or
 * one from the profile (section 4.3: "Which fields … are required: not shown").
 */
function valuesFor(operation: OperationId, { assistants, models }: TargetProfile): Members {
  const assistant = assistants?.withoutKnowledge ?? assistants?.withKnowledge
  const members = assistant === undefined ? {} : { assistant_id: assistant }
  const sampling = { max_tokens: 2_048, temperature: 1, top_p: 1 }
  if (operation === 'openai.chat') return sampling
  if (operation === 'v3.generate') {
    return { ...members, ...sampling, presence_penalty: 0, think: false, rag: false }
  }
  // Null means no assistant of the catalog.
  if (operation === 'v3.oneShot') return { assistant_id: null, ...members, rag: 'agent', runs: [] }
  if (operation === 'v3.createChat') return { ...members, model_id: models.main }
  return {}
}

/** The fields with a known value, in addition to the required ones, whose names are wanted. */
export function knownMembers(
  operation: OperationId,
  profile: TargetProfile,
  isWanted: (name: string) => boolean,
): Members {
  const members = Object.entries(valuesFor(operation, profile))
  return Object.fromEntries(members.filter(([name]) => isWanted(name)))
}

/** Fields that a refusal names, that the request omitted and whose value is known. */
export function namedMembers(
  refusal: Exchange,
  spec: RequestSpec,
  profile: TargetProfile,
): Members {
  const operation = operationAt(spec.method, spec.path)
  if (operation === undefined || !mayNameMembers(refusal)) return {}
  const text = bodyText(refusal)
  return knownMembers(operation, profile, (name) => !setsMember(spec, name) && names(text, name))
}

/** The missing field that caused a refusal, if only the profile can supply its value. */
export function missingMember(refusal: Exchange): 'assistant_id' | undefined {
  if (operationOf(refusal) !== 'v3.generate' || !mayNameMembers(refusal)) return undefined
  const sent = requestJson(refusal)
  if (!isObject(sent) || 'assistant_id' in sent) return undefined
  return names(bodyText(refusal), 'assistant_id') ? 'assistant_id' : undefined
}

/** The request with fields that it does not set itself; one set to undefined is omitted on purpose. */
export function withMembers(spec: RequestSpec, members: Members): RequestSpec {
  const { json } = spec
  return isObject(json) ? { ...spec, json: { ...json, ...members, ...json } } : spec
}

/** Names of the fields that were added to the request of the scenario. */
export function addedNames(spec: RequestSpec, members: Members): string[] {
  return Object.keys(members).filter((name) => !setsMember(spec, name))
}

/** The open question that asks whether a field is required. */
export function openQuestionFor(operation: OperationId): OpenQuestionId {
  if (operation === 'openai.chat') return 'OPEN-38'
  return operation === 'v3.createChat' ? 'OPEN-12' : 'OPEN-10'
}

/** True for a refusal that may be due to a missing field: not to the key, the rate or the time taken. */
export function mayNameMembers({ response }: Exchange): boolean {
  const status = response?.status ?? 0
  return status >= 400 && status < 500 && ![401, 403, 408, 413, 415, 429].includes(status)
}

/** `assistant_id`, `assistantId` or `assistant id`, and not as a part of another name. */
function names(text: string, member: string): boolean {
  const words = member.split('_').join('[_ ]?')
  return new RegExp(`(?<![A-Za-z0-9_])${words}(?![A-Za-z0-9_])`, 'i').test(text)
}

function setsMember({ json }: RequestSpec, name: string): boolean {
  return !isObject(json) || name in json
}
