/** Faults of the grammar, with the requirements that they break. */
import { isRequirementId, type RequirementId } from '../../../contract/index.ts'
import { effectsOf, faultyOperations, generatedFaultNamed } from '../grammar/draw.ts'
import type { FaultyOperation } from '../grammar/schemas.ts'
import type { Fault } from '../table.ts'
import { type ByOperation, type Clauses, clauses } from './clauses.ts'
import { refused } from './refusals.ts'

/** Fields of requests that are accepted with a wrong type. */
const wrongTypes: ByOperation<RequirementId> = {
  'openai.chat': 'OAI-ERR-02',
  'v2.message': 'V2-MSG-09',
  'v2.generate': 'V2-GEN-05',
  'v3.generate': 'V3-GEN-17',
  'v3.oneShot': 'V3-ONE-12',
}

/** Fields of answers that are missing or have another type, with the requirements that they break. */
const members: ByOperation<Readonly<Record<string, RequirementId>>> = {
  'openai.chat': {
    created: 'OAI-CHAT-04',
    model: 'OAI-CHAT-05',
    choices: 'OAI-CHAT-06',
    'choices.*.index': 'OAI-CHAT-06',
    'choices.*.message.content': 'OAI-CHAT-07',
    'choices.*.message.role': 'OAI-CHAT-07',
    'choices.*.finish_reason': 'OAI-CHAT-08',
    usage: 'OAI-CHAT-09',
    'usage.total_tokens': 'OAI-CHAT-09',
    'usage.completion_tokens': 'OAI-CHAT-09',
    id: 'OAI-CHAT-02',
    object: 'OAI-CHAT-03',
  },
  'openai.models': {
    object: 'OAI-MODELS-05',
  },
  'v2.message': {
    id: 'V2-MSG-02',
    chat_id: 'V2-MSG-03',
    model_id: 'V2-MSG-04',
    role: 'V2-MSG-05',
    content: 'V2-MSG-06',
    created_at: 'V2-MSG-07',
  },
  'v2.generate': {
    message: 'V2-GEN-01',
    'message.content': 'V2-GEN-01',
  },
  'v3.generate': {
    output: 'V3-GEN-02',
    'output.*.type': 'V3-GEN-02',
  },
  'v3.history': {
    pagination: 'V3-HIST-01',
    'result.*.item_type': 'V3-HIST-03',
    'result.*.item_status': 'V3-HIST-04',
    'result.*.item': 'V3-HIST-02',
  },
  'v3.upload': {
    id: 'V3-ATT-02',
    filename: 'V3-ATT-02',
    content_type: 'V3-ATT-02',
    bucket: 'V3-ATT-02',
    created_at: 'V3-ATT-02',
    size: 'V3-ATT-04',
  },
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

/** Routes with an effect, which a refused request must not have. */
const changes: readonly FaultyOperation[] = [
  ...(['v3.generate', 'v3.createChat', 'v3.updateChat', 'v3.deleteChat', 'v3.upload'] as const),
  ...(['v3.addFavorite', 'v3.removeFavorite', 'v3.generateName'] as const),
]

function ofKeys(operation: string, clause: string, id: string): Fault {
  const [surface = ''] = operation.split('.')
  const area = { openai: 'OAI', v2: 'V2' }[surface] ?? 'V3'
  return faultOf(`${operation}: ${clause}`, `${area}-${id}`)
}

export const grammarFaults: readonly Fault[] = [
  ...faultyOperations.flatMap((operation) =>
    Object.entries(openRoutes).flatMap(([id, clauses]) =>
      clauses.map((clause) => ofKeys(operation, clause, id)),
    ),
  ),
  ...changes.flatMap((operation) => [
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
    matching(operation, / of a wrong type is accepted$/).map((name) => faultOf(name, id)),
  ),
  ...Object.entries(members).flatMap(([operation, paths]) =>
    Object.entries(paths).flatMap(([path, id]) =>
      [`${path} is lost`, `${path} has another type`].map((clause) =>
        faultOf(`${operation}: ${clause}`, id),
      ),
    ),
  ),
  ...clausesOf(refused, (conditions) => {
    return `the request is refused${conditions === '' ? '' : ` (${conditions})`}`
  }),
  ...clausesOf(clauses, (clause) => clause),
]

function matching(operation: string, pattern: RegExp): readonly string[] {
  return effectsOf(operation as FaultyOperation)
    .filter(({ name }) => pattern.test(name))
    .map(({ name }) => `${operation}: ${name}`)
}

function clausesOf(
  table: ByOperation<Clauses>,
  toClause: (entry: string) => string,
): readonly Fault[] {
  const entries = Object.entries(table).flatMap(([operation, own]) =>
    Object.entries(own).flatMap(([id, clauses]) =>
      clauses.map((clause) => ({ id, name: `${operation}: ${toClause(clause)}` })),
    ),
  )
  // A clause may break several requirements.
  return [...Map.groupBy(entries, ({ name }) => name)].map(([name, own]) =>
    faultOf(name, ...own.map(({ id }) => id)),
  )
}

/** A fault by its name in the grammar. @throws Error if there is none */
export function faultOf(name: string, ...ids: readonly string[]): Fault {
  const fault = generatedFaultNamed(name)
  const [first, ...more] = ids.filter(isRequirementId)
  if (fault === undefined || first === undefined) throw new Error(`the grammar has no ${name}`)
  return { name, summary: `${name}.`, breaks: [first, ...more], patch: fault.patch }
}
