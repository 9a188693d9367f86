import fc from 'fast-check'
import { expect, test } from 'vitest'
import { code, codeBlock } from './markdown.ts'

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
