/** Effects on requests: refused, accepted, ignored or partly read. */
import { randomUUID } from 'node:crypto'
import { ApiError } from '../../http/errors.ts'
import { setAt, toList, toObject } from '../patches/json.ts'
import { mainModel } from '../patches/routes.ts'
import { credentialEffects } from './credentials.ts'
import {
  type Effect,
  editRequest,
  editTexts,
  manglings,
  ofKind,
  paths,
  withHeader,
} from './edits.ts'
import { alternatives, bodyMembers, type FaultyOperation, isOpen, type Schema } from './schemas.ts'

/** Fields without an effect that the document specifies; a v2 reply has no reasoning. */
const mayBeIgnored =
  /^(.+: (model|model_id|temperature|top_p|presence_penalty|assistant_id|chat_id|name)|v2.message: think)$/

/** Operations whose bodies or paths the document does not show, so that a refusal is not a violation. */
const guessed = /^(v3.updateChat|knowledge.+|openai.model)$/

export function requestEffects(operation: FaultyOperation): readonly Effect[] {
  const members = Object.entries(bodyMembers(operation)).filter(
    ([name]) => !isOpen(operation, name),
  )
  const lists = members.filter(([, schema]) => alternatives(schema).some(({ items }) => items))
  return [
    ...(guessed.test(operation) ? [] : refusals(operation)),
    ...credentialEffects(operation),
    ...members
      .filter(([name]) => !mayBeIgnored.test(`${operation}: ${name}`))
      .map((member) => ignored(operation, member)),
    ...lists.flatMap(([name]) => partly(name)),
    ...members.filter(([name]) => !/^(chat|parent)_id$|^name$/.test(name)).map(mended),
    ...(operation.startsWith('v2.') ? members.filter(([name]) => name in examples) : []).map(
      missing,
    ),
    ...(operation === 'v3.oneShot' ? [] : textMembers)
      .filter((name) => name in bodyMembers(operation))
      .flatMap(mangled),
    ...(operation === 'v3.generate' ? keyEffects : []),
    ...('exclude_tools' in bodyMembers(operation) && operation !== 'v3.oneShot' ? [bothLists] : []),
    ...('rag' in bodyMembers(operation) ? [ragForced] : []),
  ]
}

function refusals(operation: FaultyOperation): readonly Effect[] {
  const members = Object.keys(bodyMembers(operation)).filter((name) => isOpen(operation, name))
  // Open: the maximum length of a text and of a page, and whether a chat accepts two requests at once.
  const lengths = ['text: of 1000', 'text: empty', 'limit: above 20', 'limit: above 50']
  const not = [...lengths, 'overlap', ...members.map((name) => `${name}: `)]
  return [
    {
      family: 'refuse',
      name: 'the request is refused',
      not,
      incoming: () => {
        throw new ApiError(400, 'Not like this')
      },
    },
    {
      family: 'fail',
      name: 'the request ends with 500',
      not,
      outgoing: () => ({ status: 500, body: { error: 'Not possible' } }),
    },
  ]
}

/** Ignores a field; values of a wrong type and both tool lists are still refused. */
function ignored(operation: FaultyOperation, [name, schema]: readonly [string, Schema]): Effect {
  const other = name === 'include_tools' ? 'exclude_tools' : 'include_tools'
  // Without its text a request is refused, as fields that the document does not list may be.
  const isOpenTo = operation === 'v3.oneShot' && /^(input|content)$/.test(name)
  return {
    family: 'ignore',
    name: `${name} is ignored`,
    ...(name === 'stream' ? { needs: 'stream: true' } : { needs: `${name}: given` }),
    not: [`${name}: not`, `${name}: false`, ...(isOpenTo ? ['think: '] : [])],
    incoming: editRequest((body) =>
      fits(schema, body[name]) && !(name.endsWith('_tools') && Array.isArray(body[other]))
        ? setAt(body, name, undefined)
        : body,
    ),
  }
}

/** Effects on lists, such as reading only one element. */
function partly(name: string): readonly Effect[] {
  const keep = (family: Effect['family'], which: string, change: (list: unknown[]) => unknown) => ({
    family,
    name: `${which} of ${name}`,
    needs: `${name}: several elements`,
    incoming: editRequest((body) =>
      setAt(body, name, (list: unknown) => (isUniform(list) ? change(list) : list)),
    ),
  })
  const first = keep('lose', 'only the first element counts', (list) => list.slice(0, 1))
  const last = keep('lose', 'only the last element counts', (list) => list.slice(-1))
  const text: Effect = {
    family: 'lose',
    name: `the text beside an image is lost in ${name}`,
    needs: `${name}: with input_image`,
    incoming: editRequest((body) => setAt(body, `${name}.*.content`, withoutText)),
  }
  const later = keep('lose', 'messages of the system are read only at the beginning', (list) =>
    list.filter((item, at) => at === 0 || toObject(item)['role'] !== 'system'),
  )
  if (name === 'input')
    return [first, last, later, text, keep('reorder', 'reverse order', reversed)]
  // The last message is the question and must remain.
  return name === 'messages' ? [last] : [first, last]
}

