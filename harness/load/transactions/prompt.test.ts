import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forSome } from '../../../contract/test-support/for-all.ts'
import { writePassages } from '../../../fixtures/content/passages.ts'
import { mixEntry } from '../plan/mix.ts'
import { noncePrefix } from '../plan/plan.ts'
import { plainTarget } from '../target.ts'
import { promptOf, wordsOf } from './transactions.ts'

const passages = await writePassages('a run')
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
const wordsIn = (text: string) =>
  [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike)

test('a text has as many words as are asked for, whatever its language', () => {
  forSome(50, fc.string(), fc.integer({ min: 1, max: 5000 }), (seed, count) => {
    const text = wordsOf(passages, seed, count)
    expect(text).toBe(wordsOf(passages, seed, count))
    // Languages without spaces are segmented by their dictionary, here by another.
    expect(wordsIn(text).length / count).toBeGreaterThan(0.8)
    expect(wordsIn(text).length / count).toBeLessThan(1.25)
  })
})

test('texts are in several scripts, with marks that combine and emoji', () => {
  const text = Array.from({ length: 200 }, (_, at) => wordsOf(passages, String(at), 200)).join('\n')
  for (const script of ['Latin', 'Cyrillic', 'Arabic', 'Hebrew', 'Hiragana', 'Han', 'Hangul']) {
    expect(text).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'))
  }
  expect(text).toMatch(/\p{Mn}/u)
  expect(text).toMatch(/\p{Emoji_Presentation}/u)
})

test('the same seed writes the same passages, another one others', async () => {
  expect(await writePassages('a run')).toEqual(passages)
  expect(await writePassages('another run')).not.toEqual(passages)
})

test('no text holds what the nonces of a run begin with', async () => {
  for (const seed of ['a run', 'another run', '7']) {
    const text = (await writePassages(seed)).map((passage) => passage.text).join(' ')
    expect(text.toLowerCase()).not.toContain(noncePrefix(seed))
  }
})

test('a prompt tells its nonce, and asks for it at the end', () => {
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
