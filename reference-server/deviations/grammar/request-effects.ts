/** Effects on requests: refused, accepted, ignored or partly read. */
import { randomUUID } from 'node:crypto'
import { ApiError } from '../../http/errors.ts'
import { setAt, toList, toObject } from '../patches/json.ts'
import type { FaultyOperation } from '../patches/requests.ts'
import { mainModel } from '../patches/requests.ts'
import { credentialEffects } from './credentials.ts'
import { type Effect, editRequest, editTexts, effectTable, mangled, paths } from './edits.ts'
import type { Seams } from './injection.ts'
import { alternatives, bodyMembers, isOpen, type Schema } from './schemas.ts'

/** Fields without an effect that the document specifies; a v2 reply has no reasoning. */
const mayBeIgnored =
  /^(.+: (model|model_id|temperature|top_p|presence_penalty|assistant_id|chat_id|name)|v2.message: think)$/

/** Operations whose bodies or paths the document does not show, so that a refusal is not a violation. */
const guessed = /^(v3.updateChat|knowledge.+|openai.model)$/

export function requestEffects(operation: FaultyOperation): readonly Effect[] {
  const all = bodyMembers(operation)
  const members = Object.entries(all).filter(([name]) => !isOpen(operation, name))
  const lists = members.filter(([, schema]) => alternatives(schema).some(({ items }) => items))
  const isOfV2 = operation.startsWith('v2.')
  const isOneShot = operation === 'v3.oneShot'
  return [
    ...(guessed.test(operation) ? [] : refusals(operation)),
    ...credentialEffects(operation),
    ...members
      .filter(([name]) => !mayBeIgnored.test(`${operation}: ${name}`))
      .flatMap((member) => ignored(operation, member)),
    ...lists.flatMap(([name]) => partly(name)),
    ...members.filter(([name]) => !/^(chat|parent)_id$|^name$/.test(name)).flatMap(mended),
    ...members.filter(([name]) => isOfV2 && name in examples).flatMap(missing),
    ...textMembers.filter((name) => !isOneShot && name in all).flatMap(mangledMember),
    ...(operation === 'v3.generate' ? keyEffects : []),
    ...('exclude_tools' in all && !isOneShot ? bothLists : []),
    ...('rag' in all ? ragForced : []),
  ]
}

function refusals(operation: FaultyOperation): readonly Effect[] {
  const members = Object.keys(bodyMembers(operation)).filter((name) => isOpen(operation, name))
  // Open: the maximum length of a text and of a page, and whether a chat accepts two requests at once.
  const lengths = ['text: of 1000', 'text: empty', 'limit: above 20', 'limit: above 50']
  // A model that thinks first may need more tokens than a few.
  const few = operation === 'openai.chat' ? [] : ['max_tokens: of 1', 'max_tokens: up to']
  const not = [...lengths, ...few, 'overlap', ...members.map((name) => `${name}: `)]
  return effectTable(
    {
      'refuse: the request is refused': {
        incoming: () => {
          throw new ApiError(400, 'Not like this')
        },
      },
      'fail: the request ends with 500': {
        outgoing: () => ({ status: 500, body: { error: 'Not possible' } }),
      },
    },
    { not },
  )
}

/** Ignores a field; values of a wrong type and both tool lists are still refused. */
function ignored(
  operation: FaultyOperation,
  [name, schema]: readonly [string, Schema],
): readonly Effect[] {
  const other = name === 'include_tools' ? 'exclude_tools' : 'include_tools'
  // Without its text a request is refused, as fields that the document does not list may be.
  const isOpenTo = operation === 'v3.oneShot' && /^(input|content)$/.test(name)
  return effectTable({
    [`ignore: ${name} is ignored (${name}: ${name === 'stream' ? 'true' : 'given'})`]: {
      not: [`${name}: not`, `${name}: false`, ...(isOpenTo ? ['think: '] : [])],
      ...editRequest((body) =>
        fits(schema, body[name]) && !(name.endsWith('_tools') && Array.isArray(body[other]))
          ? setAt(body, name, undefined)
          : body,
      ),
    },
  })
}

