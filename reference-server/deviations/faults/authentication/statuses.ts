/** Faults of the status that wrong or right credentials are answered with (section 5). */
import type { Patch } from '../../../services.ts'
import { onError, onReply } from '../../patches/replies.ts'
import {
  completions,
  createChat,
  modelList,
  type RoutePattern,
  storeMessage,
  v2Generate,
  v3Generate,
  v3History,
} from '../../patches/routes.ts'
import type { Fault } from '../../types.ts'
import { bearerToken } from './credentials.ts'

export const authenticationStatusFaults: readonly Fault[] = [
  {
    name: 'openai-auth-missing-key-is-403',
    summary: 'A request without a key is answered with 403.',
    breaks: ['OAI-AUTH-01', 'OAI-AUTH-03'],
    patch: answerWith(
      completions,
      403,
      (authorization) =>
        bearerToken(authorization) === undefined && authorization.split(' ').length < 2,
    ),
  },
  {
    name: 'openai-auth-missing-key-is-200',
    summary: 'GET /models without a key is answered with an error in a 200.',
    breaks: ['OAI-AUTH-01'],
    patch: answerWith(modelList, 200, (authorization) => authorization === ''),
  },
  {
    name: 'openai-auth-wrong-key-is-403',
    summary: 'A request with a wrong key is answered with 403.',
    breaks: ['OAI-AUTH-02', 'OAI-AUTH-04'],
    patch: answerWith(
      completions,
      403,
      (authorization) => bearerToken(authorization) !== undefined,
    ),
  },
  {
    name: 'openai-auth-other-scheme-is-400',
    summary: 'A request with another scheme is answered with 400.',
    breaks: ['OAI-AUTH-03'],
    patch: answerWith(modelList, 400, (authorization) => /^(Basic|Token) /.test(authorization)),
  },
  {
    name: 'openai-auth-key-of-other-length-is-500',
    summary: 'The comparison of keys fails on keys of other lengths.',
    breaks: ['OAI-AUTH-04'],
    patch: answerWith(completions, 500, isOfOtherLength),
  },
  {
    name: 'v3-auth-key-of-other-length-is-500',
    summary: 'The comparison of keys fails on keys of other lengths.',
    breaks: ['V3-AUTH-06'],
    patch: answerWith(v3History, 500, isOfOtherLength),
  },
  {
    name: 'v3-auth-missing-key-is-500',
    summary: 'GET /chat without a key is answered with 500.',
    breaks: ['V3-AUTH-06'],
    patch: answerWith('GET /api/v3/chat', 500, (authorization) => authorization === ''),
  },
  ...([401, 403] as const).flatMap((status): readonly Fault[] => [
    {
      name: `openai-auth-right-key-is-${status}`,
      summary: `POST /chat/completions answers ${status} to the right key.`,
      breaks: ['OAI-AUTH-05'],
      patch: rejectRightKey(completions, status),
    },
    {
      name: `v3-auth-right-key-is-${status}`,
      summary: `POST /message/generate answers ${status} to the right key.`,
      breaks: ['V3-AUTH-05'],
      patch: rejectRightKey(v3Generate, status),
    },
  ]),
  ...Object.entries({ 'create-chat': createChat, history: v3History }).map(
    ([name, route]): Fault => ({
      name: `v3-auth-${name}-right-key-is-401`,
      summary: `${route} answers 401 to the right key.`,
      breaks: ['V3-AUTH-05'],
      patch: rejectRightKey(route, 401),
    }),
  ),
  ...Object.entries({ message: storeMessage, reply: v2Generate }).flatMap(
    ([name, route]): readonly Fault[] => [
      {
        name: `v2-auth-${name}-right-key-is-401`,
        summary: `${route} answers 401 to the right key.`,
        breaks: ['V2-AUTH-05'],
        patch: rejectRightKey(route, 401),
      },
      {
        name: `v2-auth-${name}-missing-key-is-500`,
        summary: `${route} answers 500 to a request without a key.`,
        breaks: ['V2-AUTH-06'],
        patch: answerWith(route, 500, (authorization) => authorization === ''),
      },
    ],
  ),
]

/** Answers requests without access with another status. */
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
