import { buffering, eventOrder, indexes, rules, sameResponse, usage } from '../requirement.ts'

/** Section 6: the events of a streamed response, with the Responses-style contract behind them. */
export const v3Stream = rules({ section: '6', needs: ['V3-SSE-01'] })({
  'V3-SSE-01': [
    '4.3 With stream: true the reply MUST be a 200 with the media type text/event-stream. (R1, needs V3-CHAT-01)',
    'The stream has no Content-Type, or another status; answer 200 with Content-Type: text/event-stream.',
  ],
  'V3-SSE-02': [
    'Every block of the stream, except a final data: [DONE], MUST have one event: line and data: lines that contain a JSON object. (R2)',
    'Blocks lack the event: line, or a proxy inserts other text; write one event: line and data: lines for each event.',
  ],
  'V3-SSE-03':
    'The type in the data of an event, if present, MUST equal the name of the event. (R3, needs V3-SSE-02)',
  'V3-SSE-04': 'The data of every event SHOULD have a type. (R3)',
  'V3-SSE-05': 'The first event MUST be response.created, and it MUST occur exactly once. (R4)',
  'V3-SSE-06': [
    'Every event SHOULD have a sequence_number, an integer. (R5)',
    'Events have no counter; number them from 0 in the one place that writes them.',
  ],
  'V3-SSE-07': [
    'sequence_number SHOULD increase strictly. (R6)',
    'Several writers number events, or a retry restarts the counter; number them in the one place that writes them.',
  ],
  'V3-SSE-08': [
    'A stream MUST have exactly one terminal event (response.failed may follow error), nothing but [DONE] after it, and end cleanly. (R8)',
    'Error handling writes a second terminal event, or the connection closes before the first; end every stream in one place.',
  ],
  'V3-SSE-09': [
    'A generation that succeeds and is not truncated MUST end with response.completed, which contains the final response. (R8)',
    'The stream ends after its last delta; send response.completed with the final response.',
  ],
  'V3-SSE-10': [
    'The id of the response MUST be the same in every event that contains it. (R9)',
    'The id is generated again for every event; generate it once for each response.',
  ],
  'V3-SSE-11': [
    'created_at and model SHOULD be the same in every event that contains the response. (R9)',
    'created_at or model is computed again for every event; store both with the response.',
  ],
  'V3-SSE-12': [
    'response.output_item.added MUST come before the first delta of the answer. (R10)',
    eventOrder,
  ],
  'V3-SSE-13': [
    'Items and parts SHOULD be added, filled and completed in the order of the contract. (R10, needs V3-SSE-12)',
    eventOrder,
  ],
  'V3-SSE-14': [
    'output_index SHOULD count up without gaps and always refer to the same item. (R11, needs V3-SSE-12)',
    indexes,
  ],
  'V3-SSE-15': [
    'Indexes SHOULD be present in every event that has them in the contract, including index 0. (R12)',
    indexes,
  ],
  'V3-SSE-16': ['content_index and summary_index SHOULD start at 0 in each item. (R13)', indexes],
  'V3-SSE-17': [
    'The concatenated response.output_text.delta of a stream MUST equal the text of its final response. (R14, needs V3-SSE-02, V3-SSE-08, V3-SSE-09, V3-SSE-25, V3-SSE-26)',
    'Deltas are trimmed, lost or sent twice; build the final text from the deltas that are sent.',
  ],
  'V3-SSE-18': [
    'Deltas, done events, parts, items and the final response SHOULD agree with each other. (R14, needs V3-SSE-12, V3-SSE-17, V3-SSE-24)',
    'Done events and the final response are not built from the text of the deltas; build all of them from one buffer.',
  ],
  'V3-SSE-19': [
    'The output of the final response SHOULD be the completed items, in order. (R15)',
    sameResponse,
  ],
  'V3-SSE-20':
    'Items SHOULD be added with the status in_progress and completed with a final status; a completed response contains completed items. (R16)',
  'V3-SSE-21':
    'The status, error and incomplete_details of a response SHOULD agree with its event. (R17)',
  'V3-SSE-22': [
    'The usage of a streamed response SHOULD add up: total = input + output, cached ≤ input, reasoning ≤ output. (R18)',
    usage,
  ],
  'V3-SSE-23': 'The arguments of a completed function_call SHOULD be JSON. (R19)',
  'V3-SSE-24': [
    'response.reasoning_text.delta MUST NOT occur without think. (R20)',
    'The model always reasons; drop its reasoning if the request does not ask for it.',
  ],
  'V3-SSE-25': 'The delta of a text or reasoning event MUST be a string. (R21)',
  'V3-SSE-26': [
    'The bytes of the stream MUST be UTF-8. (R21)',
    'Text is cut between bytes of one character; decode and encode whole characters.',
  ],
  'V3-SSE-27': [
    'A delta SHOULD NOT contain half of a surrogate pair. (R21)',
    'Text is cut between UTF-16 code units; cut between characters.',
  ],
  'V3-SSE-28':
    'Annotations SHOULD lie within the text, and the completed part SHOULD list the announced ones. (R24)',
  'V3-SSE-29': [
    'A stream SHOULD NOT end with data: [DONE]; if it does, [DONE] SHOULD occur once, at the end. (R8)',
    'The end-of-stream marker of the compatible surface is reused; end with the terminal event.',
  ],
  'V3-SSE-30': [
    'Events SHOULD arrive while the answer is generated, not all at its end. (needs V3-SSE-25)',
    buffering,
  ],
})
