import type { Exclusion } from './requirement.ts'

/** Sentences of the document that cannot be tested over HTTP, each with the reason. */
export const exclusions = {
  'X-01': {
    section: '1',
    title: 'The service generates text for chat use with language models.',
    reason:
      'A description of purpose: whether a language model generated a text is not visible on the wire. That a text is generated at all is V3-GEN-02, V2-GEN-01 and OAI-CHAT-07.',
  },
  'X-02': {
    section: '5',
    title:
      'A key for the compatible surface is created in the account of the user, after registration.',
    reason: 'Happens in a web page outside the three surfaces.',
  },
  'X-03': {
    section: '7',
    title: '429 means too many requests.',
    reason:
      'The thresholds are not specified, so no reasonable number of requests is certain to reach them. If it occurs, chatgen obeys and records it.',
  },
  'X-04': {
    section: '7',
    title: '500 means an internal server error.',
    reason: 'No valid request provokes it on purpose.',
  },
  'X-05': {
    section: '7',
    title: '503 means that the service is unavailable.',
    reason: 'No valid request provokes it on purpose. If it occurs, chatgen obeys and records it.',
  },
  'X-06': {
    section: '2.1',
    title: 'The size and purpose of each listed model.',
    reason: 'A description; neither the number of parameters nor a purpose is visible on the wire.',
  },
  'X-07': {
    section: '9',
    title: 'The native API is under development and may change.',
    reason: 'An announcement about the future, not behavior.',
  },
  'X-08': {
    section: '4.2',
    title: 'include_tools of v2 is announced as under development.',
    reason: 'A server may accept or refuse it; both lists at once are V2-GEN-03.',
  },
  'X-09': {
    section: '8',
    title: 'Rate limiting exists.',
    reason: 'Its thresholds are not specified, so its existence cannot be tested (see X-03).',
  },
  'X-10': {
    section: '6',
    title: 'The compatible surface has no other events or callbacks.',
    reason:
      'The absence of a description forbids nothing; unknown blocks of a stream are observed.',
  },
  'X-11': {
    section: '4',
    title: 'Requests with a body send Content-Type: application/json.',
    reason: 'An obligation of the client. chatgen meets it in every request.',
  },
  'X-12': {
    section: '4.3',
    title: 'An Idempotency-Key is unique per user turn.',
    reason: 'An obligation of the client. chatgen meets it in every request except repeats.',
  },
  'X-13': {
    section: '2.1',
    title: 'An introductory sentence.',
    reason:
      'Specifies nothing itself; the sentences that it introduces have requirements of their own.',
  },
  'X-14': {
    section: '4.2',
    title: 'think enables reasoning for a v2 reply and is off by default.',
    reason:
      'Only message.content of a v2 reply is specified, and it need not contain the reasoning. Acceptance of the field is V2-MSG-12.',
  },
} as const satisfies Record<string, Exclusion>
