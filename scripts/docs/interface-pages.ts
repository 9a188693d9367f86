import { readdirSync, readFileSync } from 'node:fs'
import { conditions, type LawfulOperation, requirementsUnder } from '../../contract/conditions.ts'
import { excluded, exclusionIds, requirementIds, requirements } from '../../contract/index.ts'
import { type Section, sections } from '../../contract/sections.ts'
import { interfaceRevision } from '../../harness/conformance/defaults.ts'
import { type CatalogEntry, catalogEntries, requirementOf } from '../../reports/catalog/entries.ts'

interface Page {
  /** Relative to `docs/interface`. */
  readonly name: string
  readonly text: string
}

const generated = '<!-- Generated from contract by `npm run docs`; edits are overwritten. -->'

/** The interface, section by section: `docs/interface`, a page for each section and an index. */
export function interfacePages(): readonly Page[] {
  const sourcesOf = sectionSources()
  const list = Object.entries<Section>(sections).toSorted(([a], [b]) =>
    // Section numbers are compared part by part: 2, 2.1, 10.
    a.localeCompare(b, 'en', { numeric: true }),
  )
  return [
    { name: 'README.md', text: index(list) },
    ...list.map(([number, section]) => ({
      name: `${number}.md`,
      text: page(number, section, sourcesOf(number)),
    })),
  ]
}

function index(list: readonly (readonly [string, Section])[]): string {
  const rows = list.map(([number, { title }]) => {
    const own = catalogEntries().filter(({ section }) => section === number)
    const of = (...kinds: readonly CatalogEntry['kind'][]) =>
      String(own.filter(({ kind }) => kinds.includes(kind)).length)
    const link = `[${number}. ${title}](${number}.md)`
    return `| ${[link, of('required'), of('expected'), of('open'), of('excluded')].join(' | ')} |`
  })
  return [
    generated,
    '',
    '# The interface, section by section',
    '',
    `The interface document of the Chat Generation Service, revision ${interfaceRevision}, restated with its section`,
    'numbers. Each page lists what the section specifies, the requirements that follow from it, its open',
    'questions, the statements that cannot be tested over HTTP, and the files with the tests. The contracts',
    'that the document refers to are in [wire-contract.md](../internals/wire-contract.md).',
    '',
    '- MUST: required by the interface document. A violation makes the target non-conforming.',
    '- SHOULD: the interface document is silent, but a contract that it refers to requires this. A violation is a warning.',
    '- wire: required of every server with the common format of chat completions (`--profile wire`).',
    '- A requirement needs a capability or a member of the target profile: without it, it is undecided. A capability',
    '  that is declared false makes it not applicable.',
    '- A requirement depends on others: if one of them is violated, it is inconclusive.',
    '',
    'Ids are frozen: requirements may be added, their meaning may not change.',
    '',
    '| Section | MUST | SHOULD | open questions | exclusions |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function page(number: string, { title, summary }: Section, sources: Sources): string {
  const own = catalogEntries().filter(({ section }) => section === number)
  const of = (...kinds: readonly CatalogEntry['kind'][]) =>
    own.filter(({ kind }) => kinds.includes(kind))
  return [
    generated,
    '',
    `# Section ${number}: ${title}`,
    '',
    summary,
    ...part('Requirements', of('required', 'expected').map(requirementLine)),
    ...part(
      'Open questions',
      of('open').map(({ id, text }) => `- **${id}**: ${text}`),
    ),
    ...part('Not testable over HTTP', exclusionLines(number)),
    ...part('Tests', sourceLines(sources)),
    '',
  ].join('\n')
}

function sourceLines(sources: Sources): readonly string[] {
  const code = (paths: readonly string[]) => paths.map((path) => `\`${path}\``).join(', ')
  return Object.entries(sources)
    .filter(([, paths]) => paths.length > 0)
    .map(([name, paths]) => `- ${name}: ${code(paths)}`)
}

function part(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `## ${heading}`, '', ...lines]
}

function requirementLine({ id, source, text }: CatalogEntry): string {
  const { contract, capability, member, needs = [] } = requirementOf(id) ?? {}
  const rule =
    contract && `([${contract}](../internals/wire-contract.md#${contract.toLowerCase()}))`
  const wants = [capability && `capability ${capability}`, member && `\`${member}\``].filter(
    Boolean,
  )
  const notes = [
    source === 'wire' && '(wire)',
    rule,
    wants.length > 0 && `Needs ${wants.join(', ')}.`,
    needs.length > 0 && `Depends on ${needs.join(', ')}.`,
  ]
  const line = [`- <a id="${id.toLowerCase()}"></a>**${id}**: ${text}`, ...notes]
  return line.filter(Boolean).join(' ')
}

function exclusionLines(number: string): readonly string[] {
  return exclusionIds
    .filter((id) => excluded[id].section === number)
    .map((id) => `- **${id}**: ${excluded[id].title} ${excluded[id].reason}`)
}

const root = new URL('../../', import.meta.url)

/** Paths of files by their kind. */
type Sources = Readonly<Record<string, readonly string[]>>

/** Finds the files that declare and test the requirements of a section, by the ids that they name. */
function sectionSources(): (section: string) => Sources {
  const [suites, judges, catalog] = [
    idsByFile('suites', '.scenario.ts'),
    idsByFile('harness/judges', '.ts'),
    idsByFile('contract/catalog', '.ts'),
  ]
  return (section) => {
    const own = requirementIds.filter((id) => requirements[id].section === section)
    const naming = (files: ReadonlyMap<string, ReadonlySet<string>>) =>
      [...files].filter(([, ids]) => own.some((id) => ids.has(id))).map(([path]) => path)
    const folders = naming(judges).map((path) => path.slice(0, path.lastIndexOf('/')))
    return { Suites: naming(suites), Judges: [...new Set(folders)], Catalog: naming(catalog) }
  }
}

/**
 * Ids of requirements that each file names, alone, as an area: `requirementsOf('OAI-STREAM')`, or by the conditions of
 * an operation: `requirementsOfLaws('openai.chat')`.
 */
function idsByFile(folder: string, ending: string): ReadonlyMap<string, ReadonlySet<string>> {
  const names = readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
  const paths = names
    .filter((name) => name.endsWith(ending) && !/\.test\.ts$|test-support\//.test(name))
    .map((name) => `${folder}/${name}`)
    .toSorted()
  return new Map(paths.map((path) => [path, idsIn(readFileSync(new URL(path, root), 'utf8'))]))
}

function idsIn(text: string): ReadonlySet<string> {
  // A dependency of another requirement is not a test.
  const source = text.replaceAll(/needs: \[[^\]]*\]/g, '')
  const areas = [...source.matchAll(/requirementsOf\(\s*'([A-Z0-9-]+)'/g)].map(([, area]) => area)
  const ofLaws = Object.keys(conditions)
    .filter((operation) => new RegExp(`requirementsOfLaws\\(\\s*'${operation}'`).test(source))
    .flatMap((operation) => requirementsUnder(operation as LawfulOperation))
  return new Set(
    requirementIds.filter(
      (id) =>
        source.includes(`'${id}'`) ||
        areas.some((area) => id.startsWith(`${area}-`)) ||
        ofLaws.includes(id),
    ),
  )
}
