/** Faults of the status for invalid and valid credentials (section 5). */
import type { Patch } from '../../../services.ts'
import { onError, onReply } from '../../patches/replies.ts'
import {
  completions,
  createChat,
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
import { bearerToken } from './credentials.ts'

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
