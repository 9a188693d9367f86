import { describe, expect, test } from 'vitest'
import { recordOf } from '../test-support/records.ts'
import { definitions, isSuccess } from './other-tool-definitions.ts'
import { OtherTools } from './other-tools.ts'

/** Dispatched at 0.5 ms; see `recordOf` for the rest. */
test('one stream as each tool would tell it, milliseconds', () => {
  const lines = definitions.map(({ tool, metric, values }) => {
    const rounded = values(recordOf()).map((ns) => Number((ns / 1e6).toFixed(3)))
    return `${tool} ${metric}: ${rounded.join(' ')}`
  })
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "vLLM bench serve TTFT: 50.5
    vLLM bench serve TPOT: 20
    vLLM bench serve ITL: 50 100 20 0 30
    vLLM bench serve E2EL: 250.5
    AIPerf Time to First Token: 100.5
    AIPerf Time to Second Token: 100
    AIPerf Time to First Output Token: 200.5
    AIPerf Inter Token Latency: 15
    AIPerf Inter Chunk Latency: 
    AIPerf Request Latency: 250.5
    GuideLLM TTFT: 100.5
    GuideLLM ITL: 15
    GuideLLM TPOT: 22.773
    GuideLLM Request Latency: 261.5
    llmperf TTFT: 200.5
    llmperf Inter-token latency: 22.773
    llmperf E2E latency: 261.5"
  `)
})

describe('the others count', () => {
  test('a stream that was cut as a success, and leave out what never ended', () => {
    const outcome = (kind: 'truncated' | 'timeout' | 'integrity') =>
      recordOf({ record: { outcome: { kind, detail: '' } } })
    expect(isSuccess(outcome('truncated'))).toBe(true)
    expect(isSuccess(outcome('integrity'))).toBe(true)
    expect(isSuccess(outcome('timeout'))).toBe(false)
    expect(isSuccess(recordOf({ record: { outcome: { kind: 'open' } } }))).toBe(false)
    expect(isSuccess(recordOf({ record: { form: 'json' } }))).toBe(false)
  })

  test('AIPerf drops the gaps of a request in which two pieces came at once', () => {
    const chunks = definitions.find(({ metric }) => metric === 'Inter Chunk Latency')
    expect(chunks?.values(recordOf())).toEqual([])
    expect(chunks?.values(recordOf({ record: { gapsNs: [3, 4] } }))).toEqual([3, 4])
  })

  test('the drain in the denominator of their throughput', () => {
    const tools = new OtherTools()
    tools.add(recordOf())
    tools.add(recordOf({ timestamps: { dispatched: 1000.5e6, lastGenerated: 2200.5e6 } }))
    // 22 tokens from 0.5 to 2200.5 ms.
    expect(tools.rows().at(-1)).toMatchObject({ unit: 'tokens/s', mean: 10 })
  })

  test('every row says its formula and its source', () => {
    for (const row of new OtherTools().rows()) {
      expect(row.definition.length).toBeGreaterThan(10)
      expect(row.source.length).toBeGreaterThan(10)
      expect(row.mean).toBeNull()
    }
  })
})
