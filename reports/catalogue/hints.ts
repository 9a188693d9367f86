import { areaOf } from '../../contract/index.ts'

/**
 * The usual cause of a violation and its fix, in one sentence; null where none is known. Experience, not
 * evidence: reports mark it as likely.
 */
export function hintFor(id: string): string | null {
  return byId[id] ?? byArea[areaOf(id)] ?? null
}

const noKeyCheck =
  'The route runs before the authentication middleware, or the middleware lets unknown credentials pass; reject the request before any handler runs.'
const prefixCompare =
  'Keys are compared with startsWith, or only up to the length of the shorter one; compare whole keys, in constant time.'
const otherScheme =
  'The scheme of the Authorization header is not checked; accept Bearer only and treat any other scheme as a missing key.'
const bearer =
  'The key is expected in another header, or the scheme is compared case-sensitively; accept Authorization: Bearer.'
const authError =
  'The error path of authentication throws; answer 401 or 403 with a body instead of letting the exception become a 5xx.'
const wrongType =
  'Input is converted or used without validation; validate the JSON type of every field and answer with a 4xx.'
const fiveHundred =
  'An exception for invalid input is not caught; validate the request first and answer with a 4xx.'
const buffering =
  'The server or a proxy buffers the response; flush after every event and disable response buffering (nginx: proxy_buffering off).'
const cursor =
  'The cursor is ignored, an offset, or not unique among equal sort keys; continue after the last row by a unique, stable key.'
const memory =
  'Earlier messages are not part of the prompt; build the prompt from the whole chain of the chat.'
const leak = 'A cache or a session is shared between chats; key all state by chat id.'
const twiceStep =
  'The Idempotency-Key is not stored, or only after the run has ended; store key and run atomically before the generation starts, and answer a repeat from it.'
const chunks =
  'The server writes its own event shape, or a gateway rewrites the chunks; send chat.completion.chunk objects as data: lines.'
const sameResponse =
  'Stream and body are built by separate code; build both from one response object.'
const eventOrder =
  'Events are sent as the model produces them, without the frame around them; emit the added event before the first delta and the done events after the last.'
const indexes =
  'Indexes are omitted when they are 0, or counted over the whole stream; always send them, counted within their parent.'
const usage = 'Token counts come from several places; compute total from the counts that are sent.'
const versionCheck =
  'The handler does not check the version of the chat; compare it first and answer with an error that names the other prefix.'

