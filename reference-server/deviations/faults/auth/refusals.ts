/** Faults of the status that a request with a wrong or a right key gets (section 5). */
import type { Patch } from '../../../parts.ts'
import {
  completions,
  v3Generate,
  v3History,
  modelList,
  onError,
  onReply,
  type RoutePattern,
} from '../../seams.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'
import { bearer } from './mistakes.ts'

export const authRefusalFaults: readonly Fault[] = [
  fault(
    'openai-auth-missing-key-is-403',
    'OAI-AUTH-01',
    'A request without a key is answered with 403.',
    answered(
      completions,
      403,
      (authorization) => bearer(authorization) === undefined && authorization.split(' ').length < 2,
    ),
  ),
  fault(
    'openai-auth-missing-key-is-200',
    'OAI-AUTH-01',
    'GET /models without a key is answered with an error in a 200.',
    answered(modelList, 200, (authorization) => authorization === ''),
  ),
  fault(
    'openai-auth-wrong-key-is-403',
    ['OAI-AUTH-02', 'OAI-AUTH-04'],
    'A request with a wrong key is answered with 403.',
    answered(completions, 403, (authorization) => bearer(authorization) !== undefined),
  ),
  fault(
    'openai-auth-other-scheme-is-400',
    'OAI-AUTH-03',
    'A request with another scheme is answered with 400.',
    answered(modelList, 400, (authorization) => /^(Basic|Token) /.test(authorization)),
  ),
  fault(
    'openai-auth-key-of-other-length-is-500',
    'OAI-AUTH-04',
    'The comparison of keys fails on keys of other lengths.',
    answered(completions, 500, isOfOtherLength),
  ),
  fault(
    'v3-auth-key-of-other-length-is-500',
    'V3-AUTH-06',
    'The comparison of keys fails on keys of other lengths.',
    answered(v3History, 500, isOfOtherLength),
  ),
  fault(
    'v3-auth-missing-key-is-500',
    'V3-AUTH-06',
    'GET /chat without a key is answered with 500.',
    answered('GET /api/v3/chat', 500, (authorization) => authorization === ''),
  ),
  ...([401, 403] as const).flatMap((status) => [
    fault(
      `openai-auth-right-key-is-${status}`,
      'OAI-AUTH-05',
      `POST /chat/completions answers ${status} to the right key.`,
      refusesRightKey(completions, status),
    ),
    fault(
      `v3-auth-right-key-is-${status}`,
      'V3-AUTH-05',
      `POST /message/generate answers ${status} to the right key.`,
      refusesRightKey(v3Generate, status),
    ),
  ]),
]

/** Who is not let in is told so with another status. */
export function answered(
  place: RoutePattern,
  status: number,
  when: (authorization: string, key: string) => boolean,
): Patch {
  return (parts) =>
    onError(
      place,
      (reply) => ({ ...reply, status }),
      ({ caller, headers }) =>
        caller === '' && when(headers.authorization ?? '', parts.keys[0] ?? ''),
    )(parts)
}

export function refusesRightKey(place: RoutePattern, status: number): Patch {
  return onReply(place, (reply, { caller }) =>
    caller === '' ? reply : { status, body: { error: 'Who are you?' } },
  )
}

function isOfOtherLength(authorization: string, key: string): boolean {
  return (bearer(authorization) ?? key).length !== key.length
}
