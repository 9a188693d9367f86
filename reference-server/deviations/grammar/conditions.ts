/** Conditions of generated faults: values of a dimension of a request or of earlier requests. */
import type { OperationId } from '../../../contract/operations.ts'
import { isGiven } from '../patches/json.ts'
import type { FaultyOperation } from '../patches/requests.ts'
import { mainAlias, mainModel, visionModel } from '../patches/requests.ts'
import type { Circumstance, Past } from './history.ts'
import { type Condition, dimension, lengthOf, membersIn } from './members.ts'
import { bodyMembers, isOpen, queryMembers, requiredMembers } from './schemas.ts'

type Test = (circumstance: Circumstance) => boolean

/** All conditions that a request of an operation may meet. */
export function conditionsOf(operation: FaultyOperation): readonly Condition[] {
  const cached = made.get(operation)
  if (cached !== undefined) return cached
  const required = requiredMembers(operation)
  const isShown = ({ name }: Condition) =>
    !(name.endsWith(': not given') && required.includes(dimensionOf(name))) &&
    (!isOpen(operation, dimensionOf(name)) || name.startsWith('think'))
  const body = membersIn('body', bodyMembers(operation)).filter(isShown)
  const query = membersIn('query', queryMembers(operation)).filter(isShown)
  // The parameters of a list are in its query; body fields with the same names are duplicates.
  const members = [...query, ...body.filter(({ name }) => !query.some((one) => one.name === name))]
  const conditions = [
    ...members,
    ...(hasText(operation) ? textKinds : []),
    ...('search' in queryMembers(operation) ? searchTexts : []),
    ...(operation === 'openai.chat' ? stopTexts : []),
    ...models.filter(() => 'model' in bodyMembers(operation) || takesModelId(operation)),
    ...(isPaged(operation) ? pages : []),
    ...(isInChat(operation) ? inChat : beyondChats),
    ...(isTurn(operation) ? [...afterAnotherTurn, twoAtOnce] : []),
    ...(operation === 'v2.generate' ? ofTheQuestion : []),
    { name: 'caller: second', holds: ({ call }: Circumstance) => call.caller !== 'caller-1' },
  ].filter(({ name }) => !withoutLaw.some(([of, names]) => of.test(operation) && names.test(name)))
  made.set(operation, conditions)
  return conditions
}

/** Conditions without a requirement of the document, or that no legal request meets. */
const withoutLaw: readonly (readonly [operation: RegExp, conditions: RegExp])[] = [
  // An empty text may be refused, except in a message of a completion.
  [/^(?!openai\.chat$)/, /^text: empty$/],
  // A name may be normalized, or refused if long or short; a search matches names by words of letters and digits.
  [/^v3\.(create|update)Chat$/, /^text: (one|several|CRLF|outer space|of 1000)|^name: not/],
  [/^v3\./, /^search: (?!given|not|digits|beyond)/],
  // A service may sanitize file names and derive types from their extensions.
  [/^v3\.upload$/, /^text: (?!beyond)/],
  // Roles, defaults and ranges that the document does not show, and lists that may require an element.
  [/^openai\.chat$/, /^messages: with developer$|^stop: an empty list$|^top_p: at its minimum$/],
  [/^v3\.(generate|oneShot)$/, /^stream: not given$|^input: with assistant$|: at its m/],
  [/^v3\.generate$/, /^include_tools: an empty list$/],
  // The document shows only id and output of runs.
  [/^v3\.oneShot$/, /^runs: with/],
  // Routes of v3 do not change v2 chats, whose replies have only one form.
  [/^v2\./, /^occurrence: after (a rename|a favorite|another form)$/],
  // The rights of another caller are not known, nor the response to a repeat of these.
  [/^v2\.generate$/, /^caller: /],
  [/^v3\.(deleteChat|generateName|addFavorite|removeFavorite)$/, /^occurrence: (second|third)/],
  [/^v3\.addFavorite$/, /^occurrence: after a favorite$/],
  // The document does not show who may read a base, nor how a question is interpreted.
  [/^knowledge\./, /^caller: |^text: /],
]

const made = new Map<FaultyOperation, readonly Condition[]>()

export function dimensionOf(name: string): string {
  return name.split(':')[0] ?? name
}

/** Tests if no acceptable request can meet both conditions. */
export function contradict(a: string, b: string): boolean {
  return (
    dimensionOf(a) === dimensionOf(b) ||
    impossible.some(
      (pair) => pair.some((one) => a.startsWith(one)) && pair.some((one) => b.startsWith(one)),
    )
  )
}

const impossible = [
  ['parent_id: given', 'occurrence: first'],
  ['include_tools: ', 'exclude_tools: '],
  ['stop text: ', 'stop: '],
] as const

