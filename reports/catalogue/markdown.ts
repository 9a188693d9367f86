import { excluded, exclusionIds, type Surface, surfaces } from '../../contract/index.ts'
import { count } from '../text/format.ts'
import {
  areaTitle,
  type CatalogueRow,
  catalogueRows,
  requirementOf,
  surfaceTitle,
} from './entries.ts'

/** The whole catalogue as a Markdown document, `docs/requirements.md`. */
export function catalogueToMarkdown(): string {
  const rows = catalogueRows()
  return `${[head(rows), ...surfaces.map((surface) => surfacePart(rows, surface)), exclusionPart(), questionPart(rows)].join('\n\n')}\n`
}

function head(rows: readonly CatalogueRow[]): string {
  const of = (kind: CatalogueRow['kind']) => rows.filter((row) => row.kind === kind).length
  return [
    '<!-- Generated from contract/catalogue by `npm run docs`; edits are overwritten. -->',
    '',
    '# Requirements',
    '',
    'Every statement of the [interface document](interface/README.md) is covered by this',
    `list: ${count(of('required') + of('expected'), 'requirement')} (${of('required')} required, ${of('expected')} expected), ${count(of('excluded'), 'exclusion')} and ${count(of('open'), 'open question')}.`,
    '',
    '- **required**: stated in the interface document. A violation makes the target non-conforming.',
    '- **expected**: the interface document is silent, but the contract it refers to requires this. A',
    '  violation is a warning.',
    '- **needs**: the capability or the member of the target profile without which the requirement cannot',
    '  be tested. A capability that is declared false makes it not applicable.',
    '- **depends on**: if one of these is violated, this requirement is inconclusive.',
    '- **contract**: the rule of the [wire contract](internals/wire-contract.md) that the requirement restates.',
    '',
    'Ids are frozen: requirements may be added, their meaning may not change.',
  ].join('\n')
}

function surfacePart(rows: readonly CatalogueRow[], surface: Surface): string {
  const own = rows.filter((row) => row.surface === surface && row.kind !== 'open')
  const areas = [...new Set(own.map((row) => row.area))]
  const parts = areas.map((area) =>
    [
      `### ${area}: ${areaTitle(area)}`,
      '',
      ...table(
        ['id', 'level', 'section', 'requirement', 'needs', 'depends on', 'contract'],
        own.filter((row) => row.area === area).map(requirementCells),
      ),
    ].join('\n'),
  )
  return [`## ${surfaceTitle(surface)}`, ...parts].join('\n\n')
}

function requirementCells({ id, kind, section, text }: CatalogueRow): readonly string[] {
  const { capability, member, needs, contract } = requirementOf(id) ?? {}
  const wants = [capability && `capability ${capability}`, member && `\`${member}\``]
  return [
    id,
    kind,
    sectionLink(section),
    text,
    wants.filter(Boolean).join(', '),
    (needs ?? []).join(', '),
    contract === undefined
      ? ''
      : `[${contract}](internals/wire-contract.md#${contract.toLowerCase()})`,
  ]
}

function sectionLink(section: string): string {
  return `[${section}](interface/${section}.md)`
}

function exclusionPart(): string {
  const rows = exclusionIds.map((id) => {
    const { section, title, reason } = excluded[id]
    return [id, sectionLink(section), title, reason]
  })
  return [
    '## Exclusions',
    '',
    'Statements that cannot be observed over HTTP.',
    '',
    ...table(['id', 'section', 'statement', 'reason'], rows),
  ].join('\n')
}

function questionPart(rows: readonly CatalogueRow[]): string {
  const open = rows.filter((row) => row.kind === 'open')
  return [
    '## Open questions',
    '',
    'Points that the interface document leaves open. A run records the answer of the target and judges nothing.',
    '',
    ...table(
      ['id', 'section', 'surface', 'question'],
      open.map(({ id, section, surface, text }) => [id, sectionLink(section), surface ?? '', text]),
    ),
  ].join('\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`),
  ]
}
