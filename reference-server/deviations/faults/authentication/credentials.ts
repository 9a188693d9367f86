/** Routes that are open to who makes a mistake in the Authorization (section 5). */
import type { RequirementId } from '../../../../contract/index.ts'
import type { Patch } from '../../../services.ts'
import { matchesRoute, type RoutePattern } from '../../patches/routes.ts'
import type { Fault } from '../../types.ts'

/** What passes for the key, and why; `authorization` is the header, `key` the right one. */
export const mistakes = {
  'without-key': {
    row: 'AUTH-01',
    what: 'no Authorization at all',
    passes: (authorization: string) => authorization === '',
  },
  'with-empty-key': {
    row: 'AUTH-01',
    what: 'the scheme without a key',
    passes: (authorization: string) => authorization === 'Bearer',
  },
  'with-key-of-that-length': {
    row: 'AUTH-02',
    what: 'any key that is as long as the right one',
    passes: (authorization: string, key: string) => bearer(authorization)?.length === key.length,
  },
  'with-basic': {
    row: 'AUTH-03',
    what: 'the key as the password of Basic',
    passes: (authorization: string, key: string) => password(authorization) === key,
  },
  'with-any-scheme': {
    row: 'AUTH-03',
    what: 'the key under any scheme',
    passes: (authorization: string, key: string) => authorization.split(' ')[1] === key,
  },
  'with-beginning-of-key': {
    row: 'AUTH-04',
    what: 'the beginning of the key',
    passes: (authorization: string, key: string) => key.startsWith(bearer(authorization) ?? '?'),
  },
  'with-more-than-the-key': {
    row: 'AUTH-04',
    what: 'whatever begins with the key',
    passes: (authorization: string, key: string) => bearer(authorization)?.startsWith(key) === true,
  },
} as const satisfies Record<string, Mistake>

interface Mistake {
  readonly row: string
  readonly what: string
  readonly passes: (authorization: string, key: string) => boolean
}

export type MistakeName = keyof typeof mistakes
export const everyMistake = Object.keys(mistakes) as readonly MistakeName[]

const areas = { openai: 'OAI', v2: 'V2', v3: 'V3' } as const

/** A route is open to who makes that mistake. */
export function admits(
  surface: keyof typeof areas,
  routeName: string,
  route: RoutePattern,
  mistake: MistakeName,
): Fault {
  const { row, what, passes } = mistakes[mistake]
  const requirement: RequirementId = `${areas[surface]}-${row}`
  return {
    name: `${surface}-auth-${routeName}-${mistake}`,
    summary: `${route} is open to ${what}.`,
    breaks: [requirement],
    patch: admitting(route, passes),
  }
}

/** Whoever passes by mistake passes for the first caller. */
export function admitting(route: RoutePattern, passes: Mistake['passes']): Patch {
  return (services) => ({
    ...services,
    authenticate: (authorization, request) => {
      const [key = ''] = services.keys
      const admitted = matchesRoute(route, request) && passes(authorization ?? '', key)
      return services.authenticate(authorization, request) ?? (admitted ? 'caller-1' : undefined)
    },
  })
}

export function bearer(authorization: string): string | undefined {
  return /^Bearer (\S+)$/.exec(authorization)?.[1]
}

function password(authorization: string): string | undefined {
  const [scheme, encoded = ''] = authorization.split(' ')
  if (scheme !== 'Basic') return undefined
  return Buffer.from(encoded, 'base64').toString().split(':')[1]
}
