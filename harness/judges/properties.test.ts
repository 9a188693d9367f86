import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { knownEvents } from '../../contract/event-names.ts'
import type { Judgement, WireChunk } from '../../contract/index.ts'
import { goldenTranscripts, readTranscript } from '../../fixtures/transcripts.ts'
import { createStreamJudge, judge, type StreamedOperation } from './index.ts'
import { bytewise, complete, exchangeOf, transcriptExchange } from './test-support/exchanges.ts'

const operation = fc.constantFrom<StreamedOperation>('v3.generate', 'v3.oneShot', 'openai.chat')

describe('segmentation', () => {
  test.each(goldenTranscripts)('%s, cut in two anywhere, is judged the same', (name) => {
    const { bytes } = readTranscript(name)
    const whole = judge(transcriptExchange(name))
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 9 }), (cuts) => {
        const body = segments(bytes, cuts)
        expect(judge(transcriptExchange(name, { body }))).toEqual(whole)
      }),
      { numRuns: 40 },
    )
  })

  test.each(goldenTranscripts)('%s, judged while it arrives, is judged the same', (name) => {
    const { bytes, operation: of, request } = readTranscript(name)
    const live = createStreamJudge(of, request, { exchangeId: 'x1' })
    for (const chunk of bytewise(bytes)) live.push(chunk)
    expect(live.end(complete)).toEqual(withoutHeaders(judge(transcriptExchange(name))))
  })
})

describe('whatever arrives', () => {
  const json = fc.jsonValue({ maxDepth: 3 })
  const member = fc.constantFrom(
    ...['type', 'response', 'item', 'part', 'delta', 'text', 'output_index', 'content_index'],
    ...['item_id', 'summary_index', 'annotation', 'arguments', 'sequence_number', 'choices'],
    ...['error', 'usage', 'output', 'content', 'id', 'status'],
  )
  const likely = fc.dictionary(member, fc.oneof(json, fc.dictionary(member, json), fc.nat(3)))
  const event = fc.record({
    name: fc.oneof(fc.constantFrom(...knownEvents), fc.string()),
    data: fc.oneof(likely, likely, json),
  })

  test('no bytes make a judge throw', () => {
    fc.assert(
      fc.property(operation, fc.uint8Array({ maxLength: 300 }), (of, body) => {
        wellFormed(judge(exchangeOf({ ...streamOf(of), body })))
      }),
      { numRuns: 1000 },
    )
  })

  test('no events make a judge throw, or say two things of a requirement', () => {
    fc.assert(
      fc.property(operation, fc.array(event, { maxLength: 12 }), (of, events) => {
        const body = events
          .map(({ name, data }) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
          .join('')
        wellFormed(judge(exchangeOf({ ...streamOf(of), body })))
      }),
      { numRuns: 3000 },
    )
  })

  test('no JSON makes a judge throw', () => {
    const route = fc.constantFrom(
      'openai.chat',
      'openai.models',
      'v2.message',
      'v2.generate',
      'v3.history',
      'v3.generate',
    )
    const body = fc.oneof(likely, fc.dictionary(member, likely), json)
    fc.assert(
      fc.property(route, body, json, (of, answer, request) => {
        wellFormed(judge(exchangeOf({ operation: of, request, body: JSON.stringify(answer) })))
      }),
      { numRuns: 1500 },
    )
  })
})

function streamOf(of: StreamedOperation) {
  return { operation: of, request: { stream: true }, type: 'text/event-stream' }
}

function wellFormed({ findings, observations }: Judgement): void {
  const requirements = findings.map(({ requirement }) => requirement)
  expect(new Set(requirements).size).toBe(requirements.length)
  expect(findings.every(({ why }) => why !== '' && !why.includes('undefined.'))).toBe(true)
  const questions = observations.map(({ question }) => question)
  expect(new Set(questions).size).toBe(questions.length)
}

function withoutHeaders({ findings, observations }: Judgement): Judgement {
  const ofHeaders = new Set<string>(['V3-SSE-01', 'OAI-STREAM-02'])
  return {
    findings: findings.filter(({ requirement }) => !ofHeaders.has(requirement)),
    observations,
  }
}

function segments(bytes: Uint8Array, cuts: readonly number[]): WireChunk[] {
  const bounds = [...cuts, bytes.length].sort((a, b) => a - b)
  return bounds.map((end, at) => ({ atMs: at, bytes: bytes.subarray(bounds[at - 1] ?? 0, end) }))
}
