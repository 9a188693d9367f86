import { describe, expect, test } from 'vitest'
import { judge } from '../index.ts'
import { edited } from '../test-support/edit.ts'
import { heldRows, transcriptExchange } from '../test-support/exchanges.ts'
import { expectBroken } from '../test-support/faults.ts'

describe('stop', () => {
  const request = (stop: unknown) => ({ stream: true, model: 'm', messages: [], stop })
  const answerOf = (...texts: readonly string[]) =>
    edited('chat', (events) => {
      const [first, sample] = events
      if (first === undefined || sample === undefined) return undefined
      const deltas = texts.map((content) => {
        const event = structuredClone(sample)
        event.json.choices[0].delta.content = content
        return event
      })
      return [first, ...deltas, ...events.slice(4)]
    })

  test('a sequence that one chunk holds whole, with text after it, breaks OAI-STOP-05', () => {
    expectBroken('chat', { request: request('END'), body: answerOf('one END two') }, 'OAI-STOP-05')
    expectBroken(
      'chat',
      { request: request(['x', 'END']), body: answerOf('one END', ' two') },
      'OAI-STOP-05',
    )
  })

  test('a sequence across chunks, with text after it, breaks OAI-STOP-04', () => {
    expectBroken(
      'chat',
      { request: request('END'), body: answerOf('one E', 'ND two') },
      'OAI-STOP-04',
    )
  })

  test('a sequence at the very end shows that stop works', () => {
    const whole = transcriptExchange('chat', { request: request('END'), body: answerOf('one END') })
    const parts = transcriptExchange('chat', {
      request: request('END'),
      body: answerOf('one E', 'ND'),
    })
    expect(heldRows(judge(whole))).toContain('OAI-STOP-05')
    expect(heldRows(judge(parts))).toContain('OAI-STOP-04')
  })

  test('an answer without the sequence, or without text, says nothing', () => {
    expectBroken('chat', { request: request('END'), body: answerOf('one two') }, '')
    expectBroken('chat', { request: request(['']), body: answerOf('one two') }, '')
    expectBroken('chat', { request: request('one'), body: answerOf() }, '')
    expectBroken('chat', { body: answerOf() }, '04')
  })
})
