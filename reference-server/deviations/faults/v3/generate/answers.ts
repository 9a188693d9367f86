/** Faults of the response of v3 generations (sections 2.6 and 4.3). */
import type { Patch } from '../../../../services.ts'
import { setAt, toList } from '../../../patches/json.ts'
import { onEachBlock, onSuccessBody, setField } from '../../../patches/replies.ts'
import { onRequestBody } from '../../../patches/requests.ts'
import { v3Generate } from '../../../patches/routes.ts'
import { compose } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

const setInResponse = (path: string, to: unknown): Patch => setField(v3Generate, path, to)

const fixedId = 'resp_1'

export const generateAnswerFaults: readonly Fault[] = [
  {
    name: 'v3-response-wrapped',
    summary: 'The response object of a non-streaming response is nested in response.',
    breaks: ['V3-GEN-01'],
    patch: onSuccessBody(v3Generate, (response) => ({ type: 'response.completed', response })),
  },
  {
    name: 'v3-response-in-a-list',
    summary: 'The response object is returned as the single element of an array.',
    breaks: ['V3-GEN-01'],
    patch: onSuccessBody(v3Generate, (response) => [response]),
  },
  {
    name: 'v3-response-text-alone',
    summary: 'The body of a non-streaming response is a string instead of a response object.',
    breaks: ['V3-GEN-01'],
    patch: onSuccessBody(v3Generate, (response) => JSON.stringify(response['output'])),
  },
  {
    name: 'v3-response-streamed-unasked',
    summary: 'A generation with stream: false returns a stream.',
    breaks: ['V3-GEN-01'],
    patch: onRequestBody(v3Generate, (body) => ({ ...body, stream: true })),
  },
  {
    name: 'v3-response-accepted-for-later',
    summary: 'The body of a non-streaming response contains only an id and the status queued.',
    breaks: ['V3-GEN-01'],
    patch: onSuccessBody(v3Generate, ({ id }) => ({ id, status: 'queued' })),
  },
  {
    name: 'v3-output-missing',
    summary: 'The response object omits output.',
    breaks: ['V3-GEN-02'],
    patch: setInResponse('output', undefined),
  },
  {
    name: 'v3-output-empty',
    summary: 'The output of the response object is empty.',
    breaks: ['V3-GEN-02'],
    patch: setInResponse('output', []),
  },
  {
    name: 'v3-output-single',
    summary: 'output is a single item instead of an array.',
    breaks: ['V3-GEN-02'],
    patch: setInResponse('output', (output: unknown) => toList(output)[0]),
  },
  {
    name: 'v3-output-untyped',
    summary: 'The items of output omit type.',
    breaks: ['V3-GEN-02'],
    patch: setInResponse('output.*.type', undefined),
  },
  {
    name: 'v3-output-text-for-content',
    summary: 'The content of an output message is a string instead of an array of parts.',
    breaks: ['V3-GEN-02'],
    patch: setInResponse('output.*.content', (content: unknown) => toList(content)[0]?.['text']),
  },
  {
    name: 'v3-response-times-as-text',
    summary: 'The created_at of a non-streaming response is an ISO 8601 string.',
    breaks: ['V3-GEN-03'],
    patch: setInResponse('created_at', (at: unknown) => new Date(Number(at) * 1000).toISOString()),
  },
  {
    name: 'v3-response-numbers-as-text',
    summary: 'The temperature of a non-streaming response is a string.',
    breaks: ['V3-GEN-03'],
    patch: setInResponse('temperature', String),
  },
  {
    name: 'v3-response-without-usage',
    summary: 'A non-streaming response omits usage.',
    breaks: ['V3-GEN-04'],
    patch: setInResponse('usage', undefined),
  },
  {
    name: 'v3-response-with-a-status-code',
    summary: 'A non-streaming response has an additional member status_code.',
    breaks: ['V3-GEN-04'],
    patch: setInResponse('status_code', 200),
  },
  {
    name: 'v3-usage-total-off-by-one',
    summary: 'The total_tokens of a non-streaming response are too high by one.',
    breaks: ['V3-GEN-12'],
    patch: setInResponse('usage.total_tokens', (total: unknown) => Number(total) + 1),
  },
  {
    name: 'v3-usage-cached-beyond-input',
    summary: 'The cached_tokens of a non-streaming response exceed input_tokens.',
    breaks: ['V3-GEN-12'],
    patch: setInResponse('usage.input_tokens_details.cached_tokens', 1_000_000),
  },
  {
    name: 'v3-usage-reasoning-beyond-output',
    summary: 'The reasoning_tokens of a non-streaming response exceed output_tokens.',
    breaks: ['V3-GEN-12'],
    patch: setInResponse('usage.output_tokens_details.reasoning_tokens', 1_000_000),
  },
  {
    name: 'v3-response-id-fixed',
    summary: 'All responses have the same id.',
    breaks: ['V3-GEN-15'],
    patch: fixResponseId(),
  },
]

/** Applies to both forms; as parent_id, the id refers to the last run of its chat. */
function fixResponseId(): Patch {
  return compose([
    onRequestBody(v3Generate, (body) =>
      setAt(body, 'parent_id', (id: unknown) => (id === fixedId ? null : id)),
    ),
    setInResponse('id', fixedId),
    onEachBlock(v3Generate, (event) => [setAt(event, 'response.id', fixedId)]),
  ])
}