/** A list with an element of another type is refused as before. */
function isUniform(list: unknown): list is unknown[] {
  return Array.isArray(list) && new Set(list.map((element) => typeof element)).size <= 1
}

function withoutText(content: unknown): unknown {
  const others = toList(content).filter(({ type }) => type !== 'input_text')
  return others.length > 0 ? others : content
}

const reversed = (list: unknown[]) => list.toReversed()

/** Default values for required fields of a wrong type. */
const examples: Readonly<Record<string, unknown>> = {
  model: mainModel,
  model_id: mainModel,
  messages: [{ role: 'user', content: 'Hello' }],
  input: 'Hello',
  content: 'Hello',
}

function mended([name, schema]: readonly [string, Schema]): Effect {
  return {
    family: 'accept',
    name: `${name} of a wrong type is accepted`,
    not: [`${name}: `, ...(/^model/.test(name) ? ['model name'] : [])],
    only: paths,
    incoming: editRequest((body) =>
      setAt(body, name, (value: unknown) => (fits(schema, value) ? value : examples[name])),
    ),
  }
}

function missing([name]: readonly [string, Schema]): Effect {
  return {
    family: 'accept',
    name: `a missing ${name} is accepted`,
    only: [],
    incoming: editRequest((body) => setAt(body, name, (value: unknown) => value ?? examples[name])),
  }
}

function fits(schema: Schema, value: unknown): boolean {
  const isElement = (items: Schema | undefined, element: unknown) =>
    items?.type !== 'string' || typeof element === 'string'
  return (
    value == null ||
    alternatives(schema).some(
      ({ type, items }) =>
        isOf(type, value) &&
        (!Array.isArray(value) || value.every((element) => isElement(items, element))),
    )
  )
}

function isOf(type: Schema['type'], value: unknown): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return typeof value === 'object' && !Array.isArray(value)
  return typeof value === type
}

/** Texts that the service returns. */
const textMembers = ['input', 'content', 'name']
/** A name may be normalized; the document specifies nothing about its spaces and its length. */
const tidying = /line break|CRLF|outer space|cut at/

function mangled(name: string): readonly Effect[] {
  return manglings
    .filter((mangling) => name !== 'name' || !tidying.test(mangling.name))
    .map((mangling) => ({
      family: 'mangle',
      name: `${name} is stored ${mangling.name}`,
      ...ofKind(mangling),
      incoming: editTexts(name, mangling.change),
    }))
}

const keyName = 'idempotency-key'
const keyEffects: readonly Effect[] = [
  {
    family: 'duplicate',
    name: 'the Idempotency-Key is ignored',
    incoming: (call) =>
      call.headers[keyName] === undefined ? call : withHeader(call, keyName, randomUUID()),
  },
  {
    family: 'accept',
    name: 'a missing Idempotency-Key is accepted',
    incoming: (call) =>
      call.headers[keyName] === undefined ? withHeader(call, keyName, randomUUID()) : call,
  },
  ...(['first', 'last'] as const).map(
    (end): Effect => ({
      family: 'lose',
      name: `the ${end} character of the Idempotency-Key is not compared`,
      incoming: (call) => {
        const key = String(call.headers[keyName] ?? '')
        return key.length < 2
          ? call
          : withHeader(call, keyName, end === 'last' ? key.slice(0, -1) : key.slice(1))
      },
    }),
  ),
]

const bothLists: Effect = {
  family: 'accept',
  name: 'both tool lists are accepted',
  only: paths,
  incoming: editRequest((body) =>
    body['include_tools'] == null ? body : setAt(body, 'exclude_tools', undefined),
  ),
}

const ragForced: Effect = {
  family: 'ignore',
  name: 'rag is taken for true',
  not: ['rag: true', 'rag: an object', 'rag: given'],
  incoming: editRequest((body) =>
    setAt(body, 'rag', (rag: unknown) => rag == null || rag === false || rag === 'agent' || rag),
  ),
}
