import { excluded, exclusionIds } from '../../contract/index.ts'
import { type Section, sections } from '../../contract/sections.ts'
import { type CatalogueRow, catalogueRows, requirementOf } from './entries.ts'

export interface Page {
  /** Relative to `docs/interface`. */
  readonly name: string
  readonly text: string
}

const generated = '<!-- Generated from contract by `npm run docs`; edits are overwritten. -->'

/** The interface, section by section: `docs/interface`, a page for each section and an index. */
export function interfacePages(): readonly Page[] {
  const list = Object.entries<Section>(sections)
  return [
    { name: 'README.md', text: index(list) },
    ...list.map(([number, section]) => ({ name: `${number}.md`, text: page(number, section) })),
  ]
}

function index(list: readonly (readonly [string, Section])[]): string {
  const rows = list.map(([number, { title }]) => {
    const own = catalogueRows().filter(({ section }) => section === number)
    const of = (...kinds: readonly CatalogueRow['kind'][]) =>
      String(own.filter(({ kind }) => kinds.includes(kind)).length)
    const link = `[${number}. ${title}](${number}.md)`
    return `| ${[link, of('required'), of('expected'), of('open'), of('excluded')].join(' | ')} |`
  })
  return [
    generated,
    '',
    '# The interface, section by section',
    '',
    'The interface document of the Chat Generation Service, restated with its section numbers. Each page',
    'says what the section settles, which requirements follow from it, what it leaves open, and which of',
    'its statements cannot be tested. The contracts that it names are in [wire-contract.md](../wire-contract.md).',
    '',
    '| Section | MUST | SHOULD | open questions | exclusions |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function page(number: string, { title, summary }: Section): string {
  const own = catalogueRows().filter(({ section }) => section === number)
  const of = (...kinds: readonly CatalogueRow['kind'][]) =>
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
    '',
  ].join('\n')
}

function part(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `## ${heading}`, '', ...lines]
}

function requirementLine({ id, text }: CatalogueRow): string {
  const { contract } = requirementOf(id) ?? {}
  const rule = contract && ` ([${contract}](../wire-contract.md#${contract.toLowerCase()}))`
  return `- <a id="${id.toLowerCase()}"></a>**${id}**: ${text}${rule ?? ''}`
}

function exclusionLines(number: string): readonly string[] {
  return exclusionIds
    .filter((id) => excluded[id].section === number)
    .map((id) => `- **${id}**: ${excluded[id].title} ${excluded[id].reason}`)
}
