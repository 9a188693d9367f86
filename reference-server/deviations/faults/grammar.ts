/** Faults of the grammar, with the requirements that they break. */
import type { RequirementId } from '../../../contract/index.ts'
import { changingOperations } from '../grammar/credentials.ts'
import { effectsOf, faultyOperations, generatedFaultNamed } from '../grammar/draw.ts'
import type { FaultyOperation } from '../patches/requests.ts'
import { breachIn, type Fault } from '../table.ts'
import { clauses } from './clauses.ts'
import { sentences } from './sentences.ts'

type ByOperation<T> = { readonly [Id in FaultyOperation]?: T }

/** Fields of requests that are accepted with a wrong type. */
const wrongTypes: ByOperation<RequirementId> = {
  'openai.chat': 'OAI-ERR-02',
  'v2.message': 'V2-MSG-09',
  'v2.generate': 'V2-GEN-05',
  'v3.generate': 'V3-GEN-17',
  'v3.oneShot': 'V3-ONE-12',
}

/** Conditions under which wrong keys are accepted. */
const admitting: ByOperation<readonly string[]> = {
  'openai.chat': ['stream: true', 'model name: alias'],
  'v2.message': ['model name: alias'],
  'v2.generate': ['model name: alias'],
  'v3.generate': ['stream: true', 'model name: alias', 'parent_id: given'],
  'v3.oneShot': ['stream: true', 'model name: alias'],
  'v3.history': ['cursor: given', 'limit: above 10'],
  'v3.chats': ['cursor: given', 'search: given'],
  'v3.attachments': ['cursor: given', 'chat_id: given'],
}

const wrongKeys = {
  'AUTH-01': 'no key is needed',
  'AUTH-03': 'the key is accepted after another scheme',
  'AUTH-04': 'the last character of the key is not compared',
} as const

/** Wrong credentials that a route accepts, by the requirement that this breaks. */
const openRoutes = {
  'AUTH-01': [wrongKeys['AUTH-01'], 'the scheme is accepted without a key'],
  'AUTH-02': ['another key of the same length is accepted'],
  'AUTH-03': [wrongKeys['AUTH-03'], 'the key is accepted as the password of Basic'],
  'AUTH-04': ['a prefix of the key is accepted', 'a key is accepted with more after it'],
} as const

function ofKeys(operation: string, clause: string, id: string): Fault {
  const [surface = ''] = operation.split('.')
  const area = { openai: 'OAI', v2: 'V2' }[surface] ?? 'V3'
  return grammarFault(`${area}-${id} ${operation}: ${clause}`)
}

export const grammarFaults: readonly Fault[] = [
  ...faultyOperations.flatMap((operation) =>
    Object.entries(openRoutes).flatMap(([id, clauses]) =>
      clauses.map((clause) => ofKeys(operation, clause, id)),
    ),
  ),
  ...changingOperations.flatMap((operation) => [
    ofKeys(operation, 'a request without a key takes effect', 'AUTH-01'),
    ofKeys(operation, 'a request with a key of the same length takes effect', 'AUTH-02'),
  ]),
  ...Object.entries(admitting).flatMap(([operation, conditions]) =>
    conditions.flatMap((condition) =>
      Object.entries(wrongKeys).map(([id, clause]) =>
        ofKeys(operation, `${clause} (${condition})`, id),
      ),
    ),
  ),
  ...Object.entries(wrongTypes).flatMap(([operation, id]) =>
    effectsOf(operation as FaultyOperation)
      .filter(({ name }) => name.endsWith(' of a wrong type is accepted'))
      .map(({ name }) => grammarFault(`${id} ${operation}: ${name}`)),
  ),
  ...[...clauses, ...sentences].flatMap(alternatives).map(grammarFault),
]

/** The rows of a row with alternatives in braces. */
function alternatives(row: string): readonly string[] {
  const [braces = '', choices] = /\{([^{}]*\|[^{}]*)\}/.exec(row) ?? []
  if (choices === undefined) return [row]
  return choices.split('|').flatMap((choice) => alternatives(row.replace(braces, () => choice)))
}

/** @param breach requirements, and the name of the fault that breaks them @throws Error if one of them is unknown */
export function grammarFault(breach: string): Fault {
  const { breaks, rest: name } = breachIn(breach)
  const fault = generatedFaultNamed(name)
  if (fault === undefined) throw new Error(`the grammar has no ${name}`)
  return { name, summary: `${name}.`, breaks, patch: fault.patch }
}
