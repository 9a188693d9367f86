/** Faults of the status that a request with a wrong or a right key gets (section 5). */
import type { Patch } from '../../../services.ts'
import { onError, onReply } from '../../patches/replies.ts'
import {
  completions,
  modelList,
  type RoutePattern,
  v3Generate,
  v3History,
} from '../../patches/routes.ts'
import type { Fault } from '../../types.ts'
import { bearer } from './credentials.ts'

export const authRefusalFaults: readonly Fault[] = [
  {
    name: 'openai-auth-missing-key-is-403',
    summary: 'A request without a key is answered with 403.',
    breaks: ['OAI-AUTH-01'],
    patch: answered(
      completions,
      403,
      (authorization) => bearer(authorization) === undefined && authorization.split(' ').length < 2,
    ),
  },
  {
    name: 'openai-auth-missing-key-is-200',
    summary: 'GET /models without a key is answered with an error in a 200.',
    breaks: ['OAI-AUTH-01'],
    patch: answered(modelList, 200, (authorization) => authorization === ''),
  },
  {
    name: 'openai-auth-wrong-key-is-403',
    summary: 'A request with a wrong key is answered with 403.',
    breaks: ['OAI-AUTH-02', 'OAI-AUTH-04'],
    patch: answered(completions, 403, (authorization) => bearer(authorization) !== undefined),
  },
  {
    name: 'openai-auth-other-scheme-is-400',
    summary: 'A request with another scheme is answered with 400.',
    breaks: ['OAI-AUTH-03'],
    patch: answered(modelList, 400, (authorization) => /^(Basic|Token) /.test(authorization)),
  },
  {
    name: 'openai-auth-key-of-other-length-is-500',
    summary: 'The comparison of keys fails on keys of other lengths.',
    breaks: ['OAI-AUTH-04'],
    patch: answered(completions, 500, isOfOtherLength),
  },
  {
    name: 'v3-auth-key-of-other-length-is-500',
    summary: 'The comparison of keys fails on keys of other lengths.',
    breaks: ['V3-AUTH-06'],
    patch: answered(v3History, 500, isOfOtherLength),
  },
  {
    name: 'v3-auth-missing-key-is-500',
    summary: 'GET /chat without a key is answered with 500.',
    breaks: ['V3-AUTH-06'],
    patch: answered('GET /api/v3/chat', 500, (authorization) => authorization === ''),
  },
  ...([401, 403] as const).flatMap((status): readonly Fault[] => [
    {
      name: `openai-auth-right-key-is-${status}`,
      summary: `POST /chat/completions answers ${status} to the right key.`,
      breaks: ['OAI-AUTH-05'],
      patch: refusesRightKey(completions, status),
    },
    {
      name: `v3-auth-right-key-is-${status}`,
      summary: `POST /message/generate answers ${status} to the right key.`,
      breaks: ['V3-AUTH-05'],
      patch: refusesRightKey(v3Generate, status),
    },
  ]),
]

/** Who is not let in is told so with another status. */
export function answered(
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

export function refusesRightKey(route: RoutePattern, status: number): Patch {
  return onReply(route, (reply, { caller }) =>
    caller === '' ? reply : { status, body: { error: 'Who are you?' } },
  )
}

function isOfOtherLength(authorization: string, key: string): boolean {
  return (bearer(authorization) ?? key).length !== key.length
}
