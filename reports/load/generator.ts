import { boundedSamples, type Spread } from '../../contract/report/load/generator.ts'
import type { LoadReport } from '../../contract/report/load/report.ts'
import type { Fact, Item, Section } from '../document/document.ts'
import { figure, percent } from '../text/format.ts'

/** Accuracy of the measurement: the error of the generator, and audits of the figures. */
export function generatorSections({ generator, audits }: LoadReport): readonly Section[] {
  const { verdict, reasons, workers } = generator
  return [
    {
      title: 'Generator',
      badge: { word: verdict, tone: tones[verdict] },
      blocks: [
        { facts: reasons.map((reason) => ['reason: ', reason]) },
        { text: figuresText(generator) },
      ],
    },
    { title: 'Audits', blocks: [{ items: audits.map(auditItem) }] },
    {
      title: 'Machine and workers of the generator',
      detail: 'verbose',
      blocks: [
        { facts: machineFacts(generator) },
        {
          table: {
            head: ['worker', 'requests', 'events', 'CPU, ms', 'loop', 'timestamp error p99, ms'],
            rows: workers.map((worker) => [
              ...[worker.index, worker.requests, worker.events].map(String),
              figure(worker.cpuMs),
              percent(worker.eventLoopUtilization),
              figure(worker.timestampError?.p99 ?? null),
            ]),
          },
        },
      ],
    },
  ]
}

const tones = { valid: 'pass', degraded: 'warn', invalid: 'fail' } as const

function figuresText(generator: LoadReport['generator']): string {
  return [
    spreadText('timestamp error', generator.timestampError),
    spreadText('send delay', generator.scheduleDelay),
    `busiest event loop ${percent(generator.eventLoopUtilization)}`,
    `${figure(generator.eventsPerSecond)} events/s`,
    ...(generator.eventsPerCpuSecond === null
      ? []
      : [`${figure(generator.eventsPerCpuSecond)} per CPU second`]),
  ].join('; ')
}

function spreadText(name: string, spread: Spread | null): string {
  if (spread === null) return `${name} unknown`
  const { p50, p99, max, count } = spread
  const tail = count < boundedSamples ? `${figure(p99)} or more (${count} samples)` : figure(p99)
  return `${name} p50 ${figure(p50)}, p99 ${tail}, max ${figure(max)} ms`
}

function auditItem({ name, verdict, message }: LoadReport['audits'][number]): Item {
  const badge =
    verdict === 'not-applicable'
      ? ({ word: 'n/a', tone: 'none' } as const)
      : { word: verdict, tone: verdict }
  return { badge, text: `${name}: ${message}` }
}

function machineFacts({ environment: at, calibration }: LoadReport['generator']): readonly Fact[] {
  return [
    ...(calibration === null
      ? []
      : [
          [
            'calibration: ',
            `${percent(calibration.used)} of ${figure(calibration.ceilingEventsPerSecond)} events per second, measured ${calibration.measuredAt}`,
          ] as const,
        ]),
    [
      'machine: ',
      `${at.cpus} × ${at.cpuModel}, ${at.platform}, Node ${at.node}, load ${figure(at.loadAverage)}`,
    ],
  ]
}