const textKinds: readonly Condition[] = dimension('text', {
  empty: ({ text }) => text === '',
  'one character': ({ text }) => [...text].length === 1,
  digits: ({ text }) => /^\d+$/.test(text),
  'beyond ASCII': ({ text }) => /[^\0-\x7f]/.test(text),
  'beyond the BMP': ({ text }) => /[\u{10000}-\u{10ffff}]/u.test(text),
  'combining marks': ({ text }) => /\p{M}/u.test(text),
  'several lines': ({ text }) => text.includes('\n'),
  CRLF: ({ text }) => text.includes('\r\n'),
  'like JSON': ({ text }) => /^\s*[{[]/m.test(text),
  'like HTML': ({ text }) => /<\w+[^>]*>/.test(text),
  'with escapes': ({ text }) => /%[0-9a-f]{2}/i.test(text),
  'outer space': ({ text }) => /^\s|\s$/.test(text),
  'of 1000 characters and more': ({ text }) => text.length >= 1000,
})

const searchTexts = textKinds.map(({ name, holds }) => ({
  name: name.replace('text: ', 'search: '),
  holds,
}))

const stopTexts = dimension('stop text', {
  'beyond ASCII': ({ body }) => /[^\0-\x7f]/.test(JSON.stringify(body['stop'] ?? '')),
  'with a space': ({ body }) => JSON.stringify(body['stop'] ?? '').includes(' '),
  'a punctuation mark': ({ body }) =>
    [body['stop']].flat().some((one) => /^\p{P}$/u.test(String(one))),
})

const isModel =
  (name: string): Test =>
  ({ body }) =>
    (body['model'] ?? body['model_id']) === name

const models = dimension('model name', {
  main: isModel(mainModel),
  alias: isModel(mainAlias),
  vision: isModel(visionModel),
})

const pages = dimension('cursor', {
  'of the second page': (circumstance) => pageNumber(circumstance) === 2,
  'of a later page': (circumstance) => pageNumber(circumstance) >= 3,
})

const sameOperation = ({ operation, earlier }: Circumstance): readonly Past[] =>
  earlier.filter((past) => past.operation === operation)

const before = (circumstance: Circumstance) => sameOperation(circumstance).at(-1)?.body

const after =
  (operation: OperationId): Test =>
  ({ earlier }) =>
    earlier.some((past) => past.operation === operation && !past.isRefused)

const inChat = dimension('occurrence', {
  first: (circumstance) => sameOperation(circumstance).length === 0,
  second: (circumstance) => sameOperation(circumstance).length === 1,
  'third or later': (circumstance) => sameOperation(circumstance).length >= 2,
  'after a refusal': ({ earlier }) => earlier.at(-1)?.isRefused === true,
  'after a rename': after('v3.updateChat'),
  'after a favorite': after('v3.addFavorite'),
})

const afterAnotherTurn = dimension('occurrence', {
  'after another model': (circumstance) =>
    before(circumstance) !== undefined &&
    before(circumstance)?.['model_id'] !== circumstance.body['model_id'],
  'after another form': (circumstance) =>
    before(circumstance) !== undefined &&
    (before(circumstance)?.['stream'] === true) !== (circumstance.body['stream'] === true),
})

const twoAtOnce: Condition = { name: 'overlap: two at once', holds: ({ atOnce }) => atOnce > 0 }

const beyondChats = dimension('occurrence', {
  'every second': (circumstance) => sameOperation(circumstance).length % 2 === 1,
})

const questionOf = ({ earlier }: Circumstance) =>
  earlier.findLast(({ operation }) => operation === 'v2.message')?.body ?? {}

const ofTheQuestion = dimension('question', {
  'with think': (circumstance) => questionOf(circumstance)['think'] === true,
  'with rag': (circumstance) => isGiven(questionOf(circumstance)['rag']),
  'with attachments': (circumstance) => lengthOf(questionOf(circumstance)['attachments']) > 0,
  'with an assistant': (circumstance) => isGiven(questionOf(circumstance)['assistant_id']),
})

/** A page that is requested again has its number again. */
function pageNumber({ query, earlier, operation }: Circumstance): number {
  if (query['cursor'] === undefined) return 1
  const walk = earlier
    .filter((past) => past.operation === operation && past.query['search'] === query['search'])
    .map((past) => past.query['cursor'])
  const cursors = [...new Set(walk.slice(walk.lastIndexOf(undefined) + 1))]
  const place = cursors.indexOf(query['cursor'])
  return (place < 0 ? cursors.length : place) + 2
}

function hasText(operation: FaultyOperation): boolean {
  const members = ['messages', 'input', 'content', 'name', 'query']
  return operation === 'v3.upload' || members.some((member) => member in bodyMembers(operation))
}

const takesModelId = (operation: FaultyOperation) => 'model_id' in bodyMembers(operation)
export const isPaged = (operation: FaultyOperation) => 'cursor' in queryMembers(operation)
const isTurn = (operation: FaultyOperation) => /^v[23]\.generate$/.test(operation)

function isInChat(operation: FaultyOperation): boolean {
  return (
    ['v2.message', 'v2.generate', 'v3.generate', 'v3.history', 'v3.chat'].includes(operation) ||
    /v3\.(updateChat|deleteChat|generateName|chatAttachments|(add|remove)Favorite)/.test(operation)
  )
}
