import { Chalk } from 'chalk'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Ending } from '../../contract/index.ts'
import type { RequirementResult } from '../../contract/report/conformance.ts'
import { code, codeBlock } from '../document/markdown.ts'
import { eventsOf, exchangeOf, requirement } from '../test-support/reports.ts'
import { printable, shorten, wrap } from './escape.ts'
import { causeText, foldFindings } from './fold.ts'
import { endingText, streamTimeline } from './timeline.ts'

test('printable escapes controls, direction marks and lone surrogates, but no letters or emoji', () => {
  expect(printable('\u001b[31mred\u0007\r\n\ttab \u009b1m \u202eback \ufeff \ud800.')).toBe(
    '\\x1b[31mred\\x07\\r\\n\\ttab \\x9b1m \\u202eback \\ufeff \\ud800.',
  )
  expect(printable('Grüße, 你好 👋🏽')).toBe('Grüße, 你好 👋🏽')
})

test('shorten counts characters and splits none', () => {
  expect(shorten('abcdef', 6)).toBe('abcdef')
  expect(shorten('abcdef', 4)).toBe('abc…')
  expect(shorten('👋👋👋', 2)).toBe('👋…')
  expect(shorten('abc', 0)).toBe('…')
})

test('wrap breaks long words after commas', () => {
  expect(wrap('has {one,two,three} in it', 8)).toEqual(['has', '{one,', 'two,', 'three}', 'in it'])
  expect(wrap('a,b c', 8)).toEqual(['a,b c'])
})

test('code and codeBlock contain any text', () => {
  const text = fc.string({ unit: fc.constantFrom('`', 'a', ' ', '|', '\\') })
  fc.assert(
    fc.property(text.filter(Boolean), (content) => {
      const [fence = ''] = code(content).match(/^`+/) ?? []
      const inner = code(content).slice(fence.length, -fence.length)
      expect(inner.match(/`+/g) ?? []).not.toContain(fence)
      const block = codeBlock([content]).split('\n')
      expect(block.slice(1, -1)).not.toContain(block.at(-1))
      expect(content).not.toContain(block.at(-1))
    }),
  )
})

const plain = { chalk: new Chalk({ level: 0 }), width: 80 }

test('streamTimeline shows events with times, shortened to the width', () => {
  const events = eventsOf(
    ['response.created', { response: { id: 'resp_1' } }],
    ['response.output_text.delta', { delta: '\u001b[2J', long: 'a'.repeat(80) }],
  )
  const nameless = { atMs: 12, name: null, data: '[DONE]' }
  const lines = streamTimeline(exchangeOf({ events: [...events, nameless] }), plain, 1)
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "     +10.0 ms  event: response.created  {"response":{"id":"resp_1"}}
    >    +11.0 ms  event: response.output_text.delta  {"delta":"\\u001b[2J","long":"…
         +12.0 ms  data: [DONE]
         +12.3 ms  end of the body"
  `)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
})

test('streamTimeline collapses a long stream around the offending event', () => {
  const deltas = Array.from(
    { length: 40 },
    (_, at) => ['response.output_text.delta', { delta: `w${at}` }] as const,
  )
  const end = [['response.output_text.done', {}] as const, ['response.completed', {}] as const]
  const events = eventsOf(['response.created', {}], ...deltas, ...end)
  const lines = streamTimeline(exchangeOf({ events }), plain, 20)
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "     +10.0 ms  event: response.created  {}
         +11.0 ms  event: response.output_text.delta  {"delta":"w0"}
         +12.0 ms  event: response.output_text.delta  {"delta":"w1"}
                   … 14 more events: response.output_text.delta ×14
         +27.0 ms  event: response.output_text.delta  {"delta":"w16"}
         +28.0 ms  event: response.output_text.delta  {"delta":"w17"}
         +29.0 ms  event: response.output_text.delta  {"delta":"w18"}
    >    +30.0 ms  event: response.output_text.delta  {"delta":"w19"}
         +31.0 ms  event: response.output_text.delta  {"delta":"w20"}
         +32.0 ms  event: response.output_text.delta  {"delta":"w21"}
         +33.0 ms  event: response.output_text.delta  {"delta":"w22"}
                   … 16 more events: response.output_text.delta ×16
         +50.0 ms  event: response.output_text.delta  {"delta":"w39"}
         +51.0 ms  event: response.output_text.done  {}
         +52.0 ms  event: response.completed  {}
         +12.3 ms  end of the body"
  `)
})

