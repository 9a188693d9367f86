import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { requirementIds, requirements } from '../../contract/index.ts'
import { sections } from '../../contract/sections.ts'
import { isPage, isSource, type Repository } from './repository.ts'

/** Broken links, sections, rules and paths, and an import table that differs from the enforced one. */
export function referenceProblems(repository: Repository): readonly string[] {
  return [
    ...brokenLinks(repository),
    ...unlinkedSections(repository),
    ...unknownSections(repository),
    ...unknownRules(repository),
    ...unknownPaths(repository),
    ...importTable(repository),
  ]
}

/** Relative links of pages to files or headings that do not exist. */
export function brokenLinks(repository: Repository): readonly string[] {
  return pages(repository).flatMap(([page, text]) =>
    [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(repository, page, link))
      .map((link) => `${page}: broken link ${link}`),
  )
}

/** Sections of the interface that a page names without a link. */
export function unlinkedSections(repository: Repository): readonly string[] {
  return pages(repository)
    .filter(([page]) => page !== 'CHANGELOG.md')
    .flatMap(([page, text]) => {
      const prose = withoutCode(text).replaceAll(/\[[^\]]*\]\([^)]*\)/g, '')
      return [...prose.matchAll(/(?<!# )\bsections? \d[\d.]*/gi)].map(
        ([section]) => `${page}: ${section} without a link`,
      )
    })
}

const sectionNames = /\bsections? (\d(?:\.\d)?(?:(?:, | and | to )\d(?:\.\d)?)*)/gi
const otherDocument = /RFC|HTML|WHATWG/

/** Sections of the interface in comments that have no page in docs/interface. */
export function unknownSections(repository: Repository): readonly string[] {
  const anchors = new Set<string>(Object.keys(sections))
  const sources = [...repository].filter(([path]) => isSource(path) && !path.startsWith(here))
  return sources.flatMap(([path, text]) =>
    [...text.matchAll(sectionNames)]
      .filter(({ index, input }) => !otherDocument.test(input.slice(index - 40, index)))
      .flatMap(([, numbers]) => numbers?.match(/\d(?:\.\d)?/g) ?? [])
      .filter((number) => !anchors.has(number) && !anchors.has(`${number}.1`))
      .map((number) => `${path}: section ${number} does not exist`),
  )
}

/** Rules of the wire contract without an anchor on its page. */
function unknownRules(repository: Repository): readonly string[] {
  const page = repository.get('docs/internals/wire-contract.md') ?? ''
  return [...new Set(requirementIds.flatMap((id) => requirements[id].contract ?? []))]
    .filter((rule) => !page.includes(`<a id="${rule.toLowerCase()}"></a>`))
    .map((rule) => `docs/internals/wire-contract.md: no anchor for ${rule}`)
}

const here = 'scripts/house/'
const guides = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'GLOSSARY.md', 'README.md']
const pathNames =
  /(?<![\w./:-])((?:bin|contract|docs|fixtures|harness|reference-server|reports|scripts|suites)\/[\w./-]*\w)(?![\w*<])/g

/** Paths in the guides that do not exist. */
export function unknownPaths(repository: Repository): readonly string[] {
  const paths = new Set(repository.keys())
  for (const path of repository.keys()) {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) paths.add(folder)
  }
  return guides.flatMap((guide) =>
    [...(repository.get(guide) ?? '').matchAll(pathNames)]
      .map(([, path = '']) => path)
      .filter((path) => !paths.has(path) && !paths.has(`${path}.ts`))
      .map((path) => `${guide}: ${path} does not exist`),
  )
}

function importTable(repository: Repository): readonly string[] {
  const page = repository.get('ARCHITECTURE.md') ?? ''
  const cells = (text: string) => text.replaceAll(/ +\|/g, ' |').replaceAll(/-{3,}/g, '---')
  if (cells(withImportTable(page)) === cells(page)) return []
  return ['ARCHITECTURE.md: the import table is not the enforced one: run npm run docs']
}

function pages(repository: Repository): readonly (readonly [string, string])[] {
  return [...repository].filter(([path]) => isPage(path))
}

function leadsSomewhere(repository: Repository, page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path).replace(/\/$/, '')
  const text = repository.get(target)
  if (text === undefined) return [...repository.keys()].some((key) => key.startsWith(`${target}/`))
  if (anchor === undefined || !isPage(target)) return true
  return text.includes(`<a id="${anchor}"></a>`) || headingsOf(text).includes(anchor)
}

/** Anchors as Git hosts derive them from headings. */
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

interface Rule {
  readonly name: string
  readonly from: { readonly path?: string }
  readonly to: { readonly pathNot?: readonly string[] }
}

const begin = '<!-- imports: written by `npm run docs` -->'
const end = '<!-- end of imports -->'

/** The page with its table replaced; the descriptions of the folders are kept. Throws if one is missing. */
export function withImportTable(page: string): string {
  const start = page.indexOf(begin)
  const stop = page.indexOf(end)
  if (start < 0 || stop < start)
    throw new Error('ARCHITECTURE.md has no place for the import table')
  const described = new Map(
    [...page.slice(start, stop).matchAll(/^\| `([^`]+)`: (.*?) *\| .*\|$/gm)].map(
      ([, folder = '', text = '']) => [folder, text],
    ),
  )
  const rows = rules().map(([folder, imports]) => {
    const text = described.get(folder)
    if (text === undefined) throw new Error(`ARCHITECTURE.md does not describe ${folder}`)
    return `| \`${folder}\`: ${text} | ${imports.join(', ')} |`
  })
  const table = ['| Folder | May import |', '| --- | --- |', ...rows]
  return `${page.slice(0, start)}${begin}\n\n${table.join('\n')}\n\n${page.slice(stop)}`
}

function rules(): readonly (readonly [folder: string, imports: readonly string[]])[] {
  const config: { forbidden: readonly Rule[] } = createRequire(import.meta.url)(
    '../../.dependency-cruiser.cjs',
  )
  return config.forbidden
    .filter(({ name }) => name.startsWith('imports-of-'))
    .map(({ from, to }) => {
      const folder = plain(from.path ?? '')
      const [, ...allowed] = to.pathNot ?? []
      return [folder, allowed.map(plain)] as const
    })
}

/** A folder or a package, without the syntax of regular expressions. */
function plain(pattern: string): string {
  return pattern
    .replace('^node_modules/', '')
    .replace('(/|[.]ts$)', '')
    .replace('[^/]+', '*')
    .replace(/^\^/, '')
    .replace(/\/$/, '')
}
