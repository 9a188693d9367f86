import { type Badge, type Document, itemsOf, type Outcome } from '../document/document.ts'
import type {
  ComparedFigure,
  ComparedSide,
  FigureVerdict,
  LoadComparison,
} from '../load/model/comparison.ts'
import { count, figure, percent } from '../text/format.ts'

/** A comparison of two load runs or capacity searches, and its limits. */
export function loadComparisonDocument(comparison: LoadComparison): Document {
  const { a, b, differences, figures, notes, method, familyError } = comparison
  const messages = Map.groupBy(figures, ({ message }) => message)
  return {
    kind: 'Comparison',
    target: b.baseUrl,
    outcome: loadComparisonOutcome(comparison),
    facts: [
      ['A  ', headOf(a)],
      ['B  ', headOf(b)],
    ],
    sections: [
      {
        title: 'The runs had different settings',
        blocks: [
          {
            facts: differences.map(({ name, a, b, decisive }) => [
              `${name}  `,
              `${a} → ${b}${decisive ? ' (no verdicts)' : ''}`,
            ]),
          },
        ],
      },
      {
        title: 'Figures',
        blocks: [
          {
            table: {
              head: ['', 'A', 'B', 'B / A', '95 %', 'tolerance', 'verdict'],
              rows: figures.map(rowOf),
              spare: ['tolerance'],
            },
          },
          itemsOf(
            [...messages].flatMap(([message, own]) =>
              message === '' ? [] : [`${own.map(({ name }) => name).join(', ')}: ${message}`],
            ),
          ),
          itemsOf(notes),
          {
            text: `${method}. The probability that any verdict is wrong is at most ${percent(familyError)} (Holm); each interval is the 95 % interval of its figure alone.`,
          },
        ],
      },
    ],
  }
}

function loadComparisonOutcome({ outcome, figures }: LoadComparison): Outcome {
  const of = (verdict: FigureVerdict) => figures.filter((row) => row.verdict === verdict).length
  const parts = (['regression', 'improvement', 'no change', 'undecided'] as const).flatMap(
    (verdict) => (of(verdict) === 0 ? [] : [`${of(verdict)} ${verdict}`]),
  )
  return {
    ...outcomes[outcome],
    text: parts.length === 0 ? 'the load generator was the bottleneck' : parts.join(', '),
  }
}

const outcomes: Readonly<Record<LoadComparison['outcome'], Badge>> = {
  regression: { word: 'Regression', tone: 'fail' },
  undecided: { word: 'Undecided', tone: 'unproven' },
  invalid: { word: 'Invalid', tone: 'fail' },
  'no regression': { word: 'No regression', tone: 'pass' },
}

function headOf(side: ComparedSide): string {
  const { outcome, baseUrl, startedAt, version, requests, generator } = side
  const quality = generator === 'valid' ? '' : `, generator ${generator}`
  return `${outcome}, ${baseUrl}, ${startedAt}, chatgen ${version}, ${count(requests, 'request')}${quality}`
}

function rowOf({ name, unit, a, b, ratio, low, high, tolerance, verdict }: ComparedFigure) {
  return [
    name,
    valueText(a, unit),
    valueText(b, unit),
    ratioText(ratio) ?? 'n/a',
    ratio === null ? '' : `[${ratioText(low) ?? '–'}, ${ratioText(high) ?? '–'}]`,
    `±${Number((100 * tolerance).toPrecision(3))}%`,
    verdict,
  ]
}

function valueText(value: number | null, unit: ComparedFigure['unit']): string {
  if (value === null) return 'n/a'
  if (unit === 'share') return percent(value)
  return `${figure(value)} ${unit}`.replace(' /', '/')
}

function ratioText(ratio: number | null): string | null {
  return ratio === null ? null : ratio.toFixed(3)
}
