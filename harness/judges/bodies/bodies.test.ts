import { describe, expect, test } from 'vitest'
import { judge } from '../index.ts'
import { answerExchange, answerNames } from '../test-support/bodies.ts'
import { brokenIn, heldIds } from '../test-support/exchanges.ts'

describe('JSON answers', () => {
  test.each(answerNames)('a good %s breaks nothing', (name) => {
    expect(brokenIn(answerExchange(name))).toEqual({})
  })

  test('hold what they show, and nothing else', () => {
    const held = answerNames.map(
      (name) => `${name}: ${heldIds(judge(answerExchange(name))).join(' ')}`,
    )
    expect(held).toMatchInlineSnapshot(`
      [
        "chat: OAI-CHAT-02 OAI-CHAT-03 OAI-CHAT-04 OAI-CHAT-05 OAI-CHAT-06 OAI-CHAT-07 OAI-CHAT-08 OAI-CHAT-09 OAI-CHAT-10 OAI-CHAT-11 OAI-CHAT-15 OAI-MAXTOK-01 OAI-MAXTOK-02 OAI-N-01",
        "models: OAI-MODELS-04 OAI-MODELS-05",
        "message: V2-MSG-02 V2-MSG-03 V2-MSG-04 V2-MSG-05 V2-MSG-06 V2-MSG-07",
        "v2Generation: V2-GEN-01",
        "history: V3-HIST-01 V3-HIST-02 V3-HIST-03 V3-HIST-04 V3-HIST-05 V3-HIST-09",
        "response: V3-GEN-02 V3-GEN-10 V3-GEN-12",
      ]
    `)
  })

  test.each(['["svc-main"]', '{"data":["svc-main","svc-vision"]}', '{"models":["svc-main"]}'])(
    'a list of models that holds ids alone shows that they are strings: %s',
    (body) => {
      const found = answerExchange('models', { body })
      expect(brokenIn(found)).not.toHaveProperty('OAI-MODELS-04')
      expect(heldIds(judge(found))).toContain('OAI-MODELS-04')
    },
  )

  test.each(['[1, 2]', '{"data":["svc-main", 2]}', '{"data":[]}', '{"data":[{"id":7}]}'])(
    'a list of models that does not, shows nothing of the kind: %s',
    (body) => {
      expect(heldIds(judge(answerExchange('models', { body })))).not.toContain('OAI-MODELS-04')
    },
  )

  test('a body that is no JSON breaks the requirement of its kind alone', () => {
    const page = { body: '<html></html>', type: 'text/html' }
    const rows = answerNames.map((name) =>
      Object.keys(brokenIn(answerExchange(name, page))).join(' '),
    )
    expect(rows).toEqual(['OAI-CHAT-01', '', 'V2-MSG-01', 'V2-GEN-01', 'V3-HIST-01', 'V3-GEN-01'])
    const oneShot = answerExchange('response', { ...page, operation: 'v3.oneShot' })
    expect(Object.keys(brokenIn(oneShot))).toEqual(['V3-ONE-01'])
  })

  test('a one-shot that is answered with no response breaks its own requirement alone', () => {
    for (const body of ['{}', '{"response":{"object":"response"}}', '{"text":"Hello!"}']) {
      const oneShot = answerExchange('response', { body, operation: 'v3.oneShot' })
      expect(Object.keys(brokenIn(oneShot))).toEqual(['V3-ONE-01'])
    }
  })

  test('another media type breaks OAI-CHAT-11', () => {
    expect(Object.keys(brokenIn(answerExchange('chat', { type: 'text/plain' })))).toEqual([
      'OAI-CHAT-11',
    ])
  })

  test('a body that did not arrive whole proves nothing', () => {
    const cut = { body: '{"id":', ending: { kind: 'cut', atMs: 1, error: 'reset' } } as const
    expect(brokenIn(answerExchange('chat', cut))).toEqual({})
  })

  test('what is open is observed', () => {
    const answers = answerNames.flatMap((name) =>
      judge(answerExchange(name)).observations.map(
        ({ question, answer }) => `${question}: ${answer}`,
      ),
    )
    expect(answers).toMatchInlineSnapshot(`
      [
        "OPEN-08: {data, object} of description, id, object",
        "OPEN-01: message.id, run",
        "OPEN-05: completed",
        "OPEN-03: row: created_at; pagination: total",
        "OPEN-05: completed",
        "OPEN-31: no",
      ]
    `)
  })
})
