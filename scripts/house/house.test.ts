import { describe, expect, test } from 'vitest'
import { brokenLinks, unknownPaths, unknownSections, unlinkedSections } from './references.ts'
import { errorNameProblems, sizeProblems } from './repository.ts'
import { wordProblems } from './words.ts'

/** Rules of `npm run check:house`: each catches a violation and passes what looks like one. */

const repository = (files: Readonly<Record<string, string>>) => new Map(Object.entries(files))

const subjectFirst = 'the subject and a verb, and `if` for a condition'

describe('words', () => {
  test.each([
    ['a.ts', 'const ok = 1\nconst mostOpen = 2', 'a.ts:2: mostOpen: use max* or min*'],
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
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
    ['a.ts', 'f(`a ${mostOpen}`, /["/]/)', 'a.ts:1: mostOpen: use max* or min*'],
    ['a.ts', 'f(/** Only ms. */ a)', 'a.ts:1: /** Only: use a noun or a verb first'],
    ['README.md', 'Whoever reads', 'README.md:1: Whoever: use a noun'],
    ['a.test.ts', "\ntest('what it is', f)", `a.test.ts:2: what: use ${subjectFirst}`],
    [
      'a.test.ts',
      "it.each([1])('is 1 where it ends', f)",
      `a.test.ts:1: where: use ${subjectFirst}`,
    ],
    ['a.test.ts', "describe('of two', f)", 'a.test.ts:1: of: use the subject first'],
  ])('reject %s: %s', (path, text, problem) => {
    expect(wordProblems(repository({ [path]: text }))).toContain(problem)
  })

  test.each([
    ['a.ts', '// mostOpen was its name\nconst maxOpen = "mostOpen"'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
    ['a.ts', "f(/[\"mostOpen]/, `${a / b} mostOpen`, 'it\\'s mostOpen')"],
    ['a.ts', '/** Reads what was sent. */'],
    ['a.ts', '/** At most 25 rows. */'],
    ['a.ts', '/** In-band errors. */'],
    ['a.ts', '/** Forms of it. */'],
    ['a.ts', '// In ms.\n/* Of it. */'],
    ['a.ts', 'rows.filter(({ known }) => !known)'],
    ['a.ts', 'const almost = 1; const mostly = 2'],
    ['docs/interface/5.md', 'Whoever reads'],
    ['a.test.ts', "describe('a list', () => {\n  test('of two is short', f)\n})"],
    ['a.test.ts', "test('a list is whole', () => expect('what it is').toBe('of two'))"],
    ['a.scenario.ts', "test('what it is', f)"],
  ])('accept %s: %s', (path, text) => {
    expect(wordProblems(repository({ [path]: text }))).toEqual([])
  })
})

test('folders have a limited number of source files, without tests', () => {
  const files = (count: number, ending: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`x/${n}${ending}`, 'a\n']))
  expect(sizeProblems(repository(files(13, '.ts')))).toHaveLength(1)
  expect(sizeProblems(repository(files(13, '.test.ts')))).toEqual([])
  expect(sizeProblems(repository(files(12, '.ts')))).toEqual([])
})

test('error names are those of their classes', () => {
  const source = (name: string) =>
    `class NoBedError extends Error {\n  override readonly name = '${name}'\n}\n`
  expect(errorNameProblems(repository({ 'a.ts': source('NoBed') }))).toHaveLength(1)
  expect(errorNameProblems(repository({ 'a.ts': source('NoBedError') }))).toEqual([])
})

describe('references', () => {
  const page = '# One two\n[a](b.md) [c](#one-two) [d](https://x.example)\n```\n[no](link)\n```\n'

  test('must be links to existing files and headings', () => {
    expect(brokenLinks(repository({ 'a.md': page, 'b.md': '' }))).toEqual([])
    expect(brokenLinks(repository({ 'a.md': page }))).toEqual(['a.md: broken link b.md'])
    const anchor = repository({ 'a.md': '[x](b.md#three)', 'b.md': '# Two' })
    expect(brokenLinks(anchor)).toEqual(['a.md: broken link b.md#three'])
  })

  test('to sections must be links on pages and exist in comments', () => {
    expect(unlinkedSections(repository({ 'a.md': 'See section 4.3.' }))).toHaveLength(1)
    expect(unlinkedSections(repository({ 'a.md': 'See [section 4.3](4.3.md).' }))).toEqual([])
    expect(unknownSections(repository({ 'a.ts': '// section 4.9' }))).toHaveLength(1)
    expect(
      unknownSections(repository({ 'a.ts': '// section 4.3, RFC 9110, section 15.4' })),
    ).toEqual([])
  })

  test('to paths in guides must exist', () => {
    const guide = (text: string) => repository({ 'ARCHITECTURE.md': text, 'harness/a/b.ts': '' })
    expect(unknownPaths(guide('`harness/a/b.ts`, harness/a/, `harness/a/b` and reports'))).toEqual(
      [],
    )
    expect(unknownPaths(guide('`harness/a/c.ts`'))).toEqual([
      'ARCHITECTURE.md: harness/a/c.ts does not exist',
    ])
  })
})
