import { buffering, leak, rules, sameResponse, usage } from './requirement.ts'

/** Sections 2.1, 2.2, 4.1, 7 and 8: the chat-completions-compatible surface, unstreamed answers. */
export const openai = rules({ section: '4.1', needs: ['OAI-CHAT-01'] })({
  'OAI-CHAT-01':
    'POST /chat/completions with a model and messages MUST succeed with a JSON object. (needs OAI-AUTH-05)',
  'OAI-CHAT-02': '2.2 The id of a completion MUST be a string.',
  'OAI-CHAT-03': '2.2 The object member of a completion MUST be chat.completion.',
  'OAI-CHAT-04':
    '2.2 The created member of a completion MUST be an integer, the Unix time in seconds.',
  'OAI-CHAT-05': '2.2 The model member of a completion MUST be a string.',
  'OAI-CHAT-06':
    '2.2 The choices of a completion MUST be an array that contains the answer, and each choice MUST have an integer index.',
  'OAI-CHAT-07':
    '2.2 The message of a choice MUST have a role and a content, both strings. (needs OAI-CHAT-06)',
  'OAI-CHAT-08': '2.2 The finish_reason of a choice MUST be a string. (needs OAI-CHAT-06)',
  'OAI-CHAT-09': [
    '2.2 The usage of a completion MUST have prompt_tokens, completion_tokens and total_tokens, all integers.',
    'The usage of the model is not passed on; add prompt_tokens, completion_tokens and total_tokens to every completion.',
  ],
  'OAI-CHAT-10': [
    '2.2 total_tokens SHOULD be the sum of prompt_tokens and completion_tokens. (needs OAI-CHAT-09)',
    usage,
  ],
  'OAI-CHAT-11': [
    'A non-streamed answer SHOULD have the media type application/json. (C11)',
    'The response has no Content-Type; set Content-Type: application/json.',
  ],
  'OAI-CHAT-12': 'Messages with the role system MUST be accepted together with user messages.',
  'OAI-CHAT-13': [
    'The answer SHOULD use every message, e.g. a fact stated in an earlier one. (needs OAI-CHAT-07)',
    'Only the last message reaches the model; pass all messages in order.',
  ],
  'OAI-CHAT-14': [
    '2.2 Two completions SHOULD have different ids. (needs OAI-CHAT-02)',
    'The id is a constant; generate one for each completion.',
  ],
  'OAI-CHAT-15': '2.2 The role of an answer SHOULD be assistant. (needs OAI-CHAT-07)',
  'OAI-CHAT-16': [
    'An answer SHOULD depend on its own request only, without facts from other requests. (needs OAI-CHAT-07)',
    leak,
  ],
  'OAI-TEMP-01': '8 A temperature from 0 to 2, inclusive, MUST be accepted.',
  'OAI-TEMP-02': [
    '8 A temperature outside 0 to 2 is an invalid parameter: it MUST be answered with 400. (source service, needs OAI-TEMP-01)',
    'The range of temperature is not checked, or errors map to another status; validate 0 to 2 and answer 400.',
  ],
  'OAI-TOPP-01': 'top_p MUST be accepted.',
  'OAI-MAXTOK-01': [
    'An answer MUST NOT have more than max_tokens tokens (completion_tokens). (C8, needs OAI-CHAT-09)',
    'max_tokens is not passed to the model; pass it on, and count with the tokenizer of the model.',
  ],
  'OAI-MAXTOK-02': [
    'An answer cut by max_tokens SHOULD end with the finish_reason length. (C8, needs OAI-MAXTOK-01, OAI-CHAT-08)',
    'finish_reason is always stop; report length if max_tokens ended the answer.',
  ],
  'OAI-STOP-01':
    'With stop as a string, the answer MUST NOT continue after the stop sequence. (C9, needs OAI-CHAT-07)',
  'OAI-STOP-02':
    'With stop as an array, the answer MUST NOT continue after any of its sequences. (C9, needs OAI-CHAT-07)',
  'OAI-STOP-03':
    'The answer SHOULD NOT include the stop sequence itself. (C9, needs OAI-CHAT-07, OAI-STOP-01, OAI-STOP-02)',
  'OAI-STOP-04': [
    'In a stream, stop SHOULD also work if the sequence spans two chunks. (C10, needs OAI-STREAM-04, OAI-STOP-05)',
    'Stop sequences are matched within one chunk; hold back the longest suffix that may begin one.',
  ],
  'OAI-STOP-05':
    'A stream MUST NOT continue after a stop sequence that lies within one chunk. (C9, needs OAI-STREAM-04)',
  'OAI-ERR-01': [
    '7 A body that is not JSON is a bad request: it MUST be answered with 400. (source service)',
    'The JSON parser error maps to another status; answer 400.',
  ],
  'OAI-ERR-02': [
    '7 A listed field of the wrong JSON type is an invalid parameter: it MUST be answered with 400. (source service, needs OAI-CHAT-01, OAI-MAXTOK-01)',
    'Validation errors map to 422, or fields are converted; answer 400 for a field of the wrong type.',
  ],
  'OAI-MODELS-01':
    'GET /models MUST succeed with JSON that names the available models. (needs OAI-AUTH-05)',
  'OAI-MODELS-02': '2.1 Every accepted id of the main model MUST work as model. (source service)',
  'OAI-MODELS-03': '2.1 The vision model MUST work as model. (source service, capability images)',
  'OAI-MODELS-04':
    '2.1 The id and the description of a model catalog entry, if present, MUST be strings. (source service, needs OAI-MODELS-01)',
  'OAI-MODELS-05':
    'The list of models SHOULD be an object of type list whose data is an array of entries with an id. (needs OAI-MODELS-01)',
  'OAI-MODELS-06':
    'GET /models/{model}, if it succeeds, SHOULD return the entry with that id. (needs OAI-MODELS-01)',
})

