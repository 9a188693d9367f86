import { describe, expect, test } from 'vitest'
import { errorNameProblems } from './error-names.ts'
import { functionProblems } from './functions.ts'
import { brokenLinks, unknownPaths, unknownSections, unlinkedSections } from './references.ts'
import { scanSource } from './scan-source.ts'
import { sizeProblems } from './sizes.ts'
import { testProblems } from './tests.ts'
import { wordProblems } from './words.ts'

/** Rules of `npm run check:house`: each catches a violation and passes what looks like one. */

const repository = (files: Readonly<Record<string, string>>) => new Map(Object.entries(files))

describe('source is split into code, comments and texts', () => {
  test.each([
    [
      'const a = 1 // b',
      [
        ['code', 'const a = 1 '],
        ['comment', '// b'],
      ],
    ],
    [
      "f('it\\'s /* no comment */')",
      [
        ['code', 'f('],
        ['text', "'it\\'s /* no comment */'"],
        ['code', ')'],
      ],
    ],
    [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
      '`a ${b + `${c}`} d`',
      [
        ['text', '`a ${'],
        ['code', 'b + '],
        ['text', '`${'],
        ['code', 'c'],
        ['text', '}`'],
        ['text', '} d`'],
      ],
    ],
    [
      'x = /[/"\']/g; y',
      [
        ['code', 'x = '],
        ['text', '/[/"\']/g'],
        ['code', '; y'],
      ],
    ],
    [
      "a / b / 'c'",
      [
        ['code', 'a / b / '],
        ['text', "'c'"],
      ],
    ],
    [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
      '`${{ a: 1 }.a}` + b',
      [
        ['text', '`${'],
        ['code', '{ a: 1 }.a'],
        ['text', '}`'],
        ['code', ' + b'],
      ],
    ],
  ])('%s', (source, expected) => {
    expect(scanSource(source).map(({ kind, text }) => [kind, text])).toEqual(expected)
  })

  test('with the line of each part, and nothing lost', () => {
    const source = "/* a\n b */\nconst c = 'd'\n// e\n"
    const parts = scanSource(source)
    expect(parts.map(({ text }) => text).join('')).toBe(source)
    expect(parts.map(({ line }) => line)).toEqual([1, 2, 3, 3, 4, 4])
  })
})

describe('words', () => {
  test.each([
    ['a.ts', 'const ok = 1\nconst mostOpen = 2', 'a.ts:2: mostOpen: use max*'],
    ['a.ts', 'const known = cache.get(1)', 'a.ts:1: const known: use a noun'],
    ['a.ts', 'if (a.some((seen) => b)) c()', 'a.ts:1: seen: use a noun'],
    ['a.ts', '/** What is left. */', 'a.ts:1: /** What: use a noun or a verb first'],
    ['a.ts', 'a()\n/** Of it. */', 'a.ts:2: /** Of: use a noun or a verb first'],
    ['a.ts', '/**\n * Where it is. */', 'a.ts:1: /** * Where: use a noun or a verb first'],
    [
      'a.ts',
      'interface A {\n  /** In ms. */\n  a: B\n}',
      'a.ts:2: /** In: use a noun or a verb first',
    ],
    ['a.ts', 'f(/** Only ms. */ a)', 'a.ts:1: /** Only: use a noun or a verb first'],
    ['README.md', 'Whoever reads', 'README.md:1: Whoever: use a noun'],
  ])('%s: %s', (path, text, problem) => {
    expect(wordProblems(repository({ [path]: text }))).toContain(problem)
  })

  test.each([
    ['a.ts', '// mostOpen was its name\nconst maxOpen = "mostOpen"'],
    ['a.ts', '/** Reads what was sent. */'],
    ['a.ts', '/** At most 25 rows. */'],
    ['a.ts', '/** In-band errors. */'],
    ['a.ts', '/** Forms of it. */'],
    ['a.ts', '// In ms.\n/* Of it. */'],
    ['a.ts', 'rows.filter(({ known }) => !known)'],
    ['a.ts', 'const almost = 1; const mostly = 2'],
    ['docs/interface/5.md', 'Whoever reads'],
  ])('%s: %s is fine', (path, text) => {
    expect(wordProblems(repository({ [path]: text }))).toEqual([])
  })
})

