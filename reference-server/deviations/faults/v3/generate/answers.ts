/** Faults of what a v3 generation answers with (sections 2.6 and 4.3). */
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
    summary: 'In one piece, too, the response is under response, as in the stream.',
    breaks: ['V3-GEN-01'],
    patch: onSuccessBody(v3Generate, (response) => ({ type: 'response.completed', response })),
  },
  {
    name: 'v3-response-in-a-list',
    summary: 'The response comes as the one element of an array.',
    breaks: ['V3-GEN-01'],
    patch: onSuccessBody(v3Generate, (response) => [response]),
  },
  {
    name: 'v3-response-text-alone',
    summary: 'The answer is its text in JSON.',
    breaks: ['V3-GEN-01'],
    patch: onSuccessBody(v3Generate, (response) => JSON.stringify(response['output'])),
  },
  {
    name: 'v3-response-streamed-unasked',
    summary: 'stream: false is answered with a stream.',
    breaks: ['V3-GEN-01'],
    patch: onRequestBody(v3Generate, (body) => ({ ...body, stream: true })),
  },
  {
    name: 'v3-response-accepted-for-later',
    summary: 'The answer is a 202 with the id of a run that goes on.',
    breaks: ['V3-GEN-01'],
    patch: onSuccessBody(v3Generate, ({ id }) => ({ id, status: 'queued' })),
  },
  {
    name: 'v3-output-missing',
    summary: 'A response has no output.',
    breaks: ['V3-GEN-02'],
    patch: setInResponse('output', undefined),
  },
  {
    name: 'v3-output-empty',
    summary: 'The output of a response is empty.',
    breaks: ['V3-GEN-02'],
    patch: setInResponse('output', []),
  },
  {
    name: 'v3-output-single',
    summary: 'output is the only item in place of an array.',
    breaks: ['V3-GEN-02'],
    patch: setInResponse('output', (output: unknown) => toList(output)[0]),
  },
  {
    name: 'v3-output-untyped',
    summary: 'The items of the output have no type.',
    breaks: ['V3-GEN-02'],
    patch: setInResponse('output.*.type', undefined),
  },
  {
    name: 'v3-output-text-for-content',
    summary: 'The content of an output message is its text.',
    breaks: ['V3-GEN-02'],
    patch: setInResponse('output.*.content', (content: unknown) => toList(content)[0]?.['text']),
  },
  {
    name: 'v3-response-times-as-text',
    summary: 'In one piece, created_at is an ISO timestamp.',
    breaks: ['V3-GEN-03'],
    patch: setInResponse('created_at', (at: unknown) => new Date(Number(at) * 1000).toISOString()),
  },
  {
    name: 'v3-response-numbers-as-text',
    summary: 'In one piece, temperature is a text.',
    breaks: ['V3-GEN-03'],
    patch: setInResponse('temperature', String),
  },
  {
    name: 'v3-response-without-usage',
    summary: 'In one piece, a response has no usage.',
    breaks: ['V3-GEN-04'],
    patch: setInResponse('usage', undefined),
  },
  {
    name: 'v3-response-with-a-status-code',
    summary: 'In one piece, a response repeats the status code.',
    breaks: ['V3-GEN-04'],
    patch: setInResponse('status_code', 200),
  },
  {
    name: 'v3-usage-total-off-by-one',
    summary: 'In one piece, total_tokens counts one token too many.',
    breaks: ['V3-GEN-12'],
    patch: setInResponse('usage.total_tokens', (total: unknown) => Number(total) + 1),
  },
  {
    name: 'v3-usage-cached-beyond-input',
    summary: 'In one piece, more tokens are cached than there were in the input.',
    breaks: ['V3-GEN-12'],
    patch: setInResponse('usage.input_tokens_details.cached_tokens', 1_000_000),
  },
  {
    name: 'v3-usage-reasoning-beyond-output',
    summary: 'In one piece, more tokens are reasoning than there are in the output.',
    breaks: ['V3-GEN-12'],
    patch: setInResponse('usage.output_tokens_details.reasoning_tokens', 1_000_000),
  },
  {
    name: 'v3-response-id-fixed',
    summary: 'All responses have one id.',
    breaks: ['V3-GEN-15'],
    patch: fixResponseId(),
  },
]

/** In both forms; as a parent it stands for the last run of its chat. */
function fixResponseId(): Patch {
  return compose([
    onRequestBody(v3Generate, (body) =>
      setAt(body, 'parent_id', (id: unknown) => (id === fixedId ? null : id)),
    ),
    setInResponse('id', fixedId),
    onEachBlock(v3Generate, (event) => [setAt(event, 'response.id', fixedId)]),
  ])
}