/** Section 4.1: the chunks of a streamed chat completion. */
export const openaiStream = rules({ section: '4.1', needs: ['OAI-STREAM-01'] })({
  'OAI-STREAM-01':
    'With stream: true the answer MUST arrive as UTF-8 data: blocks of JSON chunks with choices (a final [DONE] and blocks without choices are only observed). (needs OAI-CHAT-01)',
  'OAI-STREAM-02': [
    'A streamed answer SHOULD have the media type text/event-stream. (needs OAI-CHAT-01)',
    'The stream has no Content-Type; set Content-Type: text/event-stream.',
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
    'A streamed answer MUST be complete, however its end is marked: the connection MUST NOT be cut before its end. (needs OAI-CHAT-01)',
    'A proxy timeout, a crash or a deploy closes the connection; raise the read timeout and end the chunked body properly.',
  ],
})

/**
 * Section 4.1 does not list tools, response_format or n, but names the contract that defines them. A server
 * without one of them must refuse it: if it is ignored, a client gets text instead of a call.
 */
export const openaiTools = rules({ section: '4.1', needs: ['OAI-CHAT-07'] })({
  'OAI-TOOL-01':
    'A request with tools and tool_choice required SHOULD be answered with tool_calls, streamed or not, or be refused. (needs OAI-CHAT-06, OAI-CHAT-07, OAI-STREAM-02, OAI-STREAM-04)',
  'OAI-TOOL-02':
    'A tool call SHOULD have an id, the type function, the name of an offered function, and arguments that are JSON in a string. (needs OAI-CHAT-06)',
  'OAI-TOOL-03':
    'The tool_calls fragments of a stream SHOULD concatenate by index to such calls, with id and name in the first fragment of each. (needs OAI-STREAM-01)',
  'OAI-TOOL-04':
    'A tool message with the result of a tool call SHOULD be accepted after that call. (needs OAI-TOOL-02, OAI-CHAT-07, OAI-CHAT-15)',
  'OAI-FORMAT-01':
    'With response_format json_object, a finished answer SHOULD be a JSON object, unless the request is refused.',
  'OAI-FORMAT-02':
    'With response_format json_schema, a finished answer SHOULD be JSON that conforms to the schema, unless the request is refused.',
  'OAI-N-01':
    'A request with n SHOULD be answered with n choices, index 0 to n - 1, or be refused; without n, the only choice SHOULD have the index 0. (needs OAI-CHAT-06)',
})
