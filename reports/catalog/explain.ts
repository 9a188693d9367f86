import { Chalk } from 'chalk'
import { conditionsOf } from '../../contract/conditions.ts'
import {
  type ExclusionId,
  excluded,
  isRequirementId,
  requirementIds,
  requirements,
  type Source,
} from '../../contract/index.ts'
import { specified } from '../../contract/sections.ts'
import { statements } from '../../contract/statements.ts'
import { wrap } from '../text/escape.ts'
import { count } from '../text/format.ts'
import {
  areaTitle,
  type CatalogEntry,
  type EntryKind,
  findEntry,
  requirementOf,
  surfaceTitles,
} from './entries.ts'

/** Everything that the catalog says about one entry; undefined for an unknown id. */
export function explainEntry(id: string, { color = false, width = 80 } = {}): string | undefined {
  const row = findEntry(id)
  if (row === undefined) return undefined
  const chalk = new Chalk({ level: color ? 1 : 0 })
  const label = (name: string) => chalk.dim(name.padEnd(labelWidth))
  const lines = facts(row).flatMap(([name, text]) =>
    text
      ? wrap(text, width - labelWidth).map((line, at) => label(at === 0 ? name : '') + line)
      : [],
  )
  return `${[chalk.bold(row.id), ...wrap(row.text, width), '', ...lines].join('\n')}\n`
}

const labelWidth = 12

/** A fact without a text is left out. */
type Fact = readonly [name: string, text: string | null | undefined | false]

function facts(row: CatalogEntry): readonly Fact[] {
  return [
    [row.kind === 'excluded' || row.kind === 'open' ? 'kind' : 'level', meanings[row.kind]],
    ['section', sectionText(row)],
    ['specifies', specified(row.id, row.section)],
    ['surface', row.surface && surfaceTitles[row.surface]],
    ['reason', row.kind === 'excluded' && excluded[row.id as ExclusionId].reason],
    ...requirementFacts(row),
  ]
}

const meanings: Readonly<Record<EntryKind, string>> = {
  required:
    'required: stated in the interface document. A violation makes the target non-conforming.',
  expected:
    'expected: the interface document is silent, but the contract it refers to requires this. A violation is a warning, and counts only with --strict.',
  excluded: 'excluded: cannot be observed over HTTP; never judged.',
  open: 'open: the interface document leaves this open. The behavior of the target is recorded, never judged.',
}

const sources: Readonly<Record<Source, string>> = {
  wire: 'wire: required of every server with the common format of chat completions (--profile wire).',
  service: 'service: required only by the interface document.',
}

function sectionText({ id, section }: CatalogEntry): string {
  const owned = statements().filter(({ owners }) => owners.includes(id)).length
  return owned === 0 ? section : `${section} (covers ${count(owned, 'statement')} of the document)`
}

function requirementFacts({ id, area, source }: CatalogEntry): readonly Fact[] {
  const requirement = requirementOf(id)
  if (requirement === undefined) return []
  const { capability, member, needs = [], contract } = requirement
  const form = contract?.startsWith('R') ? 'Responses-style streaming' : 'chat completions'
  const tried = isRequirementId(id) ? conditionsOf(id) : []
  const above = requirementIds.filter((other) => requirements[other].needs?.includes(id))
  return [
    ['source', source && sources[source]],
    ['area', `${area}, ${areaTitle(area)}`],
    [
      'depends on',
      needs.length > 0 &&
        `${needs.join(', ')}: if one of these is violated, this requirement is inconclusive.`,
    ],
    ['required by', above.join(', ')],
    [
      'capability',
      capability &&
        `${capability}: capabilities.${capability} in the target profile; true: must work; false: not applicable; absent: not tested.`,
    ],
    [
      'profile',
      member &&
        `${member}: without this member of the target profile the requirement is not tested.`,
    ],
    ['contract', contract && `${contract} of the ${form} contract.`],
    ...tried.map(
      ([operation, text]): Fact => [
        'conditions',
        `${operation} with ${text}. Each of them at every depth, at normal several times with others, at full with each condition of the operation.`,
      ],
    ),
  ]
}

/** One line for each entry: id, kind, surface, section, source, sentence; in columns. */
export function catalogToText(rows: readonly CatalogEntry[], { color = false } = {}): string {
  const chalk = new Chalk({ level: color ? 1 : 0 })
  const table = rows.map(({ id, kind, surface, section, source }) => [
    ...[id, kind, surface ?? '', section, source ?? ''],
  ])
  const widths = [0, 1, 2, 3, 4].map((at) =>
    Math.max(...table.map((cells) => cells[at]?.length ?? 0)),
  )
  return rows
    .map(({ kind, text }, row) => {
      const cells = (table[row] ?? []).map((cell, at) => cell.padEnd(widths[at] ?? 0))
      const [id = '', level = '', ...others] = cells
      return `${[chalk.bold(id), chalk[colors[kind]](level), ...others, text].join('  ')}\n`
    })
    .join('')
}

const colors = { required: 'red', expected: 'yellow', open: 'cyan', excluded: 'dim' } as const
