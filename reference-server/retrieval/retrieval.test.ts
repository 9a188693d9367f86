import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunksOf, type KnowledgeDocument, retrieve, type SearchPlan } from './retrieval.ts'

const doc = (text: string, id = 'd'): KnowledgeDocument => {
  const file = { filename: `${id}.md`, contentType: 'text/markdown', size: text.length }
  return { id, ...file, text, createdAt: 0 }
}
const settings = { threshold: 0, limit: 5, rerank: false, summarize: false }
const plan: SearchPlan = { type: 'hybrid', ...settings }
const words = fc.lorem({ maxCount: 40 })

describe('chunks', () => {
  it('contain all words in order and stay short', () => {
    fc.assert(
      fc.property(fc.array(words, { maxLength: 8 }), (paragraphs) => {
        const chunks = chunksOf(doc(paragraphs.join('\n\n')))
        const wordsOf = (texts: readonly string[]) => texts.join(' ').split(/\s+/).filter(Boolean)
        expect(wordsOf(chunks.map(({ text }) => text))).toEqual(wordsOf(paragraphs))
        for (const { text } of chunks) expect(text.split(/\s+/).length).toBeLessThanOrEqual(70)
      }),
    )
  })

  it('stay short for text without spaces', () => {
    const sentence = '春天我们搬到了上码市，一半的箱子还放在走廊里。'
    const chunks = chunksOf(doc(sentence.repeat(40)))
    expect(chunks.length).toBeGreaterThan(3)
    for (const { text } of chunks) expect(text.length).toBeLessThan(160)
    expect(chunks.map(({ text }) => text.replace(/\s/g, '')).join('')).toBe(sentence.repeat(40))
  })

  it('are computed quickly for any text', () => {
    const started = performance.now()
    for (const piece of ['# ', '\n ', 'a.', '"a\n']) chunksOf(doc(piece.repeat(50_000)))
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it('have the heading above them', () => {
    const chunks = chunksOf(doc('zero\n# One\nfirst\n## Two\n\nsecond\nthird', 'a-note_b'))
    expect(chunks.map(({ heading, text }) => [heading, text])).toEqual([
      ['a note b', 'zero'],
      ['One', 'first'],
      ['Two', 'second\nthird'],
    ])
  })
})

describe('search', () => {
  it('is deterministic and sorts by scores from 0 to 1', () => {
    const type = fc.constantFrom('hybrid' as const, 'dense' as const, 'sparse' as const)
    fc.assert(
      fc.property(
        fc.array(words, { minLength: 1, maxLength: 6 }),
        fc.oneof(words, fc.string()),
        type,
        fc.boolean(),
        (texts, query, type, rerank) => {
          const variant = { ...plan, type, rerank }
          const documents = texts.map((text, at) => doc(text, `d${at}`))
          const found = retrieve([documents], query, variant)
          expect(retrieve([[...documents]], query, variant)).toEqual(found)
          const scores = found.map(({ score }) => score)
          expect(scores).toEqual(scores.toSorted((a, b) => b - a))
          for (const score of scores) expect(score >= 0 && score <= 1).toBe(true)
          const strict = retrieve([documents], query, { ...variant, threshold: 0.6 })
          for (const { score } of strict) expect(score).toBeGreaterThanOrEqual(0.6)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('finds other spellings if dense, and whole words if sparse', () => {
    const documents = [doc('The lighthouses were repainted.'), doc('Plums ripen late.', 'e')]
    const best = (type: SearchPlan['type'], query: string) =>
      retrieve([documents], query, { ...plan, type })[0]?.fileId
    expect(best('dense', 'lighthouse repainting')).toBe('d')
    expect(best('sparse', 'plums')).toBe('e')
    expect(best('sparse', 'zeppelin')).toBeUndefined()
    expect(best('sparse', 'the')).toBeUndefined()
  })

  it('includes several bases', () => {
    const bases = [[doc('Plums ripen late.', 'a')], [doc('Plums are blue.', 'b')], []]
    const found = retrieve(bases, 'plums', plan).map(({ fileId }) => fileId)
    expect(found.toSorted()).toEqual(['a', 'b'])
  })
})