const byId: Readonly<Record<string, string>> = {
  'OAI-AUTH-03': otherScheme,
  'OAI-AUTH-04': prefixCompare,
  'OAI-AUTH-05': bearer,
  'V2-AUTH-03': otherScheme,
  'V2-AUTH-04': prefixCompare,
  'V2-AUTH-05': bearer,
  'V2-AUTH-06': authError,
  'V3-AUTH-03': otherScheme,
  'V3-AUTH-04': prefixCompare,
  'V3-AUTH-05': bearer,
  'V3-AUTH-06': authError,
  'OAI-CHAT-09':
    'The usage of the model is not passed on; add prompt_tokens, completion_tokens and total_tokens to every completion.',
  'OAI-CHAT-10': usage,
  'OAI-CHAT-11': 'The response is written without a type; set Content-Type: application/json.',
  'OAI-CHAT-13': 'Only the last message reaches the model; pass all messages in order.',
  'OAI-CHAT-14': 'The id is a constant; generate one for each completion.',
  'OAI-CHAT-16': leak,
  'OAI-TEMP-02':
    'The range of temperature is not checked, or errors map to another status; validate 0 to 2 and answer 400.',
  'OAI-MAXTOK-01':
    'max_tokens is not passed to the model; pass it on, and count with the tokenizer of the model.',
  'OAI-MAXTOK-02': 'finish_reason is always stop; report length where max_tokens ended the answer.',
  'OAI-STOP-04':
    'Stop sequences are matched within one chunk; hold back the longest suffix that may begin one.',
  'OAI-ERR-01': 'The JSON parser error maps to another status; answer 400.',
  'OAI-ERR-02':
    'Validation errors map to 422, or fields are converted; answer 400 for a field of the wrong type.',
  'OAI-STREAM-02': 'The stream is written without a type; set Content-Type: text/event-stream.',
  'OAI-STREAM-08':
    'Usage is added to every chunk, or sent without stream_options.include_usage; send it on request in one last chunk with empty choices.',
  'OAI-STREAM-09':
    'The handler returns without the end-of-stream marker; write data: [DONE] once, then close.',
  'OAI-STREAM-10': sameResponse,
  'OAI-STREAM-11': buffering,
  'OAI-STREAM-12':
    'A proxy timeout, a crash or a deploy closes the connection; raise the read timeout and end the chunked body properly.',
  'V2-MSG-02': 'The id is a number or a prefixed string; use a UUID.',
  'V2-MSG-07': 'The timestamp is local time or a number; format it as ISO 8601 in UTC.',
  'V2-MSG-08': 'Missing members get defaults; require chat_id, content and model_id.',
  'V2-MSG-09': wrongType,
  'V2-MSG-11': memory,
  'V2-MSG-15': fiveHundred,
  'V2-GEN-05': wrongType,
  'V2-CTX-01': memory,
  'V2-CTX-02': leak,
  'V3-CHAT-06': 'Search matches the whole name or is case-sensitive; match the beginning of words.',
  'V3-CHAT-07': 'limit is ignored; cap the page at it.',
  'V3-CHAT-08': cursor,
  'V3-CHAT-11': 'The chat is only marked as deleted; exclude it from lists, reads and history.',
  'V3-CHAT-13':
    'The update has no condition on the chat id, or shares an object; limit it to the one chat.',
  'V3-CHAT-14': wrongType,
  'V3-HIST-06': sameResponse,
  'V3-HIST-08': 'Another default page size is configured; use 50.',
  'V3-HIST-09': 'limit is ignored; cap the page at it.',
  'V3-HIST-10': cursor,
  'V3-HIST-11': 'A cursor is returned for the last page; return null.',
  'V3-HIST-12': cursor,
  'V3-HIST-13': cursor,
  'V3-HIST-14': cursor,
  'V3-HIST-15': 'The order has ties; sort by a unique key.',
  'V3-HIST-16': leak,
  'V3-GEN-03': sameResponse,
  'V3-GEN-04': sameResponse,
  'V3-GEN-12': usage,
  'V3-GEN-13': fiveHundred,
  'V3-GEN-14': 'The step is stored before the request is validated; validate first.',
  'V3-GEN-15': 'The id is a constant; generate one for each response.',
  'V3-GEN-16': 'Only the last item of input reaches the model; pass all items in order.',
  'V3-GEN-17': wrongType,
  'V3-CTX-01': memory,
  'V3-CTX-02': leak,
  'V3-IDEM-01':
    'The header is optional in the handler; reject a generation without it before anything is stored.',
  'V3-IDEM-06': 'The key is parsed, for example as a UUID; accept any string.',
  'V3-IDEM-07': 'Requests are also deduplicated by their body; use the key alone.',
  'V3-IDEM-08':
    'A repeat hits a unique constraint; look the key up first and answer from the stored run.',
  'V3-THINK-01':
    'think is not passed to the model, or reasoning is mixed into the text; send it as reasoning_text events.',
  'V3-THINK-02': 'Reasoning is also appended to the text; keep the two apart.',
  'V3-SSE-01':
    'The stream is written without a type, or with another status; answer 200 with Content-Type: text/event-stream.',
  'V3-SSE-02':
    'Blocks lack the event: line, or a proxy inserts other text; write one event: line and data: lines for each event.',
  'V3-SSE-06': 'Events have no counter; number them from 0 in the one place that writes them.',
  'V3-SSE-07':
    'Several writers number events, or a retry restarts the counter; number them in the one place that writes them.',
  'V3-SSE-08':
    'Error handling writes a second end, or the connection closes before the first; end every stream in one place.',
  'V3-SSE-09':
    'The stream ends after its last delta; send response.completed with the final response.',
  'V3-SSE-10': 'The id is generated again for every event; generate it once for each response.',
  'V3-SSE-11':
    'created_at or model are computed again for every event; keep them with the response.',
  'V3-SSE-12': eventOrder,
  'V3-SSE-13': eventOrder,
  'V3-SSE-14': indexes,
  'V3-SSE-15': indexes,
  'V3-SSE-16': indexes,
  'V3-SSE-17':
    'Deltas are trimmed, lost or sent twice; collect the final text from the deltas that are sent.',
  'V3-SSE-18':
    'Done events and the final response are built from other text than the deltas; build all from one buffer.',
  'V3-SSE-19': sameResponse,
  'V3-SSE-22': usage,
  'V3-SSE-24':
    'The model always reasons; drop its reasoning where the request does not ask for it.',
  'V3-SSE-26': 'Text is cut between bytes of one character; decode and encode whole characters.',
  'V3-SSE-27': 'Text is cut between UTF-16 code units; cut between characters.',
  'V3-SSE-29':
    'The end-of-stream marker of the compatible surface is reused; end with the terminal event.',
  'V3-SSE-30': buffering,
  'V3-ONE-03': 'One-shot shares the check of generate; do not require the header here.',
  'V3-ONE-05': memory,
  'V3-ONE-09': 'One-shot creates a chat internally that is listed; do not store one.',
  'V3-ONE-11': leak,
  'V3-ONE-12': wrongType,
  'VER-10': fiveHundred,
  'V3-ATT-07': 'The chat_id filter is ignored; apply it in the query.',
  'V3-ATT-10': cursor,
  'V3-ATT-11': 'The list is not limited to the owner; filter by the caller of the request.',
  'KB-03':
    'Documents are indexed later than a search, or not at all; index before the upload is answered, or raise limits.settleMs in the target profile.',
}

const byArea: Readonly<Record<string, string>> = {
  'OAI-AUTH': noKeyCheck,
  'V2-AUTH': noKeyCheck,
  'V3-AUTH': noKeyCheck,
  'OAI-CHAT':
    'A member of the completion is missing or has another type; compare the body in the evidence with section 2.2.',
  'OAI-STOP':
    'stop is not passed to the model, or only in one of its two forms; pass it on and cut the text at the first sequence.',
  'OAI-MODELS': 'The list and the router use separate tables; serve both from one model catalog.',
  'V2-MODEL': 'The router does not know an alias; resolve ids and aliases from one model catalog.',
  'V3-MODEL': 'The router does not know an alias; resolve ids and aliases from one model catalog.',
  'OAI-STREAM': chunks,
  'OAI-TOOL': 'tools are dropped or the calls are rewritten by a gateway; pass both on unchanged.',
  'OAI-FORMAT': 'response_format is ignored; pass it to the model, or reject the request.',
  'OAI-N': 'n is ignored; return n choices, or reject the request.',
  'V2-RAG':
    'The modes of rag are not distinguished; search before the answer only where it is true.',
  RAG: 'The modes of rag are not distinguished; search before the answer only where it is true or an object.',
  'V3-TOOLS':
    'The tool lists are applied to the prompt only; filter the tools that the model may call.',
  'V3-IDEM': twiceStep,
  'V3-SSE': eventOrder,
  VER: versionCheck,
}
