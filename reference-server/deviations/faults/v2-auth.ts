/** Faults of who is let in on v2 (section 5). */
import type { RequirementId } from '../../../harness/contract/index.ts'
import {
  type Admission,
  answering,
  basicScheme,
  cutKeys,
  keysOfOtherMake,
  letsIn,
  longerKeys,
  message,
  onAuthentication,
  withoutKey,
} from '../native.ts'
import { isAt, onRefusal, type Place } from '../seams.ts'
import type { Fault } from '../types.ts'

export const v2AuthFaults: readonly Fault[] = [
  open('message-without-key', message, 'V2-AUTH-01', withoutKey),
  open('reply-without-key', answering, 'V2-AUTH-01', withoutKey),
  open('message-any-key', message, 'V2-AUTH-02', keysOfOtherMake),
  open('reply-any-key', answering, 'V2-AUTH-02', keysOfOtherMake),
  open('message-basic', message, 'V2-AUTH-03', basicScheme),
  open('reply-basic', answering, 'V2-AUTH-03', basicScheme),
  open('message-cut-key', message, 'V2-AUTH-04', cutKeys),
  open('message-longer-key', message, 'V2-AUTH-04', longerKeys),
  open('reply-cut-key', answering, 'V2-AUTH-04', cutKeys),
  closed('message', message),
  closed('reply', answering),
  {
    name: 'v2-auth-refused-500',
    summary: 'A v2 request that is not let in is answered with a 500.',
    breaks: ['V2-AUTH-06'],
    refit: onRefusal(message, (reply) =>
      reply.status === 401 ? { ...reply, status: 500 } : reply,
    ),
  },
]

function open(name: string, place: Place, row: RequirementId, admits: Admission): Fault {
  return {
    name: `v2-auth-${name}`,
    summary: `${place} lets in who should stay out.`,
    breaks: [row],
    refit: letsIn(place, admits),
  }
}

function closed(name: string, place: Place): Fault {
  return {
    name: `v2-auth-${name}-closed`,
    summary: `${place} takes no bearer token.`,
    breaks: ['V2-AUTH-05'],
    refit: onAuthentication(
      (usual) => (authorization, request) =>
        isAt(place, request) ? undefined : usual(authorization, request),
    ),
  }
}
