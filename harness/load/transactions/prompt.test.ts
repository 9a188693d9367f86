import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forSome } from '../../../contract/test-support/for-all.ts'
import { writePassages } from '../../../fixtures/content/passages.ts'
import { CrossTalkDetector } from '../judging/answer-judge.ts'
import { builtInMixes, mixEntry } from '../plan/mix.ts'
import { arrivals, noncePrefix, type PlanSpec } from '../plan/plan.ts'
import { plainTarget } from '../target.ts'
import { promptOf, wordsOf } from './transactions.ts'

const passages = await writePassages('a run')
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
const wordsIn = (text: string) =>
  [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike)

test('a text has about the requested number of words in any language', () => {
  forSome(50, fc.string(), fc.integer({ min: 1, max: 5000 }), (seed, count) => {
    const text = wordsOf(passages, seed, count)
    expect(text).toBe(wordsOf(passages, seed, count))
    // Languages without spaces are segmented by their dictionary, here by another.
    expect(wordsIn(text).length / count).toBeGreaterThan(0.8)
    expect(wordsIn(text).length / count).toBeLessThan(1.25)
  })
})

test('texts are in several scripts, with combining marks and emoji', () => {
  const text = Array.from({ length: 200 }, (_, at) => wordsOf(passages, String(at), 200)).join('\n')
  for (const script of ['Latin', 'Cyrillic', 'Arabic', 'Hebrew', 'Hiragana', 'Han', 'Hangul']) {
    expect(text).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'))
  }
  expect(text).toMatch(/\p{Mn}/u)
  expect(text).toMatch(/\p{Emoji_Presentation}/u)
})

test('passages are the same for the same seed and differ for another', async () => {
  expect(await writePassages('a run')).toEqual(passages)
  expect(await writePassages('another run')).not.toEqual(passages)
})

test('passages never contain the nonce prefix of a run', async () => {
  for (const seed of ['a run', 'another run', '7']) {
    const text = (await writePassages(seed)).map((passage) => passage.text).join(' ')
    expect(text.toLowerCase()).not.toContain(noncePrefix(seed))
  }
})

test('a prompt starts with its nonce and asks for it at the end', () => {
  const nonce = `${noncePrefix('a run')}00000abc`
  const prompt = promptOf({
    arrival: {
      ...{ index: 0, plannedNs: 0, entry: 0, nonce, promptWords: 30, answerTokens: 50, session: 0 },
      ...{ turns: 1, thinkNs: [], clientBehavior: 'normal', intensity: 0, race: false },
    },
    entry: mixEntry({ name: 'v3-stream', kind: 'v3-stream' }),
    target: plainTarget('http://127.0.0.1:1', 'key'),
    passages,
  })
  expect(prompt).toMatch(
    new RegExp(`^My name is ${nonce}\\. .*What is my name\\? .*\\[\\[tokens=50]]$`, 's'),
  )
})

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

test('cross-talk detector finds a foreign nonce in any split of the text', () => {
  expect(others).toHaveLength(19)
  for (const nonce of others) {
    const text = `It is ${own}, or ${nonce}.`
    for (let cut = 0; cut <= text.length; cut++) expect(foundIn(text, cut)).toBe(nonce)
  }
})

test('cross-talk detector ignores a misspelled own nonce', () => {
  for (let at = 0; at <= own.length; at++) {
    for (const character of '0123456789abcdefghijklmnopqrstuvwxyz') {
      for (const rest of [own.slice(at), own.slice(at + 1)]) {
        const text = `It is ${own.slice(0, at)}${character}${rest}, I think.`
        expect(foundIn(text, text.length)).toBeUndefined()
      }
    }
  }
})
