import type { PlanReport } from '../../contract/report/plan.ts'
import { type Document, itemsOf, type Outcome, type Tile, type Tone } from '../document/document.ts'
import {
  hourTable,
  modelFacts,
  money,
  planAnswer,
  planTable,
  planWord,
  reproducedTable,
  scalabilityLines,
  scalabilityTable,
} from './answer.ts'
import { planCharts } from './charts.ts'

/** A plan: the answer, the replicas around it, the model that it follows from. */
export function planDocument(report: PlanReport): Document {
  return {
    kind: 'Capacity plan',
    target: report.measured[0]?.baseUrl ?? '',
    outcome: planOutcome(report),
    numbers: tilesOf(report),
    facts: [],
    sections: [
      { title: 'Replicas', blocks: [{ table: planTable(report) }] },
      { title: 'Charts', blocks: [{ charts: planCharts(report) }] },
      { title: 'Hours', blocks: [{ table: hourTable(report) }] },
      {
        title: 'Scalability',
        blocks: [
          { table: scalabilityTable(report) },
          ...scalabilityLines(report).map((text) => ({ text })),
        ],
      },
      { title: 'Model', untitled: true, blocks: [{ facts: modelFacts(report) }] },
      {
        title: 'Measured and modelled',
        detail: 'verbose',
        blocks: [{ table: reproducedTable(report) }],
      },
      { title: 'Notes', blocks: [itemsOf(report.notes)] },
    ],
  }
}

const tones: Readonly<Record<PlanReport['outcome'], Tone>> = {
  found: 'pass',
  provisional: 'unproven',
  unattainable: 'fail',
  unreliable: 'unproven',
  invalid: 'none',
}

export function planOutcome(report: PlanReport): Outcome {
  return { word: planWord(report), tone: tones[report.outcome], text: planAnswer(report) }
}

function tilesOf({ replicas, withSpare, price, outcome }: PlanReport): readonly Tile[] {
  const tone: Tone = outcome === 'provisional' ? 'unproven' : 'none'
  const noun = replicas === 1 ? 'replica' : 'replicas'
  const name = outcome === 'invalid' ? 'number of replicas' : noun
  return [
    { value: String(replicas ?? 'no'), name, tone },
    ...(withSpare === null ? [] : [{ value: String(withSpare), name: 'with one spare', tone }]),
    ...(price === null || replicas === null
      ? []
      : [{ value: money(replicas * price.perHour, price.currency), name: 'an hour', tone }]),
  ]
}
