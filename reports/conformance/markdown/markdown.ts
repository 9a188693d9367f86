import type { Exchange } from '../../../contract/index.ts'
import type {
  ConformanceReport,
  RequirementRow,
  Verdict,
} from '../../../contract/report/conformance.ts'
import { isKnownViolation } from '../../../contract/report/conformance.ts'
import { compactIds } from '../../../contract/requirement-ids.ts'
import { doubtLine } from '../../document/markdown.ts'
import { containerText } from '../../text/container.ts'
import { clean } from '../../text/escape.ts'
import { foldFindings } from '../../text/fold.ts'
import { count, seconds } from '../../text/format.ts'
import { cell, code, escaped, folded, section } from '../../text/markdown.ts'
import { knownText, summarize } from '../summary.ts'
import { networkPhrases, trafficText } from '../traffic.ts'
import { findingsMarkdown } from './violations.ts'

/**
 * The report for the summary of a job or a comment of a pull request: the outcome first,
 * then what must be done, with the evidence folded below each violation. Passes are a count.
 */
export function reportToMarkdown(
  report: ConformanceReport,
  exchanges: ReadonlyMap<string, Exchange>,
): string {
  const broken = report.requirements.filter(({ verdict, known }) => verdict === 'fail' && !known)
  const parts = [
    heading(report),
    doubtLine(report),
    report.stopped === undefined ? '' : `⚠️ ${escaped(report.stopped)}.`,
    numbers(report),
    about(report),
    trafficLine(report),
    section('Stale baseline entries', baselineLines(report)),
    section('Violated', findingsMarkdown(foldFindings(broken), exchanges)),
    section(
      'Known violations',
      report.requirements.filter(isKnownViolation).flatMap(rowLine(report)),
    ),
    section(
      report.strict ? 'Warnings, counted as violations' : 'Warnings',
      report.requirements.filter(isWarning).flatMap(rowLine(report)),
    ),
    section('Internal errors of chatgen', faultLines(report)),
    section('Not tested', undecided(report, 'unproven')),
    section('Inconclusive', undecided(report, 'inconclusive')),
    section('Not judged because of an internal error', undecided(report, 'error')),
    folded('Not applicable', undecided(report, 'not-applicable')),
    dialectCard(report),
    section('Not deleted from the target', residueLines(report)),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function heading({ outcome, interrupted }: ConformanceReport): string {
  const words = { conforms: '✅ Conforms', violated: '❌ Violated', incomplete: '⚠️ Incomplete' }
  return `## ${words[outcome]}${interrupted ? ' (interrupted: partial results)' : ''}`
}

function numbers(report: ConformanceReport): string {
  const { passed, violated, known, undecided, required } = summarize(report)
  const excused = known === 0 ? '' : ` (${known} known)`
  return [
    '| passed | violated | undecided | of required requirements |',
    '| ---: | ---: | ---: | ---: |',
    `| **${passed}** | **${violated}**${excused} | **${undecided}** | ${required} |`,
  ].join('\n')
}

function about({ target, suite, seed, cost, durationMs }: ConformanceReport): string {
  const requests = `${count(cost.requests, 'request')} in ${seconds(durationMs)}`
  const version = `chatgen ${code(suite.version)}, interface ${code(suite.interface)}`
  const network = networkPhrases(target).map((phrase) => `, ${escaped(clean(phrase))}`)
  const container =
    target.container === undefined
      ? ''
      : `, container ${escaped(clean(containerText(target.container)))}`
  const target_ = `${code(clean(target.baseUrl))}, profile ${target.profile}${network.join('')}${container}`
  return `${target_}; ${requests}; ${version}, seed ${code(clean(seed))}`
}

function trafficLine(report: ConformanceReport): string {
  const text = trafficText(report)
  return text === null ? '' : `Errors and retries: ${text}.`
}

function isWarning({ verdict }: RequirementRow): boolean {
  return verdict === 'warn'
}

function rowLine(report: ConformanceReport) {
  return (row: RequirementRow): readonly string[] => {
    const note = knownText(report, row.id)
    const found = row.message === null ? '' : ` Found: ${code(clean(row.message))}`
    const because = note === null ? '' : `  \n  ${escaped(clean(note))}`
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

/** Grouped by reason. */
function undecided({ requirements }: ConformanceReport, verdict: Verdict): readonly string[] {
  const rows = requirements.filter((row) => row.verdict === verdict)
  const reasons = Map.groupBy(rows, ({ message }) => clean(message ?? 'no reason was recorded'))
  return [...reasons].map(
    ([reason, own]) => `- ${escaped(reason)}: ${compactIds(own.map(({ id }) => id)).join(', ')}`,
  )
}

/** Answers of the target to open questions. */
function dialectCard({ observations }: ConformanceReport): string {
  if (observations.length === 0) return ''
  const rows = observations.map(
    ({ id, question, answer }) =>
      `| ${id} | ${escaped(clean(question))} | ${cell(clean(answer))} |`,
  )
  const title = `Behavior profile: ${count(observations.length, 'open question')}, not judged`
  return folded(title, ['| | Open question | This target |', '| --- | --- | --- |', ...rows])
}

/** `: a, b and 3 with unknown id`. */
function idsText(ids: readonly (string | null)[]): string {
  const knownIds = ids.flatMap((id) => (id === null ? [] : [code(clean(id))]))
  const unknownCount = ids.length - knownIds.length
  if (knownIds.length === 0) return ', ids unknown'
  return `: ${knownIds.join(', ')}${unknownCount === 0 ? '' : ` and ${unknownCount} with unknown id`}`
}

function residueLines({ residue, residueUnseen }: ConformanceReport): readonly string[] {
  return [
    ...[...Map.groupBy(residue, ({ kind }) => kind)].map(
      ([kind, all]) => `- ${count(all.length, kind)}${idsText(all.map(({ id }) => id))}`,
    ),
    ...(residueUnseen === null
      ? []
      : [`- Leftover check incomplete: ${escaped(clean(residueUnseen))}`]),
  ]
}
