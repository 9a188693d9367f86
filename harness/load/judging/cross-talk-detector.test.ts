import { expect, test } from 'vitest'
import { builtInMixes } from '../plan/mix.ts'
import { arrivals, noncePrefix, type PlanSpec } from '../plan/plan.ts'
import { CrossTalkDetector } from './answer-judge.ts'

const mix = builtInMixes.get('openai')
if (mix === undefined) throw new Error('no mix')
const spec: PlanSpec = {
  ...{ seed: 'a', mix, durationNs: 1e9, idempotencyRaces: 0 },
  arrival: { kind: 'constant', perSecond: 20 },
  misbehavior: { slowReader: 0, abort: 0, churn: 0 },
}
const [own = '', ...others] = [...arrivals(spec)].map(({ nonce }) => nonce)

function foundIn(text: string, cut: number): string | undefined {
  const detector = new CrossTalkDetector(noncePrefix(spec.seed), own)
  for (const fragment of [text.slice(0, cut), text.slice(cut)]) detector.add(fragment)
  return detector.foreignNonce
}

test('finds the nonce of another request wherever the text is cut', () => {
  expect(others).toHaveLength(19)
  for (const nonce of others) {
    const text = `It is ${own}, or ${nonce}.`
    for (let cut = 0; cut <= text.length; cut++) expect(foundIn(text, cut)).toBe(nonce)
  }
})

test('takes no own nonce that a model misspells for one of another request', () => {
  for (let at = 0; at <= own.length; at++) {
    for (const character of '0123456789abcdefghijklmnopqrstuvwxyz') {
      for (const rest of [own.slice(at), own.slice(at + 1)]) {
        const text = `It is ${own.slice(0, at)}${character}${rest}, I think.`
        expect(foundIn(text, text.length)).toBeUndefined()
      }
    }
  }
})
