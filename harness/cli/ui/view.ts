import { join } from 'node:path'
import { isObject, parseJson } from '../../../contract/json.ts'
import { capacityDocument } from '../../../reports/capacity/document.ts'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import type { Comparison } from '../../../reports/compare/compare.ts'
import { type Compared, comparisonDocument } from '../../../reports/compare/document.ts'
import { loadComparisonDocument } from '../../../reports/compare/loads.ts'
import { conformanceDocument } from '../../../reports/conformance/document.ts'
import type { Document, Section } from '../../../reports/document/document.ts'
import { documentBody } from '../../../reports/document/html.ts'
import { type Chart, html, type Markup } from '../../../reports/html/markup.ts'
import { loadDocument } from '../../../reports/load/document.ts'
import { loadComparison } from '../../../reports/load/model/comparison.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { spreadText } from '../../../reports/load/traffic.ts'
import { planDocument } from '../../../reports/plan/document.ts'
import { failedOf } from '../check/again.ts'
import { probesName } from '../results/results-folder.ts'
import type { Live } from '../terminal/progress.ts'
import { type AnyReport, nameOf, type Result, readResults, type Stored } from './results.ts'
import type { Session } from './session.ts'

interface Body {
  readonly body: Markup
  readonly charts: readonly Chart[]
}

/** Output of `chatgen compare --json` for two paths, or its error message. */
export type Compare = (a: string, b: string) => Promise<string>

/** The view that the query of a URL requests: `show` and `probe`, or `a` and `b` to compare. */
export async function viewOf(session: Session, query: URLSearchParams, compare: Compare) {
  const { results } = session
  const at = Math.min(Number(query.get('show') ?? 0) || 0, results.length - 1)
  const pair = ['a', 'b'].map((name) => results[Number(query.get(name) ?? Number.NaN)])
  const [a, b] = pair
  const isComparing = a !== undefined && b !== undefined
  const result = results[at]
  const { body, charts } = isComparing
    ? comparisonBody(a, b, await compare(a.path, b.path))
    : result === undefined
      ? plain(html`<main></main>`)
      : resultBody(session, result, query)
  const isWhole = !isComparing && !query.has('probe')
  return {
    html: html`${navigation(session, query, isComparing ? null : at)}
${isWhole && result !== undefined ? controls(session, result) : null}
${body}`.text,
    charts,
    title: isComparing ? 'Comparison' : (result?.name ?? ''),
    // Requirements have buttons that run them.
    canRun: isWhole && at === 0 && session.canRun,
    isRunning: session.running !== null,
  }
}

function navigation(
  { results }: Session,
  query: URLSearchParams,
  current: number | null,
): Markup | null {
  if (results.length < 2) return null
  const token = query.get('token') ?? ''
  const link = ({ name }: Result, at: number) =>
    html`<li><a href="?token=${token}&amp;show=${at}"${current === at ? html` aria-current="page"` : null}>${name}</a></li>`
  const choice = (name: string, chosen: number) =>
    html`<label>${name.toUpperCase()} <select name="${name}">${results.map((result, at) => html`<option value="${at}"${at === chosen ? html` selected` : null}>${result.name}</option>`)}</select></label>`
  return html`<nav aria-label="Results"><ul>${results.map(link)}</ul>
<form method="get" aria-label="Compare"><input type="hidden" name="token" value="${token}">
${choice('a', Number(query.get('a') ?? 0))} ${choice('b', Number(query.get('b') ?? 1))} <button>Compare</button></form></nav>`
}

/** Buttons and the progress of the run; null on a page that only shows stored results. */
function controls(session: Session, result: Result): Markup | null {
  const { running, results } = session
  const [first = result] = results
  const { live = null } = running ?? {}
  const off = running === null ? null : html` aria-disabled="true"`
  const failed = failedOf(session.checkOf(first)?.report ?? { requirements: [] }).length
  const { canRun } = session
  if (!canRun && running === null && result.failure === null) return null
  return html`<section class="controls" aria-label="Run">
${
  canRun
    ? html`<button type="button" data-run="all"${off}>Run everything</button>
<button type="button" data-run="failed"${failed === 0 ? html` aria-disabled="true"` : off}>Run what failed <span class="count">${failed}</span></button>`
    : null
}
${canRun || running !== null ? html`<button type="button" data-stop=""${running === null ? html` aria-disabled="true"` : null}>Stop</button>` : null}
<p class="state">${live === null ? (canRun ? 'No run under way.' : '') : html`<strong>Under way:</strong> ${running === result ? '' : `${running?.name}, `}${live.text}`}</p>
${result.failure === null ? null : html`<p class="doubt" role="alert">${result.failure}</p>`}
</section>`
}

