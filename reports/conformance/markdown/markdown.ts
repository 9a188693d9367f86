import type { Exchange } from '../../../contract/index.ts'
import type {
  ConformanceReport,
  RequirementRow,
  Verdict,
} from '../../../contract/report/conformance.ts'
import { compactIds } from '../../../contract/requirement-ids.ts'
import { doubtText, isEdited } from '../../text/digest.ts'
import { clean } from '../../text/escape.ts'
import { foldFindings } from '../../text/fold.ts'
import { count, seconds } from '../../text/format.ts'
import { cell, code, escaped } from '../../text/markdown.ts'
import { knownText, summarize } from '../summary.ts'
import { networkPhrases, trafficText } from '../traffic.ts'
import { findingsMarkdown } from './violations.ts'

/**
 * The report for the summary of a job or a comment of a pull request: the outcome in ten seconds,
 * then what must be done, and the evidence folded below each violation. What holds is a number.
 */
export function reportToMarkdown(
  report: ConformanceReport,
  exchanges: ReadonlyMap<string, Exchange>,
): string {
  const broken = report.requirements.filter(({ verdict, known }) => verdict === 'fail' && !known)
  const parts = [
    heading(report),
    doubtLine(report),
    numbers(report),
    about(report),
    trouble(report),
    section('The baseline is not true any more', baselineLines(report)),
    section('Violated', findingsMarkdown(foldFindings(broken), exchanges)),
    section('Known violations', report.requirements.filter(isKnown).flatMap(rowLine(report))),
    section(
      report.strict ? 'Warnings, counted as violations' : 'Warnings',
      report.requirements.filter(isWarning).flatMap(rowLine(report)),
    ),
    section('Faults of the kit itself', faultLines(report)),
    section('Unproven', undecided(report, 'unproven')),
    section('Inconclusive', undecided(report, 'inconclusive')),
    section('Not judged, for a fault of the kit', undecided(report, 'error')),
    folded('Not applicable', undecided(report, 'not-applicable')),
    dialectCard(report),
    section('Left on the target', residueLines(report)),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** A report that is not as its run wrote it says so before its numbers; empty for one that is. */
export function doubtLine(report: Pick<ConformanceReport, 'digest'>): string {
  const text = doubtText(report)
  return text === null ? '' : `${isEdited(report) ? '❌ **Edited**' : '⚠️'} ${escaped(text)}.`
}

function heading({ outcome, interrupted }: ConformanceReport): string {
  const words = { conforms: '✅ Conforms', violated: '❌ Violated', incomplete: '⚠️ Incomplete' }
  return `## ${words[outcome]}${interrupted ? ' (interrupted: holds what was found so far)' : ''}`
}

function numbers(report: ConformanceReport): string {
  const { proven, violated, known, undecided, required } = summarize(report)
  const excused = known === 0 ? '' : ` (${known} known)`
  return [
    '| proven | violated | undecided | of required rows |',
    '| ---: | ---: | ---: | ---: |',
    `| **${proven}** | **${violated}**${excused} | **${undecided}** | ${required} |`,
  ].join('\n')
}

function about({ target, suite, seed, cost, durationMs }: ConformanceReport): string {
  const asked = `${count(cost.requests, 'request')} in ${seconds(durationMs)}`
  const kit = `kit ${code(suite.version)}, interface ${code(suite.interface)}`
  const network = networkPhrases(target).map((phrase) => `, ${escaped(clean(phrase))}`)
  const target_ = `${code(clean(target.baseUrl))}, profile ${target.profile}${network.join('')}`
  return `${target_}; ${asked}; ${kit}, seed ${code(clean(seed))}`
}

function trouble(report: ConformanceReport): string {
  const text = trafficText(report)
  return text === null ? '' : `Trouble on the way: ${text}.`
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `### ${title}\n\n${lines.join('\n')}`
}

function folded(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return ''
  return `<details><summary>${title}</summary>\n\n${lines.join('\n')}\n\n</details>`
}

function isKnown({ verdict, known }: RequirementRow): boolean {
  return verdict === 'fail' && known
}

function isWarning({ verdict }: RequirementRow): boolean {
  return verdict === 'warn'
}

function rowLine(report: ConformanceReport) {
  return (row: RequirementRow): readonly string[] => {
    const known = knownText(report, row.id)
    const found = row.message === null ? '' : ` Found: ${code(clean(row.message))}`
    const because = known === null ? '' : `  \n  ${escaped(clean(known))}`
    return [`- **${row.id}** ${escaped(clean(row.title))}${found}${because}`]
  }
}

function baselineLines({ baseline }: ConformanceReport): readonly string[] {
  return (baseline?.problems ?? []).map(({ message }) => `- ${escaped(clean(message))}`)
}

function faultLines({ faults }: ConformanceReport): readonly string[] {
  return faults.map(
    ({ scenario, message }) => `- ${code(clean(scenario))}: ${code(clean(message))}`,
  )
}

/** Rows with one reason stand together; of an unproven row it names the member that would prove it. */
function undecided({ requirements }: ConformanceReport, verdict: Verdict): readonly string[] {
  const rows = requirements.filter((row) => row.verdict === verdict)
  const reasons = Map.groupBy(rows, ({ message }) => clean(message ?? 'no reason was recorded'))
  return [...reasons].map(
    ([reason, own]) => `- ${escaped(reason)}: ${compactIds(own.map(({ id }) => id)).join(', ')}`,
  )
}

/** What the target does where the document leaves it open: how it differs from its like. */
function dialectCard({ observations }: ConformanceReport): string {
  if (observations.length === 0) return ''
  const rows = observations.map(
    ({ id, question, answer }) =>
      `| ${id} | ${escaped(clean(question))} | ${cell(clean(answer))} |`,
  )
  const table = ['| | Open question | This target |', '| --- | --- | --- |', ...rows].join('\n')
  const title = `Dialect card: ${count(observations.length, 'open question')}, not judged`
  return `<details><summary>${title}</summary>\n\n${table}\n\n</details>`
}

/** `: a, b and 3 whose id no answer told`. */
function idsText(ids: readonly (string | null)[]): string {
  const told = ids.flatMap((id) => (id === null ? [] : [code(clean(id))]))
  const untold = ids.length - told.length
  if (told.length === 0) return ', whose ids no answer told'
  return `: ${told.join(', ')}${untold === 0 ? '' : ` and ${untold} whose id no answer told`}`
}

function residueLines({ residue, residueUnseen }: ConformanceReport): readonly string[] {
  return [
    ...[...Map.groupBy(residue, ({ kind }) => kind)].map(
      ([kind, all]) => `- ${count(all.length, kind)}${idsText(all.map(({ id }) => id))}`,
    ),
    ...(residueUnseen === null
      ? []
      : [`- Not looked for to the end: ${escaped(clean(residueUnseen))}`]),
  ]
}
