/** Faults of the status for credentials, and credentials that a server accepts by mistake (section 5). */
import type { Patch } from '../../../services.ts'
import { onError, onReply } from '../../patches/replies.ts'
import {
  completions,
  createChat,
  matchesRoute,
  modelList,
  type RoutePattern,
  storeMessage,
  v2Generate,
  v3Generate,
  v3History,
} from '../../patches/routes.ts'
import { faultTable } from '../../table.ts'

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
export const authenticationStatusFaults = faultTable({
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
  'V2-AUTH-06': {
    'v2-auth-message-missing-key-is-500: POST /api/v2/message returns 500 without a key.':
      answerWith(storeMessage, 500, (authorization) => authorization === ''),
    'v2-auth-reply-missing-key-is-500: POST /api/v2/message/generate returns 500 without a key.':
      answerWith(v2Generate, 500, (authorization) => authorization === ''),
  },
  'OAI-AUTH-05': {
    'openai-auth-right-key-is-401: POST /chat/completions returns 401 for a valid key.':
      rejectRightKey(completions, 401),
    'openai-auth-right-key-is-403: POST /chat/completions returns 403 for a valid key.':
      rejectRightKey(completions, 403),
  },
  'V2-AUTH-05': {
    'v2-auth-message-right-key-is-401: POST /api/v2/message returns 401 for a valid key.':
      rejectRightKey(storeMessage, 401),
    'v2-auth-reply-right-key-is-401: POST /api/v2/message/generate returns 401 for a valid key.':
      rejectRightKey(v2Generate, 401),
  },
  'V3-AUTH-05': {
    'v3-auth-right-key-is-403: POST /api/v3/message/generate returns 403 for a valid key.':
      rejectRightKey(v3Generate, 403),
    'v3-auth-create-chat-right-key-is-401: POST /api/v3/chat returns 401 for a valid key.':
      rejectRightKey(createChat, 401),
    'v3-auth-history-right-key-is-401: GET /api/v3/message returns 401 for a valid key.':
      rejectRightKey(v3History, 401),
  },
})
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