function resultBody(session: Session, result: Result, query: URLSearchParams): Body {
  const probe = query.get('probe')
  if (probe !== null && /^\d{3}$/.test(probe)) {
    return storedBody(readResults(join(result.path, probesName, probe)))
  }
  const check = session.checkOf(result)
  if (check !== null) return storedBody(check)
  if (result.live?.report) return liveBody(result.live)
  if (result.stored !== null) return storedBody(result.stored)
  const place = session.running === result ? 'The run' : result.path
  return plain(html`<main><p>${place} has no results yet.</p></main>`)
}

function storedBody({ report, exchanges }: Stored): Body {
  return documentBody(documentOf(report, exchanges), { isCompact: true })
}

function documentOf(report: AnyReport, exchanges: Stored['exchanges']): Document {
  switch (report.kind) {
    case 'conformance-report':
      return conformanceDocument(report, exchanges)
    case 'load-report':
      return loadDocument(report)
    case 'capacity-report':
      return capacityDocument(report)
    case 'plan-report':
      return planDocument(report)
  }
}

/** Measurements so far, without what is only decided at the end of a run. */
function liveBody({ report, probe }: Live): Body {
  const text = 'The outcome is decided at the end'
  const outcome = { word: 'Running', tone: 'none', text } as const
  const found = report?.kind === 'capacity-report' ? searchSoFar(report) : []
  const load = report?.kind === 'load-report' ? report : (probe ?? null)
  return documentBody({
    kind: report?.kind === 'capacity-report' ? 'Capacity search' : 'Load run',
    target: report?.target.baseUrl ?? '',
    outcome,
    sections: [...found, ...(load === null ? [] : measuredSoFar(load, found.length > 0))],
  })
}

function searchSoFar(report: CapacityReport): readonly Section[] {
  if (report.probes.length === 0) return []
  const { numbers = [], sections } = capacityDocument(report)
  const answer = { text: numbers.map(({ value, name }) => `${value} ${name}`).join('; ') }
  return [
    { title: 'Known so far', blocks: [answer] },
    ...sections.filter((section) => isCharts(section) || section.title === 'Probes'),
  ]
}

function measuredSoFar(report: LoadReport, isProbe: boolean): readonly Section[] {
  const { sections } = loadDocument(report)
  const delay = spreadText('send delay', report.generator.scheduleDelay)
  return [
    ...sections
      .filter((section) => isCharts(section) || section.title === 'Failed requests')
      // A search has its own charts.
      .map((section) =>
        isProbe ? { ...section, title: `${section.title}, this probe` } : section,
      ),
    {
      title: 'Generator',
      blocks: [{ text: `${delay}; the timestamp error is known at the end` }],
    },
  ]
}

function isCharts({ blocks }: Section): boolean {
  return blocks.some((block) => 'charts' in block)
}

/** @param output JSON of a comparison, or the reason why there is none */
function comparisonBody(a: Result, b: Result, output: string): Body {
  const target = `${nameOf(a.path)} and ${nameOf(b.path)}`
  const document = comparisonOf(a.stored?.report, b.stored?.report, output)
  if (document !== null) return documentBody({ ...document, target })
  return plain(html`<header><p class="kind">Comparison</p><h1>${target}</h1></header>
<main><p class="doubt">${output}</p></main>`)
}

function comparisonOf(
  a: AnyReport | undefined,
  b: AnyReport | undefined,
  output: string,
): Document | null {
  const found = parseJson(output)
  const loads = loadComparison.safeParse(found)
  if (loads.success) return loadComparisonDocument(loads.data)
  if (a?.kind !== 'conformance-report' || b?.kind !== 'conformance-report') return null
  if (!isObject(found)) return null
  const { notes, ...comparison }: Comparison & Pick<Compared, 'notes'> = JSON.parse(output)
  return comparisonDocument({ comparison, a, b, notes })
}

function plain(body: Markup): Body {
  return { body, charts: [] }
}
