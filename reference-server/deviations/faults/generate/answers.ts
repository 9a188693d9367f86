/** Faults of what a v3 generation answers with (sections 2.6 and 4.3). */
import type { Patch } from '../../../parts.ts'
import { setAt } from '../../json-edit.ts'
import { v3Generate, toList, onSuccessBody, onEachBlock, onRequestBody, setField } from '../../seams.ts'
import { compose } from '../../together.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'

const says = (path: string, to: unknown): Patch => setField(v3Generate, path, to)

const theOneId = 'resp_1'

export const generateAnswerFaults: readonly Fault[] = [
  fault(
    'v3-response-wrapped',
    'V3-GEN-01',
    'In one piece, too, the response is under response, as in the stream.',
    onSuccessBody(v3Generate, (response) => ({ type: 'response.completed', response })),
  ),
  fault(
    'v3-response-in-a-list',
    'V3-GEN-01',
    'The response comes as the one element of an array.',
    onSuccessBody(v3Generate, (response) => [response]),
  ),
  fault(
    'v3-response-text-alone',
    'V3-GEN-01',
    'The answer is its text in JSON.',
    onSuccessBody(v3Generate, (response) => JSON.stringify(response['output'])),
  ),
  fault(
    'v3-response-streamed-unasked',
    'V3-GEN-01',
    'stream: false is answered with a stream.',
    onRequestBody(v3Generate, (body) => ({ ...body, stream: true })),
  ),
  fault(
    'v3-response-accepted-for-later',
    'V3-GEN-01',
    'The answer is a 202 with the id of a run that goes on.',
    onSuccessBody(v3Generate, ({ id }) => ({ id, status: 'queued' })),
  ),
  fault('v3-output-missing', 'V3-GEN-02', 'A response has no output.', says('output', undefined)),
  fault('v3-output-empty', 'V3-GEN-02', 'The output of a response is empty.', says('output', [])),
  fault(
    'v3-output-single',
    'V3-GEN-02',
    'output is the only item in place of an array.',
    says('output', (output: unknown) => toList(output)[0]),
  ),
  fault(
    'v3-output-untyped',
    'V3-GEN-02',
    'The items of the output have no type.',
    says('output.*.type', undefined),
  ),
  fault(
    'v3-output-text-for-content',
    'V3-GEN-02',
    'The content of an output message is its text.',
    says('output.*.content', (content: unknown) => toList(content)[0]?.['text']),
  ),
  fault(
    'v3-response-times-as-text',
    'V3-GEN-03',
    'In one piece, created_at is an ISO timestamp.',
    says('created_at', (at: unknown) => new Date(Number(at) * 1000).toISOString()),
  ),
  fault(
    'v3-response-numbers-as-text',
    'V3-GEN-03',
    'In one piece, temperature is a text.',
    says('temperature', String),
  ),
  fault(
    'v3-response-without-usage',
    'V3-GEN-04',
    'In one piece, a response has no usage.',
    says('usage', undefined),
  ),
  fault(
    'v3-response-with-a-status-code',
    'V3-GEN-04',
    'In one piece, a response repeats the status code.',
    says('status_code', 200),
  ),
  fault(
    'v3-usage-total-off-by-one',
    'V3-GEN-12',
    'In one piece, total_tokens counts one token too many.',
    says('usage.total_tokens', (total: unknown) => Number(total) + 1),
  ),
  fault(
    'v3-usage-cached-beyond-input',
    'V3-GEN-12',
    'In one piece, more tokens are cached than there were in the input.',
    says('usage.input_tokens_details.cached_tokens', 1_000_000),
  ),
  fault(
    'v3-usage-reasoning-beyond-output',
    'V3-GEN-12',
    'In one piece, more tokens are reasoning than there are in the output.',
    says('usage.output_tokens_details.reasoning_tokens', 1_000_000),
  ),
  fault('v3-response-id-fixed', 'V3-GEN-15', 'All responses have one id.', oneResponseId()),
]

/** In both forms; as a parent it stands for the last run of its chat. */
function oneResponseId(): Patch {
  return compose([
    onRequestBody(v3Generate, (body) =>
      setAt(body, 'parent_id', (id: unknown) => (id === theOneId ? null : id)),
    ),
    says('id', theOneId),
    onEachBlock(v3Generate, (event) => [setAt(event, 'response.id', theOneId)]),
  ])
}
