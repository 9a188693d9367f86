import { caseOf, type JUnitCase, junitOf } from '../conformance/junit.ts'
import {
  containerFacts,
  containerSection,
  type Document,
  type Fact,
  type Item,
  itemsOf,
  type Link,
  type Tile,
} from '../document/document.ts'
import { doubtWord } from '../text/digest.ts'
import { clean } from '../text/escape.ts'
import { count, figure, percent, ranged, seconds } from '../text/format.ts'
import { answerText, capacityBadge, detailFacts } from './answer.ts'
import { capacityCharts, frontierTable } from './charts.ts'
import type { CapacityProbe } from './model/probe.ts'
import type { CapacityReport } from './model/report.ts'

/** The report of a capacity search: the answer, the frontier, the probes. */
export function capacityDocument(report: CapacityReport): Document {
  const { outcome, target, generator, notes, faults, probes, loop } = report
  return {
    kind: 'Capacity report',
    sealed: report,
    target: target.baseUrl,
    outcome: { ...capacityBadge(report), text: answerText(report) },
    numbers: tilesOf(report),
    facts: factsOf(report),
    sections: [
      { title: 'At this load', untitled: true, blocks: [{ facts: detailFacts(report) }] },
      {
        title: 'Throughput and latency by load, ms',
        untrusted: outcome === 'invalid',
        blocks: [{ table: frontierTable(report) }],
      },
      { title: 'Charts', blocks: [{ charts: capacityCharts(report) }] },
      {
        title: 'Probes',
        detail: 'verbose',
        blocks: [{ items: probes.map((probe) => itemOf(probe, loop)) }],
      },
      { title: `Generator ${generator.verdict}`, blocks: [itemsOf(generator.reasons)] },
      { title: 'Notes', blocks: [itemsOf(notes)] },
      { title: 'Internal errors of chatgen', blocks: [itemsOf(faults)] },
      ...containerSection(target.container),
    ],
  }
}

function tilesOf({ result, loop, probes }: CapacityReport): readonly Tile[] {
  const { rate, headroom, highestMet, firstFailing } = result
  const isBracket = rate === null && highestMet !== null && firstFailing !== null
  return [
    {
      value: isBracket
        ? `${figure(highestMet)} to ${figure(firstFailing)}`
        : ranged(rate, result.interval),
      name: loop === 'closed' ? 'clients' : 'requests a second',
    },
    ...(headroom === null
      ? []
      : [{ value: figure(headroom.rate), name: `at ${percent(headroom.share)} headroom` }]),
    { value: String(probes.length), name: 'probes' },
  ]
}

function factsOf({ target, config, seed }: CapacityReport): readonly Fact[] {
  const slos = config.slos.map((slo, at) => [at === 0 ? '' : ', ', { code: slo }])
  return [
    ['Target  ', [{ code: target.baseUrl }]],
    ...containerFacts('Image   ', target.container),
    [
      'Search  ',
      [...(slos.length === 0 ? ['no SLO'] : slos.flat()), `; mix ${config.mixName}; seed ${seed}`],
    ],
  ]
}

const badges = { met: 'pass', missed: 'fail', undecided: 'unproven', invalid: 'none' } as const

function itemOf(probe: CapacityProbe, loop: CapacityReport['loop']): Item {
  const { purpose, rate, clients, verdict, atMs, durationMs, slo, stopped } = probe
  const load = loop === 'closed' ? count(clients ?? 1, 'client') : `${figure(rate)} req/s`
  const reasons = [stopped ?? [], ...(probe.valid ? [] : probe.generator.reasons)].flat()
  const margins = slo.map((row) => [{ code: row.expression }, `: ${marginText(row)}`])
  return {
    badge: { word: verdict, tone: badges[verdict] },
    text: [nameOf(probe), `: ${load}, ${purpose}, ${seconds(durationMs)} at ${seconds(atMs)}`],
    notes: [...margins, ...reasons],
  }
}

