/** What comments and pages refer to exists in the repository. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { requirementIds, requirements } from '../../contract/index.ts'
import { sections } from '../../contract/sections.ts'
import { withImportTable } from '../../scripts/import-table.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)))

const pages = files.filter((file) => file.endsWith('.md'))
const sources = files.filter((file) => file.endsWith('.ts'))

test('relative links of the pages lead to files and headings that exist', () => {
  const broken = pages.flatMap((page) =>
    linksOf(read(page))
      .filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(page, link))
      .map((link) => `${page}: ${link}`),
  )
  expect(broken).toEqual([])
})

test('a page that names a section of the interface links it', () => {
  const bare = pages
    .filter((page) => page !== 'CHANGELOG.md' && page !== 'docs/kill-matrix.md')
    .flatMap((page) => {
      const prose = withoutCode(read(page)).replaceAll(/\[[^\]]*\]\([^)]*\)/g, '')
      return [...prose.matchAll(/(?<!# )\bsections? \d[\d.]*/gi)].map(
        ([found]) => `${page}: ${found}`,
      )
    })
  expect(bare).toEqual([])
})

const named = /\bsections? (\d(?:\.\d)?(?:(?:, | and | to )\d(?:\.\d)?)*)/gi
const otherDocument = /RFC|HTML|WHATWG/

test('sections that the code names have a page', () => {
  const known = new Set<string>(Object.keys(sections))
  const unknown = sources.flatMap((file) =>
    [...read(file).matchAll(named)]
      .filter(({ index, input }) => !otherDocument.test(input.slice(index - 40, index)))
      .flatMap(([, numbers]) => numbers?.match(/\d(?:\.\d)?/g) ?? [])
      .filter((number) => !known.has(number) && !known.has(`${number}.1`))
      .map((number) => `${file}: section ${number}`),
  )
  expect(unknown).toEqual([])
})

test('rules of the wire contract have an anchor on its page', () => {
  const page = read('docs/wire-contract.md')
  const rules = requirementIds.flatMap((id) => requirements[id].contract ?? [])
  expect(rules.filter((rule) => !page.includes(`<a id="${rule.toLowerCase()}"></a>`))).toEqual([])
  // By the name of a rule or a heading: numbers of another edition would lead nowhere.
  const numbered = sources.filter((file) => /wire contract \d/i.test(read(file)))
  expect(numbered.filter((file) => !file.endsWith('references.test.ts'))).toEqual([])
})

test('the import table of ARCHITECTURE.md is the enforced one (`npm run docs` writes it)', () => {
  const page = read('ARCHITECTURE.md')
  const cells = (text: string) => text.replaceAll(/ +\|/g, ' |').replaceAll(/-{3,}/g, '---')
  expect(cells(withImportTable(page))).toBe(cells(page))
})

function linksOf(page: string): readonly string[] {
  return [...withoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? '')
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, target))) return false
  if (anchor === undefined || !target.endsWith('.md')) return true
  const text = read(target)
  return text.includes(`<a id="${anchor}"></a>`) || headingsOf(text).includes(anchor)
}

/** Anchors as Git hosts make them of headings. */
function headingsOf(page: string): readonly string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )
}

function withoutCode(page: string): string {
  return page.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '')
}
