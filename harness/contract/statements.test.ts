import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { exclusionIds, questionIds, requirementIds, requirements } from './catalogue/index.ts'
import { statements } from './statements.ts'

const document = findDocument()
const missing =
  'skipped: the interface document is neither in CHATGEN_INTERFACE nor beside the checkout'

describe('the ledger', () => {
  const owned = new Set(statements().flatMap(({ owners }) => owners))

  test('names only rows of the catalogue as owners', () => {
    const known = new Set<string>([...requirementIds, ...exclusionIds, ...questionIds])
    expect([...owned].filter((id) => !known.has(id))).toEqual([])
  })

  test('names no owner twice for one statement', () => {
    const doubled = statements().filter(({ owners }) => new Set(owners).size < owners.length)
    expect(doubled).toEqual([])
  })

  // Rows of level `expected` come from the contracts that the document names, not from a sentence.
  test('gives every required row, exclusion and open question a statement', () => {
    const required = requirementIds.filter((id) => requirements[id].level === 'required')
    const rows: readonly string[] = [...required, ...exclusionIds, ...questionIds]
    expect(rows.filter((id) => !owned.has(id))).toEqual([])
  })
})

describe.skipIf(document === null)(
  document === null ? `the document (${missing})` : 'the document',
  () => {
    const split = splitDocument(document ?? '')

    test('has an owner for each of its statements, in the ledger and in order', () => {
      const inDocument = split.map(({ section, hash, text }) => `${section} ${hash} ${text}`)
      const texts = new Map(split.map(({ section, hash, text }) => [`${section} ${hash}`, text]))
      const inLedger = statements().map(({ section, hash }) => {
        const key = `${section} ${hash}`
        return `${key} ${texts.get(key) ?? '(no such statement in the document)'}`
      })
      expect(inLedger).toEqual(inDocument)
    })

    test('has an open question for everything that it does not show', () => {
      const rows = statements()
      const judged = split.filter(
        ({ text }, at) =>
          text.includes('not shown') && !rows[at]?.owners.some((id) => id.startsWith('OPEN-')),
      )
      expect(judged).toEqual([])
    })

    test('has the sections that the catalogue names', () => {
      const sections = new Set(
        [...(document ?? '').matchAll(/^#+ (\d+(?:\.\d+)?)/gm)].map(([, section]) => section),
      )
      const named = new Set(requirementIds.map((id) => requirements[id].section))
      expect([...named].filter((section) => !sections.has(section))).toEqual([])
    })
  },
)

test('a document is split into list items, table rows and sentences', () => {
  const text = [
    '# Title',
    'One sentence. `Another`',
    'one over two lines.',
    '## 1. Part',
    '- item. With two sentences.',
    '',
    '| head | of |',
    '|---|---|',
    '| a | row |',
    '### 1.1 Section',
    '2. numbered',
  ].join('\n')

  expect(splitDocument(text).map(({ section, text }) => `${section}: ${text}`)).toEqual([
    '0: One sentence.',
    '0: `Another` one over two lines.',
    '1: item. With two sentences.',
    '1: | a | row |',
    '1.1: numbered',
  ])
})

interface Split {
  readonly section: string
  readonly hash: string
  readonly text: string
}

function splitDocument(document: string): readonly Split[] {
  const found: Split[] = []
  let section = '0'
  let paragraph: string[] = []
  let tableRows = 0

  const add = (raw: string): void => {
    const text = raw.replace(/\s+/g, ' ').trim()
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 8)
    found.push({ section, hash, text })
  }
  const endParagraph = (): void => {
    if (paragraph.length > 0) paragraph.join(' ').split(sentenceEnd).forEach(add)
    paragraph = []
  }

  for (const line of document.split('\n')) {
    const item = /^\s*(?:[-*]|\d+\.)\s+(.*)$/.exec(line)?.[1]
    const inTable = line.startsWith('|')
    tableRows = inTable ? tableRows + 1 : 0
    const isText = !line.startsWith('#') && !inTable && item === undefined && line.trim() !== ''
    if (isText) {
      paragraph.push(line)
      continue
    }
    endParagraph()
    section = /^#+ (\d+(?:\.\d+)?)/.exec(line)?.[1] ?? section
    if (item !== undefined) add(item)
    // The first two rows are the head of the table and the line below it.
    if (tableRows > 2) add(line)
  }
  endParagraph()
  return found
}

const sentenceEnd = /(?<=\.)\s+(?=[A-Z`])/

function findDocument(): string | null {
  const named = process.env['CHATGEN_INTERFACE']
  if (named) return readFileSync(named, 'utf8')
  const beside = fileURLToPath(new URL('../../../shared/spec/interface.md', import.meta.url))
  return existsSync(beside) ? readFileSync(beside, 'utf8') : null
}