/** `400 ms, met; 0.5 % over, 5 % allowed`. */
function marginText(row: CapacityProbe['slo'][number]): string {
  const { observed, unit, verdict, over, requests, allowed } = row
  const value =
    unit === 'share' && observed !== null ? percent(observed) : `${figure(observed)} ${unit}`
  const isCounted = over !== null && requests && allowed !== null
  return `${observed === null ? 'n/a' : value}, ${verdict}${isCounted ? `; ${percent(over / requests)} over, ${percent(allowed)} allowed` : ''}`
}

/** Name of a probe, with a link to its load report; only a path that a search writes becomes one. */
function nameOf({ report, index }: CapacityProbe): string | Link {
  const text = `probe ${index}`
  const isOwn = report !== null && /^probes\/\d+\/report\.json$/.test(report)
  return isOwn ? { href: report, text } : text
}

/**
 * JUnit XML of a capacity search: a case for the answer, one for each violated requirement, one for the
 * generator and one for each probe. A probe that misses an SLO is part of any search, not a failure.
 */
export function capacityToJUnit(report: CapacityReport): string {
  const suites = [
    { name: 'capacity', cases: [answerCase(report)] },
    { name: 'integrity', cases: violatedCases(report) },
    { name: 'generator', cases: [generatorCase(report)] },
    { name: 'probes', cases: report.probes.map(probeCase) },
    { name: 'chatgen', cases: faultCases(report) },
  ]
  const { result, seed } = report
  const doubt = doubtWord(report)
  const properties = {
    outcome: report.outcome,
    rate: result.rate === null ? '' : String(result.rate),
    low: String(result.interval?.[0] ?? ''),
    high: String(result.interval?.[1] ?? ''),
    limitedBy: clean(result.limitedBy ?? ''),
    seed: clean(seed),
    ...(doubt === null ? {} : { digest: doubt }),
  }
  return junitOf(suites, { ...report, properties })
}

function answerCase(report: CapacityReport): JUnitCase {
  const text = answerText(report)
  const isGood = ['found', 'above max'].includes(report.outcome) && !report.interrupted
  const message = `${capacityBadge(report).word}: ${text}`
  return {
    name: 'the capacity is known and within the limits of the search',
    timeMs: report.durationMs,
    output: isGood ? text : null,
    result: isGood ? null : { tag: 'failure', type: report.outcome, message, text },
  }
}

function violatedCases({ probes }: CapacityReport): readonly JUnitCase[] {
  const ids = [...new Set(probes.flatMap(({ violated }) => violated))]
  return ids.map((id) => {
    const own = probes.filter(({ violated }) => violated.includes(id))
    const message = `violated in ${own.length} probes`
    const text = own.map(({ report }) => report ?? '').join('\n')
    return caseOf(id, { tag: 'failure', type: 'violated', message, text })
  })
}

function generatorCase({ generator }: CapacityReport): JUnitCase {
  const name = 'the load generator was not the bottleneck'
  const text = generator.reasons.map(clean).join('\n')
  if (generator.verdict !== 'invalid') return { ...caseOf(name, null), output: text || null }
  const message = `it holds ${figure(generator.holds)} req/s`
  return caseOf(name, { tag: 'error', type: 'invalid', message, text })
}

function probeCase(probe: CapacityProbe): JUnitCase {
  const { index, purpose, rate, clients, verdict, durationMs, stopped } = probe
  const load = clients === null ? `${figure(rate)} req/s` : count(clients, 'client')
  const output = `probe ${index}: ${verdict}${stopped === null ? '' : `; ${clean(stopped)}`}`
  return { name: `probe ${index}, ${purpose}, ${load}`, timeMs: durationMs, result: null, output }
}

function faultCases({ faults }: CapacityReport): readonly JUnitCase[] {
  return faults.map((text, index) =>
    caseOf(`internal error ${index + 1}`, {
      tag: 'error',
      type: 'error',
      message: 'internal error of chatgen',
      text: clean(text),
    }),
  )
}
