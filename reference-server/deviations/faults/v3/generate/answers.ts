/** Faults of the response of v3 generations (sections 2.6 and 4.3). */
import type { Patch } from '../../../../services.ts'
import { type Fields, setAt, toList } from '../../../patches/json.ts'
import { onEachBlock, onSuccessBody, setFields } from '../../../patches/replies.ts'
import { onRequestBody } from '../../../patches/requests.ts'
import { v3Generate } from '../../../patches/routes.ts'
import { compose } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'

const setInResponse = (fields: Fields): Patch => setFields(v3Generate, fields)

const fixedId = 'resp_1'

export const generateAnswerFaults = faultTable({
  'V3-GEN-01': {
    'v3-response-wrapped: The response object of a non-streaming response is nested in response.':
      onSuccessBody(v3Generate, (response) => ({ type: 'response.completed', response })),
    'v3-response-in-a-list: The response object is returned as the single element of an array.':
      onSuccessBody(v3Generate, (response) => [response]),
    'v3-response-text-alone: The body of a non-streaming response is a string instead of a response object.':
      onSuccessBody(v3Generate, (response) => JSON.stringify(response['output'])),
    'v3-response-streamed-unasked: A generation with stream: false returns a stream.':
      onRequestBody(v3Generate, (body) => ({ ...body, stream: true })),
    'v3-response-accepted-for-later: The body of a non-streaming response contains only an id and the status queued.':
      onSuccessBody(v3Generate, ({ id }) => ({ id, status: 'queued' })),
  },
  'V3-GEN-02': {
    'v3-output-missing: The response object omits output.': setInResponse({ output: undefined }),
    'v3-output-empty: The output of the response object is empty.': setInResponse({ output: [] }),
    'v3-output-single: output is a single item instead of an array.': setInResponse({
      output: (output: unknown) => toList(output)[0],
    }),
    'v3-output-untyped: The items of output omit type.': setInResponse({
      'output.*.type': undefined,
    }),
    'v3-output-text-for-content: The content of an output message is a string instead of an array of parts.':
      setInResponse({ 'output.*.content': (content: unknown) => toList(content)[0]?.['text'] }),
  },
  'V3-GEN-03': {
    'v3-response-times-as-text: The created_at of a non-streaming response is an ISO 8601 string.':
      setInResponse({ created_at: (at: unknown) => new Date(Number(at) * 1000).toISOString() }),
    'v3-response-numbers-as-text: The temperature of a non-streaming response is a string.':
      setInResponse({ temperature: String }),
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
})

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
