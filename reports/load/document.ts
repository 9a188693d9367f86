import {
  type Badge,
  containerSection,
  containerText,
  type Document,
  type Fact,
  faultSection,
  filledFacts,
  itemsOf,
  type Section,
  type Tile,
  tile,
} from '../document/document.ts'
import { count, figure, percent, seconds, withRange } from '../text/format.ts'
import { measuredSections } from './measured.ts'
import { isViolation } from './model/integrity.ts'
import type { LoadReport } from './model/report.ts'
import { outcomeText, planText, targetText, windowText } from './outcome.ts'
import { disturbanceText, generatorSections } from './traffic.ts'

/** The report of a load run: what decides the outcome, the measurements, the accuracy of the generator. */
export function loadDocument(report: LoadReport): Document {
  const { outcome, interrupted, target, notes, faults } = report
  return {
    kind: 'Load report',
    sealed: report,
    target: targetText(target),
    outcome: { ...badges[outcome], text: outcomeText(report) },
    remarks: [
      ...(interrupted ? ['interrupted: partial results'] : []),
      ...(outcome === 'invalid'
        ? ['the load generator was the bottleneck: the figures below do not describe the target']
        : []),
    ],
    numbers: tilesOf(report),
    facts: factsOf(report),
    sections: [
      sloSection(report),
      findingSection(report),
      ...measuredSections(report),
      errorSection(report),
      ...generatorSections(report),
      { title: 'Notes', blocks: [itemsOf(notes)] },
      faultSection(faults),
      { title: 'About this run', detail: 'verbose', blocks: [{ facts: detailsOf(report) }] },
      ...containerSection(target.container),
    ],
  }
}

const badges: Readonly<Record<LoadReport['outcome'], Badge>> = {
  met: { word: 'Met', tone: 'pass' },
  missed: { word: 'Missed', tone: 'fail' },
  violated: { word: 'Violated', tone: 'fail' },
  undecided: { word: 'Undecided', tone: 'unproven' },
  invalid: { word: 'Invalid', tone: 'none' },
}

function tilesOf({ rates, goodput, integrity, config }: LoadReport): readonly Tile[] {
  const violated = integrity.findings.filter((finding) => isViolation(finding, config)).length
  const lost = rates.failed.count + rates.shed.count
  return [
    tile(figure(rates.completed.perSecond), 'completed per second'),
    tile(goodput.share === null ? 'n/a' : percent(goodput.share), 'goodput'),
    tile(lost, 'failed or shed', rates.failed.count > 0 ? 'fail' : 'none'),
    tile(
      violated,
      violated === 1 ? 'requirement violated' : 'requirements violated',
      violated > 0 ? 'fail' : 'none',
    ),
  ]
}

function factsOf(report: LoadReport): readonly Fact[] {
  const { target, suite } = report
  return filledFacts([
    ['target: ', [{ code: targetText(target) }, `, ${target.surfaces.join(' and ')}`]],
    ['container: ', containerText(target.container)],
    ['load: ', planText(report)],
    ['measured: ', windowText(report)],
    ['chatgen: ', `${suite.version}, interface ${suite.interface}`],
  ])
}

function detailsOf(report: LoadReport): readonly Fact[] {
  const { plan, config, startedAt, durationMs, integrity } = report
  const { misbehavior, idempotencyRaceShare } = config
  const odd = Object.entries({ ...misbehavior, races: idempotencyRaceShare })
    .filter(([, share]) => share > 0)
    .map(([name, share]) => `${name} ${percent(share)}`)
  const { streams, bodies, events, held, crossTalk, duplicateIds, idempotencyRaces } = integrity
  return filledFacts([
    ['started: ', `${startedAt}, for ${seconds(durationMs)}`],
    ['plan: ', plan.hash],
    ['transactions: ', `${plan.ownTransactions} of ${plan.transactions}`],
    ['misbehaving clients: ', odd.join(', ')],
    [
      'judged: ',
      `${streams} streams, ${bodies} other bodies, ${events} events; ${count(held.length, 'requirement')} passed in every response`,
    ],
    [
      'cross-talk: ',
      `${crossTalk.leaks} of ${crossTalk.answers} responses contained text of another request`,
    ],
    ['duplicate ids: ', `${duplicateIds.duplicates} of ${duplicateIds.ids}`],
    [
      'Idempotency-Key races executed twice: ',
      `${idempotencyRaces.doubled} of ${idempotencyRaces.races}`,
    ],
  ])
}

const sloTones = { met: 'pass', missed: 'fail', undecided: 'unproven' } as const

function sloSection({ slo }: LoadReport): Section {
  const items = slo.map(({ verdict, expression, observed, low, high, unit, message }) => ({
    badge: { word: verdict, tone: sloTones[verdict] },
    text: [{ code: expression }, `: ${withRange(observed, [low, high])} ${unit}`],
    notes: [message],
  }))
  return { title: 'SLO', blocks: [{ items }] }
}

function findingSection({ integrity, config }: LoadReport): Section {
  const items = integrity.findings.map(({ id, level, title, broken, of, rate, first }) => ({
    badge: {
      word: level,
      tone: isViolation({ level }, config) ? ('fail' as const) : ('warn' as const),
    },
    text: [{ code: id }, ` violated in ${broken} of ${of}, ${percent(rate)}: ${title}`],
    notes: [
      ['found: ', { code: first.why }],
      [
        `first: request ${first.index}.${first.step} at ${seconds(first.atMs)}, ${first.operation}${first.event === null ? '' : `, event ${first.event}`}, X-Request-Id `,
        { code: first.requestId },
      ],
    ],
  }))
  return { title: 'Violated', blocks: [{ items }] }
}

function errorSection({ errors, disturbances }: LoadReport): Section {
  const items = errors.map(({ kind, detail, count: times, share, firstIndex, firstSecond }) => ({
    badge: { word: String(times), tone: 'none' as const },
    text: [
      `${kind} `,
      { code: detail },
      `, ${percent(share)}, first request ${firstIndex} at ${seconds(1000 * firstSecond)}`,
    ],
  }))
  return {
    title: 'Failed requests',
    untitled: errors.length === 0,
    blocks: [{ facts: [['errors: ', disturbanceText(disturbances)]] }, { items }],
  }
}
