/** Faults of the validation, status and response of v3 generations (sections 2.6 and 4.3). */
import type { Call } from '../../../../http/call.ts'
import type { Patch } from '../../../../services.ts'
import { type Fields, isText, type Json, setAt, toList, toObject } from '../../../patches/json.ts'
import {
  onEachBlock,
  onError,
  onReply,
  onSuccessBody,
  setFields,
} from '../../../patches/replies.ts'
import { idOf, mendField, onRequest, onRequestBody } from '../../../patches/requests.ts'
import { v3Generate } from '../../../patches/routes.ts'
import { compose } from '../../../patches/services.ts'
import type { Fault } from '../../../table.ts'
import { faultTable } from '../../../table.ts'

const setInResponse = (fields: Fields): Patch => setFields(v3Generate, fields)

const fixedId = 'resp_1'
export const generateAnswerFaults: readonly Fault[] = [
  ...faultTable({
    'V3-GEN-01': {
      'v3-response-wrapped: The response object of a non-streaming response is nested in response.':
        onSuccessBody(v3Generate, (response) => ({ type: 'response.completed', response })),
      'v3-response-streamed-unasked: A generation with stream: false returns a stream.':
        onRequestBody(v3Generate, (body) => ({ ...body, stream: true })),
      'v3-response-accepted-for-later: The body of a non-streaming response contains only an id and the status queued.':
        onSuccessBody(v3Generate, ({ id }) => ({ id, status: 'queued' })),
    },
    'V3-GEN-02': {
      'v3-output-empty: The output of the response object is empty.': setInResponse({ output: [] }),
      'v3-output-text-for-content: The content of an output message is a string instead of an array of parts.':
        setInResponse({ 'output.*.content': (content: unknown) => toList(content)[0]?.['text'] }),
    },
    'V3-GEN-03': {
      'v3-response-times-as-text: The created_at of a non-streaming response is an ISO 8601 string.':
        setInResponse({ created_at: (at: unknown) => new Date(Number(at) * 1000).toISOString() }),
    },
    'V3-GEN-04': {
      'v3-response-without-usage: A non-streaming response omits usage.': setInResponse({
        usage: undefined,
      }),
      'v3-response-with-a-status-code: A non-streaming response has an additional member status_code.':
        setInResponse({ status_code: 200 }),
    },
    'V3-GEN-12': {
      'v3-usage-total-off-by-one: The total_tokens of a non-streaming response are too high by one.':
        setInResponse({ 'usage.total_tokens': (total: unknown) => Number(total) + 1 }),
      'v3-usage-cached-beyond-input: The cached_tokens of a non-streaming response exceed input_tokens.':
        setInResponse({ 'usage.input_tokens_details.cached_tokens': 1_000_000 }),
      'v3-usage-reasoning-beyond-output: The reasoning_tokens of a non-streaming response exceed output_tokens.':
        setInResponse({ 'usage.output_tokens_details.reasoning_tokens': 1_000_000 }),
    },
    'V3-GEN-15': {
      'v3-response-id-fixed: All responses have the same id.': fixResponseId(),
    },
    'V3-GEN-13': {
      'v3-missing-key-crashes: A generation without Idempotency-Key returns 500.': crash(
        ({ headers }) => headers['idempotency-key'] === undefined,
      ),
      'v3-wrong-type-crashes: A generation with a non-numeric temperature returns 500.': crash(
        ({ body }) => typeof (toObject(body)['temperature'] ?? 1) !== 'number',
      ),
    },
    'V3-GEN-14': {
      'v3-refuses-missing-key-and-stores: A generation without Idempotency-Key is rejected after the step is stored.':
        compose([
          generateMissingKey(),
          rejectAfterSuccess(({ headers }) => headers['idempotency-key'] === undefined),
        ]),
    },
    'V3-GEN-17': {
      'v3-chat-id-of-any-type: A generation with chat_id of the wrong type is accepted.': mendField(
        v3Generate,
        'chat_id',
        isText,
        idOf,
      ),
    },
  }),
]
/** Applies to both forms; as parent_id, the id refers to the last run of its chat. */
function fixResponseId(): Patch {
  return compose([
    onRequestBody(v3Generate, (body) =>
      setAt(body, 'parent_id', (id: unknown) => (id === fixedId ? null : id)),
    ),
    setInResponse({ id: fixedId }),
    onEachBlock(v3Generate, (event) => [setAt(event, 'response.id', fixedId)]),
  ])
}

/** Generates a missing Idempotency-Key for each request. */
export function generateMissingKey(when: (body: Json) => boolean = () => true): Patch {
  return onRequest(v3Generate, (call) =>
    when(toObject(call.body))
      ? { ...call, headers: { 'idempotency-key': call.id, ...call.headers } }
      : call,
  )
}

function crash(when: (call: Call) => boolean): Patch {
  return onError(
    v3Generate,
    (reply) => ({ ...reply, status: 500 }),
    (call) => call.caller !== '' && when(call),
  )
}

/** Performs a generation and answers with an error. */
function rejectAfterSuccess(when: (call: Call) => boolean): Patch {
  return onReply(v3Generate, (reply, call) =>
    call.caller !== '' && when(call)
      ? { status: 400, body: { error: { message: 'Not like this' } } }
      : reply,
  )
}
