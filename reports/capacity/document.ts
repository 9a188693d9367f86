import {
  containerSection,
  containerText,
  type Document,
  type Fact,
  faultSection,
  filledFacts,
  type Item,
  itemsOf,
  type Link,
  type Tile,
  tile,
} from '../document/document.ts'
import { targetText } from '../load/outcome.ts'
import { count, figure, percent, seconds, withRange } from '../text/format.ts'
import { answerText, capacityBadge, detailFacts } from './answer.ts'
import { capacityCharts, frontierTable, overText } from './charts.ts'
import type { CapacityProbe } from './model/probe.ts'
import { type CapacityReport, loadEstimate } from './model/report.ts'

/** The report of a capacity search: the answer, the frontier, the probes. */
export function capacityDocument(report: CapacityReport): Document {
  const { outcome, target, generator, notes, faults, probes, loop } = report
  return {
    kind: 'Capacity report',
    sealed: report,
    target: targetText(target),
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
      { title: 'Violated', blocks: [{ items: violatedItems(report) }] },
      {
        title: 'Probes',
        detail: 'verbose',
        blocks: [{ items: probes.map((probe) => itemOf(probe, loop)) }],
      },
      { title: `Generator ${generator.verdict}`, blocks: [itemsOf(generator.reasons)] },
      { title: 'Notes', blocks: [itemsOf(notes)] },
      faultSection(faults),
      ...containerSection(target.container),
    ],
  }
}

function tilesOf({ result, loop, probes }: CapacityReport): readonly Tile[] {
  const { rate, headroom, highestMet, firstFailing } = result
  const { value, interval, unit } = loadEstimate({ result, loop })
  const isBracket = rate === null && highestMet !== null && firstFailing !== null
  return [
    tile(
      isBracket ? `${figure(highestMet)} to ${figure(firstFailing)}` : withRange(value, interval),
      isBracket || unit === '/s' ? 'requests per second' : unit,
    ),
    ...(headroom === null || value === null
      ? []
      : [tile(figure(headroom.share * value), `at ${percent(headroom.share)} headroom`)]),
    tile(probes.length, 'probes'),
  ]
}

function factsOf({ target, config, seed }: CapacityReport): readonly Fact[] {
  const slos = config.slos.map((slo, at) => [at === 0 ? '' : ', ', { code: slo }])
  return filledFacts([
    ['Target  ', [{ code: targetText(target) }]],
    ['Image   ', containerText(target.container)],
    [
      'Search  ',
      [...(slos.length === 0 ? ['no SLO'] : slos.flat()), `; mix ${config.mixName}; seed ${seed}`],
    ],
  ])
}

function violatedItems({ probes }: CapacityReport): readonly Item[] {
  const ids = [...new Set(probes.flatMap(({ violated }) => violated))]
  return ids.map((id) => {
    const own = probes.filter(({ violated }) => violated.includes(id))
    return {
      badge: { word: 'violated', tone: 'fail' },
      text: [{ code: id }, ` in ${own.map(({ index }) => `probe ${index}`).join(', ')}`],
    }
  })
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
  return `${observed === null ? 'n/a' : value}, ${verdict}${isCounted ? `; ${overText(over / requests, allowed)}` : ''}`
}

/** Name of a probe, with a link to its load report; only a path that a search writes becomes one. */
function nameOf({ report, index }: CapacityProbe): string | Link {
  const text = `probe ${index}`
  const isOwn = report !== null && /^probes\/\d+\/report\.json$/.test(report)
  return isOwn ? { href: report, text } : text
}