test('endingText describes all endings', () => {
  const endings: readonly Ending[] = [
    { kind: 'complete', atMs: 1 },
    { kind: 'cut', atMs: 1, error: 'other side \u001bclosed' },
    { kind: 'aborted', atMs: 1 },
    { kind: 'timeout', atMs: 1 },
    { kind: 'unreachable', atMs: 1, code: 'ECONNREFUSED', error: 'connect refused' },
  ]
  expect(endings.map(endingText)).toMatchInlineSnapshot(`
    [
      "end of the body",
      "cut off by the target: other side \\x1bclosed",
      "aborted by the client on purpose",
      "timed out: no data within the time limit",
      "no response: connect refused (ECONNREFUSED)",
    ]
  `)
})

function shapeOf(requirements: readonly RequirementResult[]) {
  return foldFindings(requirements).map(({ common, requirements }) => [
    common,
    ...requirements.map(({ id }) => id),
  ])
}

describe('foldFindings', () => {
  test('groups findings with the same message except for numbers', () => {
    const requirements = [
      requirement('OAI-CHAT-09', 'fail', { message: 'usage of x3 is missing' }),
      requirement('OAI-CHAT-11', 'fail', { message: 'the media type is text/plain' }),
      requirement('OAI-CHAT-10', 'fail', { message: 'usage of x7 is missing' }),
    ]
    expect(shapeOf(requirements)).toEqual([
      ['message', 'OAI-CHAT-09', 'OAI-CHAT-10'],
      [null, 'OAI-CHAT-11'],
    ])
    expect(foldFindings(requirements).map(causeText)).toEqual([
      '2 requirements violated, same cause: usage of x3 is missing',
      null,
    ])
  })

  test('groups findings with the same evidence', () => {
    const ids = [
      requirement('OAI-CHAT-09', 'fail', { message: 'usage is missing', exchanges: ['x3'] }),
      requirement('OAI-CHAT-03', 'fail', { message: 'object is missing', exchanges: ['x3'] }),
      requirement('OAI-CHAT-02', 'fail', { message: 'id is missing', exchanges: ['x3', 'x4'] }),
    ]
    expect(shapeOf(ids)).toEqual([
      ['exchange', 'OAI-CHAT-09', 'OAI-CHAT-03'],
      [null, 'OAI-CHAT-02'],
    ])
  })

  test.each<[string, Partial<RequirementResult>]>([
    ['of another surface', { surface: 'v3' }],
    ['of another verdict', { verdict: 'warn' }],
    ['of a baseline', { known: true }],
    ['without a message', { message: null }],
    ['at another event', { message: 'another', exchanges: ['x3'], event: 4 }],
  ])('keeps a finding %s apart', (_, more) => {
    const message = 'usage is missing'
    const found = { message, exchanges: ['x3'], event: 2 }
    const first = requirement('OAI-CHAT-09', 'fail', found)
    const second = requirement('OAI-CHAT-10', 'fail', { message, ...more })
    expect(shapeOf([first, second])).toHaveLength(2)
  })

  test('contains each finding once', () => {
    const some = fc.uniqueArray(
      fc.record({
        id: fc.constantFrom(...(['V3-SSE-01', 'V3-SSE-02', 'V3-SSE-03', 'OAI-CHAT-09'] as const)),
        message: fc.constantFrom('a', 'b 1', 'b 2', null),
        exchanges: fc.subarray(['x1', 'x2']),
      }),
      { selector: ({ id }) => id },
    )
    fc.assert(
      fc.property(some, (sketches) => {
        const ids = sketches.map((sketch) => requirement(sketch.id, 'fail', sketch))
        const folded = foldFindings(ids).flatMap((found) => found.requirements)
        expect(folded.toSorted(byPlace(ids))).toEqual(ids)
        const first = foldFindings(ids).map((found) => ids.indexOf(found.requirements[0]))
        expect(first).toEqual(first.toSorted((a, b) => a - b))
      }),
    )
  })
})

function byPlace(ids: readonly RequirementResult[]) {
  return (a: RequirementResult, b: RequirementResult) => ids.indexOf(a) - ids.indexOf(b)
}