/** Effects on lists, such as reading only one element. */
function partly(name: string): readonly Effect[] {
  const keep = (change: (list: unknown[]) => unknown) =>
    editRequest((body) =>
      setAt(body, name, (list: unknown) => (isUniform(list) ? change(list) : list)),
    )
  const ofSeveral = `of ${name} (${name}: several elements)`
  // A service need not use each tool that it may use.
  if (name === 'include_tools') return []
  return effectTable({
    // The last message is the question and must remain.
    ...(name !== 'messages' && {
      [`lose: only the first element counts ${ofSeveral}`]: keep((list) => list.slice(0, 1)),
    }),
    [`lose: only the last element counts ${ofSeveral}`]: keep((list) => list.slice(-1)),
    ...(name === 'input' && {
      [`lose: messages of the system are read only at the beginning ${ofSeveral}`]: keep((list) =>
        list.filter((item, at) => at === 0 || toObject(item)['role'] !== 'system'),
      ),
      [`lose: the text beside an image is lost in ${name} (${name}: with input_image)`]:
        editRequest((body) => setAt(body, `${name}.*.content`, withoutText)),
      [`reorder: reverse order ${ofSeveral}`]: keep((list) => list.toReversed()),
    }),
  })
}

/** A list with an element of another type is refused as before. */
function isUniform(list: unknown): list is unknown[] {
  return Array.isArray(list) && new Set(list.map((element) => typeof element)).size <= 1
}

function withoutText(content: unknown): unknown {
  const others = toList(content).filter(({ type }) => type !== 'input_text')
  return others.length > 0 ? others : content
}

/** Default values for required fields of a wrong type. */
const examples: Readonly<Record<string, unknown>> = {
  model: mainModel,
  model_id: mainModel,
  messages: [{ role: 'user', content: 'Hello' }],
  input: 'Hello',
  content: 'Hello',
}

function mended([name, schema]: readonly [string, Schema]): readonly Effect[] {
  return effectTable({
    [`accept: ${name} of a wrong type is accepted`]: {
      not: [`${name}: `, ...(/^model/.test(name) ? ['model name'] : [])],
      only: paths,
      ...editRequest((body) =>
        setAt(body, name, (value: unknown) => (fits(schema, value) ? value : examples[name])),
      ),
    },
  })
}

function missing([name]: readonly [string, Schema]): readonly Effect[] {
  return effectTable({
    [`accept: a missing ${name} is accepted`]: {
      only: [],
      ...editRequest((body) => setAt(body, name, (value: unknown) => value ?? examples[name])),
    },
  })
}

/** Tests if a value has a type of a field. */
export function fits(schema: Schema, value: unknown): boolean {
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

function mangledMember(name: string): readonly Effect[] {
  const isShown = (how: string) => name !== 'name' || !tidying.test(how)
  return mangled(`${name} is stored`, (change) => editTexts(name, change), isShown)
}

const keyName = 'idempotency-key'

/** Sends a request with another key, given its own; undefined leaves it unchanged. */
function withKey(change: (key: string | undefined) => string | undefined): Seams {
  return {
    incoming: (call) => {
      const key = call.headers[keyName]
      const other = change(key === undefined ? undefined : String(key))
      return other === undefined
        ? call
        : { ...call, headers: { ...call.headers, [keyName]: other } }
    },
  }
}

const keyEffects = effectTable({
  'duplicate: the Idempotency-Key is ignored': withKey((key) =>
    key === undefined ? undefined : randomUUID(),
  ),
  'accept: a missing Idempotency-Key is accepted': withKey((key) =>
    key === undefined ? randomUUID() : undefined,
  ),
  'lose: the first character of the Idempotency-Key is not compared': withKey(
    (key = '') => key.slice(1) || undefined,
  ),
  'lose: the last character of the Idempotency-Key is not compared': withKey(
    (key = '') => key.slice(0, -1) || undefined,
  ),
})

const bothLists = effectTable({
  'accept: both tool lists are accepted': {
    only: paths,
    ...editRequest((body) =>
      body['include_tools'] == null ? body : setAt(body, 'exclude_tools', undefined),
    ),
  },
})

const ragForced = effectTable({
  'ignore: rag is taken for true': {
    not: ['rag: true', 'rag: an object', 'rag: given'],
    ...editRequest((body) =>
      setAt(body, 'rag', (rag: unknown) => rag == null || rag === false || rag === 'agent' || rag),
    ),
  },
})
