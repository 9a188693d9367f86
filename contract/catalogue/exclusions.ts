import type { Exclusion } from './requirement.ts'

/** Sentences that no conversation over HTTP can show, each with the reason. */
export const exclusions = {
  'X-01': {
    section: '1',
    title: 'The service generates text for chat use with language models.',
    reason:
      'A description of purpose: whether a language model made a text is not visible on the wire. That a text is generated at all is V3-GEN-02, V2-GEN-01 and OAI-CHAT-07.',
  },
  'X-02': {
    section: '5',
    title:
      'A key for the compatible surface is made in the account of the user, after registration.',
    reason: 'Happens in a web page outside the three surfaces.',
  },
  'X-03': {
    section: '7',
    title: '429 means too many requests.',
    reason:
      'The thresholds are not shown, so no polite number of requests provokes it. Where it occurs it is obeyed and recorded.',
  },
  'X-04': {
    section: '7',
    title: '500 means an internal server error.',
    reason: 'No legal request provokes it on purpose.',
  },
  'X-05': {
    section: '7',
    title: '503 means that the service is unavailable.',
    reason: 'No legal request provokes it on purpose. Where it occurs it is obeyed and recorded.',
  },
  'X-06': {
    section: '2.1',
    title: 'The size and purpose of each listed model.',
    reason: 'A description; neither the number of parameters nor a purpose is visible on the wire.',
  },
  'X-07': {
    section: '9',
    title: 'The native API is under development and may change.',
    reason: 'An announcement about the future, not behaviour.',
  },
  'X-08': {
    section: '4.2',
    title: 'include_tools of v2 is announced as under development.',
    reason: 'Refusing it alone is legal and accepting it is legal; both at once is V2-GEN-03.',
  },
  'X-09': {
    section: '8',
    title: 'Rate limiting exists.',
    reason: 'Its thresholds are not shown, so that it exists cannot be shown either (see X-03).',
  },
  'X-10': {
    section: '6',
    title: 'The compatible surface has no other events or callbacks.',
    reason:
      'That something is not described forbids nothing; unknown blocks of a stream are observed.',
  },
  'X-11': {
    section: '4',
    title: 'Requests with a body send Content-Type: application/json.',
    reason: 'An obligation of the client. The kit keeps it in every request.',
  },
  'X-12': {
    section: '4.3',
    title: 'An Idempotency-Key is unique per user turn.',
    reason: 'An obligation of the client. The kit keeps it in every request but the repeats.',
  },
  'X-13': {
    section: '2.1',
    title: 'A sentence that only introduces others.',
    reason: 'States nothing of its own; what it introduces has rows of its own.',
  },
  'X-14': {
    section: '4.2',
    title: 'think turns the reasoning of a v2 reply on, and is off by default.',
    reason:
      'Of a v2 reply only message.content is shown, and reasoning need not be in it. That the field is taken is V2-MSG-12.',
  },
} as const satisfies Record<string, Exclusion>
