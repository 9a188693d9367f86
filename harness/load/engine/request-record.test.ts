import { expect, test } from 'vitest'
import { recordOf } from '../test-support/records.ts'
import type { PlannedRequest } from './answer-fields.ts'
import { RecordBuilder } from './in-flight-request.ts'

const { index, step, transaction } = recordOf()
const plan: PlannedRequest = {
  ...{ index, step, transaction, surface: 'v3', operation: 'v3.generate', form: 'stream' },
  request: { method: 'POST', url: 'http://127.0.0.1/', headers: [], body: null },
  ...{ json: {}, race: false, duplicate: false, planned: 0, dispatched: 0 },
  ...{ nonce: 'qa1', noncePrefix: 'q', clientBehavior: 'normal', intensity: 0, requestId: 'r' },
}

function countsOf(kinds: readonly ('text' | 'reasoning')[], usage: Record<string, unknown>) {
  const builder = new RecordBuilder(plan)
  for (const kind of kinds) builder.contents.add(kind, 'word')
  builder.contents.usage = usage
  builder.takeContents()
  const { outputTokens, streamedTokens } = builder.build({ kind: 'ok' }).counts
  return [outputTokens, streamedTokens]
}

test('reasoning counts as streamed where it was shown, on either surface', () => {
  const v3 = { output_tokens: 50, output_tokens_details: { reasoning_tokens: 30 } }
  const compatible = { completion_tokens: 50, completion_tokens_details: { reasoning_tokens: 30 } }
  for (const usage of [v3, compatible]) {
    expect(countsOf(['text'], usage)).toEqual([50, 20])
    expect(countsOf(['reasoning', 'text'], usage)).toEqual([50, 50])
  }
  expect(countsOf(['text'], { output_tokens: 50 })).toEqual([50, 50])
  expect(countsOf(['text'], {})).toEqual([null, null])
  expect(countsOf(['text'], { output_tokens: 5, output_tokens_details: null })).toEqual([5, 5])
})
