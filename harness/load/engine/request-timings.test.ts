import { expect, test } from 'vitest'
import { RequestTimings } from './request-timings.ts'

function countsOf(kinds: readonly ('text' | 'reasoning')[], usage: Record<string, unknown>) {
  const watch = new RequestTimings(0, 0)
  for (const kind of kinds) watch.content(kind)
  watch.usage(usage)
  const { outputTokens, streamedTokens } = watch.counts
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
