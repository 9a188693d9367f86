import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { code, codeBlock, escaped } from './markdown.ts'

describe('what a target says stays text', () => {
  test.each([
    [
      'a <b>bold</b> *claim* [here](x) ![x](y)',
      'a &lt;b&gt;bold&lt;/b&gt; \\*claim\\* \\[here\\](x) !\\[x\\](y)',
    ],
    [
      '@octocat, see https://example.org',
      '@<span></span>octocat, see https:<span></span>//example.org',
    ],
    ['# no heading', '\\# no heading'],
  ])('in prose: %s', (text, expected) => {
    expect(escaped(text)).toBe(expected)
  })

  test('no text ends its span or its block', () => {
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
})
