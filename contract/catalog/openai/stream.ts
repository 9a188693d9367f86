import { buffering, rules, sameResponse } from '../requirement.ts'

/** Section 4.1: the chunks of a streamed chat completion. */
export const openaiStream = rules({ section: '4.1', needs: ['OAI-STREAM-01'] })({
  'OAI-STREAM-01':
    'With stream: true the answer MUST arrive as UTF-8 data: blocks of JSON chunks with choices (a final [DONE] and blocks without choices are only observed). (needs OAI-CHAT-01)',
  'OAI-STREAM-02': [
    'A streamed answer SHOULD have the media type text/event-stream. (needs OAI-CHAT-01)',
    'The stream is written without a type; set Content-Type: text/event-stream.',
  ],
  'OAI-STREAM-03': 'choices[0].delta.content, if present and not null, MUST be a string. (C7)',
  'OAI-STREAM-04':
    'The text of a streamed answer MUST arrive in choices[0].delta.content. (needs OAI-STREAM-01, OAI-STREAM-03)',
  'OAI-STREAM-05':
    'id, created and model SHOULD be the same in all chunks of a stream, and object SHOULD be chat.completion.chunk. (C1)',
  'OAI-STREAM-06':
    'The first delta of each choice SHOULD have the role assistant, and no delta SHOULD have another role. (C2, needs OAI-STREAM-04)',
  'OAI-STREAM-07':
    'Each choice SHOULD get exactly one finish_reason, and no content after it. (C3)',
  'OAI-STREAM-08': [
    'A usage chunk SHOULD be sent only on request, exactly once, after all choices, with empty choices. (C5)',
    'Usage is added to every chunk, or sent without stream_options.include_usage; send it on request in one last chunk with empty choices.',
  ],
  'OAI-STREAM-09': [
    'A stream SHOULD end with data: [DONE], exactly once and last, and close cleanly. (C6, needs OAI-STREAM-01, OAI-STREAM-12)',
    'The handler returns without the end-of-stream marker; write data: [DONE] once, then close.',
  ],
  'OAI-STREAM-10': [
    'On a deterministic target the streamed text MUST equal the non-streamed text. (C4, member deterministic, needs OAI-STREAM-04, OAI-CHAT-07)',
    sameResponse,
  ],
  'OAI-STREAM-11': [
    'Chunks SHOULD arrive while the answer is generated, not all at its end. (needs OAI-STREAM-04)',
    buffering,
  ],
  'OAI-STREAM-12': [
    'A streamed answer MUST be complete, however its end is marked: the connection MUST NOT be cut before. (needs OAI-CHAT-01)',
    'A proxy timeout, a crash or a deploy closes the connection; raise the read timeout and end the chunked body properly.',
  ],
})