test('folders and files have a bounded size; tests do not count', () => {
  const files = (count: number, name: (n: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [name(n), 'a\n']))
  expect(sizeProblems(repository(files(13, (n) => `x/${n}.ts`)))).toHaveLength(1)
  expect(sizeProblems(repository(files(13, (n) => `x/${n}.test.ts`)))).toEqual([])
  expect(sizeProblems(repository(files(12, (n) => `x/${n}.ts`)))).toEqual([])
  expect(sizeProblems(repository({ 'x/a.ts': 'a\n'.repeat(251) }))).toHaveLength(1)
  expect(sizeProblems(repository({ 'x/a.ts': 'a\n'.repeat(250) }))).toEqual([])
})

test('an exception that is not needed is a problem', () => {
  const path = 'harness/client/network/http2.ts'
  expect(sizeProblems(repository({ [path]: 'a\n'.repeat(251) }))).toEqual([])
  expect(sizeProblems(repository({ [path]: 'a\n'.repeat(250) }))).toHaveLength(1)
})

test('functions have a bounded length', () => {
  const source = (lines: number) =>
    `export async function f({\n  a,\n}: A): B {\n${'  a\n'.repeat(lines - 4)}}\n`
  expect(functionProblems(repository({ 'x/a.ts': source(81) }))).toEqual([
    'x/a.ts f: 81 lines, at most 80',
  ])
  expect(functionProblems(repository({ 'x/a.ts': source(80) }))).toEqual([])
  const path = 'scripts/image/targets.ts'
  expect(functionProblems(repository({ [path]: source(80) }))).toHaveLength(1)
})

test('the name of an error is that of its class', () => {
  const source = (name: string) =>
    `class NoBedError extends Error {\n  override readonly name = '${name}'\n}\n`
  expect(errorNameProblems(repository({ 'a.ts': source('NoBed') }))).toHaveLength(1)
  expect(errorNameProblems(repository({ 'a.ts': source('NoBedError') }))).toEqual([])
})

describe('references', () => {
  const page = '# One two\n[a](b.md) [c](#one-two) [d](https://x.example)\n```\n[no](link)\n```\n'

  test('links lead to files and headings', () => {
    expect(brokenLinks(repository({ 'a.md': page, 'b.md': '' }))).toEqual([])
    expect(brokenLinks(repository({ 'a.md': page }))).toEqual(['a.md: broken link b.md'])
    const anchor = repository({ 'a.md': '[x](b.md#three)', 'b.md': '# Two' })
    expect(brokenLinks(anchor)).toEqual(['a.md: broken link b.md#three'])
  })

  test('sections are linked on pages and exist in comments', () => {
    expect(unlinkedSections(repository({ 'a.md': 'See section 4.3.' }))).toHaveLength(1)
    expect(unlinkedSections(repository({ 'a.md': 'See [section 4.3](4.3.md).' }))).toEqual([])
    expect(unknownSections(repository({ 'a.ts': '// section 4.9' }))).toHaveLength(1)
    expect(
      unknownSections(repository({ 'a.ts': '// section 4.3, RFC 9110, section 15.4' })),
    ).toEqual([])
  })

  test('paths in the guides exist', () => {
    const guide = (text: string) => repository({ 'ARCHITECTURE.md': text, 'harness/a/b.ts': '' })
    expect(unknownPaths(guide('`harness/a/b.ts`, harness/a/, `harness/a/b` and reports'))).toEqual(
      [],
    )
    expect(unknownPaths(guide('`harness/a/c.ts`'))).toEqual([
      'ARCHITECTURE.md: harness/a/c.ts does not exist',
    ])
  })
})

test('each test file is run by one command', () => {
  const found = (path: string) => testProblems(repository({ [path]: '' }))
  expect(found('harness/a.test.ts')).toEqual([])
  expect(found('harness/a.slow.test.ts')).toEqual([])
  expect(found('reports/html.browser.test.ts')).toEqual([])
  expect(found('harness/latest.ts')).toEqual([])
  for (const path of ['docs/a.test.ts', 'harness/a.spec.ts', 'harness/a.test.mts', 'a/b.slow.ts']) {
    expect(found(path)).toEqual([`${path}: run by no command`])
  }
  expect(found('scripts/browser.test.ts')).toEqual(['scripts/browser.test.ts: run by no command'])
})
