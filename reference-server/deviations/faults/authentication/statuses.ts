/** Faults of the status for credentials, and credentials that a server accepts by mistake (section 5). */
import type { Patch } from '../../../services.ts'
import { onError, onReply } from '../../patches/replies.ts'
import {
  completions,
  createChat,
  matchesRoute,
  modelList,
  type RoutePattern,
  routeText,
  storeMessage,
  v2Generate,
  v3Generate,
  v3History,
} from '../../patches/routes.ts'
import { faultTable } from '../../table.ts'
import type { Fault } from '../../types.ts'

export interface Mistake {
  readonly requirement: `AUTH-0${1 | 2 | 3 | 4}`
  readonly description: string
  readonly accepts: (authorization: string, key: string) => boolean
}

export type MistakeName = keyof typeof mistakes
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

export const mistakeNames = Object.keys(mistakes) as readonly MistakeName[]
export const authenticationStatusFaults: readonly Fault[] = [
  ...faultTable({
    'OAI-AUTH-01': {
      'openai-auth-missing-key-is-403: POST /chat/completions returns 403 without a key.': {
        also: ['OAI-AUTH-03'],
        patch: answerWith(
          completions,
          403,
          (authorization) =>
            bearerToken(authorization) === undefined && authorization.split(' ').length < 2,
        ),
      },
      'openai-auth-missing-key-is-200: GET /models without a key returns 200 with an error body.':
        answerWith(modelList, 200, (authorization) => authorization === ''),
    },
    'OAI-AUTH-02': {
      'openai-auth-wrong-key-is-403: POST /chat/completions returns 403 for a wrong key.': {
        also: ['OAI-AUTH-04'],
        patch: answerWith(
          completions,
          403,
          (authorization) => bearerToken(authorization) !== undefined,
        ),
      },
    },
    'OAI-AUTH-03': {
      'openai-auth-other-scheme-is-400: GET /models returns 400 for another authentication scheme.':
        answerWith(modelList, 400, (authorization) => /^(Basic|Token) /.test(authorization)),
    },
    'OAI-AUTH-04': {
      'openai-auth-key-of-other-length-is-500: POST /chat/completions returns 500 for a wrong key of another length.':
        answerWith(completions, 500, isOfOtherLength),
    },
    'V3-AUTH-06': {
      'v3-auth-key-of-other-length-is-500: GET /api/v3/message returns 500 for a wrong key of another length.':
        answerWith(v3History, 500, isOfOtherLength),
      'v3-auth-missing-key-is-500: GET /api/v3/chat returns 500 without a key.': answerWith(
        'GET /api/v3/chat',
        500,
        (authorization) => authorization === '',
      ),
    },
  }),
  ...([401, 403] as const).flatMap((status): readonly Fault[] => [
    {
      name: `openai-auth-right-key-is-${status}`,
      summary: `POST /api/openai/chat/completions returns ${status} for a valid key.`,
      breaks: ['OAI-AUTH-05'],
      patch: rejectRightKey(completions, status),
    },
    {
      name: `v3-auth-right-key-is-${status}`,
      summary: `POST /api/v3/message/generate returns ${status} for a valid key.`,
      breaks: ['V3-AUTH-05'],
      patch: rejectRightKey(v3Generate, status),
    },
  ]),
  ...Object.entries({ 'create-chat': createChat, history: v3History }).map(
    ([name, route]): Fault => ({
      name: `v3-auth-${name}-right-key-is-401`,
      summary: `${routeText(route)} returns 401 for a valid key.`,
      breaks: ['V3-AUTH-05'],
      patch: rejectRightKey(route, 401),
    }),
  ),
  ...Object.entries({ message: storeMessage, reply: v2Generate }).flatMap(
    ([name, route]): readonly Fault[] => [
      {
        name: `v2-auth-${name}-right-key-is-401`,
        summary: `${routeText(route)} returns 401 for a valid key.`,
        breaks: ['V2-AUTH-05'],
        patch: rejectRightKey(route, 401),
      },
      {
        name: `v2-auth-${name}-missing-key-is-500`,
        summary: `${routeText(route)} returns 500 without a key.`,
        breaks: ['V2-AUTH-06'],
        patch: answerWith(route, 500, (authorization) => authorization === ''),
      },
    ],
  ),
]
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

/** Changes the status of rejected credentials. */
function answerWith(
  route: RoutePattern,
  status: number,
  when: (authorization: string, key: string) => boolean,
): Patch {
  return (services) =>
    onError(
      route,
      (reply) => ({ ...reply, status }),
      ({ caller, headers }) =>
        caller === '' && when(headers.authorization ?? '', services.keys[0] ?? ''),
    )(services)
}

function rejectRightKey(route: RoutePattern, status: number): Patch {
  return onReply(route, (reply, { caller }) =>
    caller === '' ? reply : { status, body: { error: 'A valid API key is required' } },
  )
}

function isOfOtherLength(authorization: string, key: string): boolean {
  return (bearerToken(authorization) ?? key).length !== key.length
}
