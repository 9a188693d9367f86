/** Effects on admission: wrong credentials that are accepted, or refused too late (section 5). */
import type { FaultyOperation } from '../patches/requests.ts'
import { type Effect, paths } from './edits.ts'
import { isMarked } from './injection.ts'

type Admits = NonNullable<Effect['admits']>

const schemeAndKey = (authorization = '') => authorization.split(/ +/)

function bearerKey(authorization?: string): string | undefined {
  const [scheme, key] = schemeAndKey(authorization)
  return scheme === 'Bearer' ? key : undefined
}

/** Credentials that are mistaken for valid ones. */
const credentials = acceptances(
  {
    'no key is needed': (given, [key]) => (given === undefined ? key : undefined),
    'any key is accepted': (given, [key]) => (given?.startsWith('Bearer ') ? key : undefined),
    'the last character of the key is not compared': (given, keys) =>
      keys.find((key) => bearerKey(given)?.slice(0, -1) === key.slice(0, -1)),
    'the first character of the key is not compared': (given, keys) =>
      keys.find((key) => bearerKey(given)?.slice(1) === key.slice(1)),
    'the key is accepted in other letters': (given, keys) =>
      keys.find((key) => key.toUpperCase() === schemeAndKey(given)[1]?.toUpperCase()),
    'the key is accepted after another scheme': (given, keys) =>
      keys.find((key) => schemeAndKey(given)[1] === key),
  },
  paths,
)

const ofSameLength: Admits = (given, keys) =>
  keys.find((key) => key.length === bearerKey(given)?.length && key[0] !== bearerKey(given)?.[0])

/** Mistakes that no server makes under certain conditions only. */
const mistakes = acceptances({
  'the scheme is accepted without a key': (given, [key]) => (given === 'Bearer' ? key : undefined),
  'another key of the same length is accepted': ofSameLength,
  'the key is accepted as the password of Basic': (given, keys) => {
    const [scheme, password = ''] = schemeAndKey(given)
    const [, text] = Buffer.from(password, 'base64').toString().split(':')
    return scheme === 'Basic' ? keys.find((key) => key === text) : undefined
  },
  'the key is accepted before a comma': (given, keys) =>
    keys.find((key) => bearerKey(given)?.split(',')[0] === key),
  'a prefix of the key is accepted': (given, keys) =>
    keys.find((key) => key.startsWith(bearerKey(given) ?? '?')),
  'a key is accepted with more after it': (given, keys) =>
    keys.find((key) => bearerKey(given)?.startsWith(key)),
})

const refusedTooLate = acceptances({
  'a request without a key takes effect': (given, [key]) => (given === undefined ? key : undefined),
  'a request with a key of the same length takes effect': ofSameLength,
}).map(
  (effect): Effect => ({
    ...effect,
    outgoing: (reply, { call }) => (isMarked(call) ? refusalOfKey : reply),
  }),
)

const refusalOfKey = { status: 401, body: { error: 'A valid API key is required' } }

function acceptances(
  named: Readonly<Record<string, Admits>>,
  only: readonly string[] = [],
): readonly Effect[] {
  return Object.entries(named).map(([name, admits]) => ({
    ...{ family: 'accept' as const, name, not: ['caller'], only, admits },
  }))
}

/** Operations whose effect a later request shows. */
export const changingOperations: readonly FaultyOperation[] = [
  ...(['v3.generate', 'v3.createChat', 'v3.updateChat', 'v3.deleteChat', 'v3.upload'] as const),
  ...(['v3.addFavorite', 'v3.removeFavorite', 'v3.generateName'] as const),
]

export function credentialEffects(operation: FaultyOperation): readonly Effect[] {
  const late = changingOperations.includes(operation) ? refusedTooLate : []
  return [...credentials, ...mistakes, ...late]
}
