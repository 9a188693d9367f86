/** Credentials that a server accepts by mistake (section 5). */
import type { Patch } from '../../../services.ts'
import { matchesRoute, type RoutePattern } from '../../patches/routes.ts'

/** Wrong credentials by name: `accepts` is the faulty check, `key` the valid key. */
export const mistakes = {
  'without-key': {
    requirement: 'AUTH-01',
    description: 'requests without Authorization',
    accepts: (authorization: string) => authorization === '',
  },
  'with-empty-key': {
    requirement: 'AUTH-01',
    description: 'the Bearer scheme without a key',
    accepts: (authorization: string) => authorization === 'Bearer',
  },
  'with-key-of-that-length': {
    requirement: 'AUTH-02',
    description: 'a key that has the length of the valid key and begins otherwise',
    accepts: (authorization: string, key: string) => {
      const token = bearerToken(authorization)
      return token?.length === key.length && token[0] !== key[0]
    },
  },
  'with-basic': {
    requirement: 'AUTH-03',
    description: 'the key as Basic password',
    accepts: (authorization: string, key: string) => basicPassword(authorization) === key,
  },
  'with-any-scheme': {
    requirement: 'AUTH-03',
    description: 'the key with any authentication scheme',
    accepts: (authorization: string, key: string) => authorization.split(' ')[1] === key,
  },
  'with-beginning-of-key': {
    requirement: 'AUTH-04',
    description: 'a prefix of the key',
    accepts: (authorization: string, key: string) =>
      key.startsWith(bearerToken(authorization) ?? '?'),
  },
  'with-more-than-the-key': {
    requirement: 'AUTH-04',
    description: 'any value that starts with the key',
    accepts: (authorization: string, key: string) =>
      bearerToken(authorization)?.startsWith(key) === true,
  },
} as const satisfies Record<string, Mistake>

export interface Mistake {
  readonly requirement: `AUTH-0${1 | 2 | 3 | 4}`
  readonly description: string
  readonly accepts: (authorization: string, key: string) => boolean
}

export type MistakeName = keyof typeof mistakes
export const mistakeNames = Object.keys(mistakes) as readonly MistakeName[]

/** Accepts wrong credentials on a route, as those of the first caller. */
export function acceptCredential(route: RoutePattern, accepts: Mistake['accepts']): Patch {
  return (services) => ({
    ...services,
    authenticate: (authorization, request) => {
      const [key = ''] = services.keys
      const isAccepted = matchesRoute(route, request) && accepts(authorization ?? '', key)
      return services.authenticate(authorization, request) ?? (isAccepted ? 'caller-1' : undefined)
    },
  })
}

/** Tests credentials for a mistake; false for the valid key, which some checks also accept. */
export function isMistake(
  name: MistakeName,
  authorization = '',
  [key = '', ...others]: readonly string[],
): boolean {
  const isRight = [key, ...others].some((one) => authorization === `Bearer ${one}`)
  return !isRight && mistakes[name].accepts(authorization, key)
}

export function bearerToken(authorization: string): string | undefined {
  return /^Bearer (\S+)$/.exec(authorization)?.[1]
}

function basicPassword(authorization: string): string | undefined {
  const [scheme, encoded = ''] = authorization.split(' ')
  if (scheme !== 'Basic') return undefined
  return Buffer.from(encoded, 'base64').toString().split(':')[1]
}
