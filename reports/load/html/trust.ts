import type { LoadReport } from '../../../contract/report/load.ts'
import type { Spread } from '../../../contract/report/load-generator.ts'
import { html, type Markup, tableMarkup } from '../../html/markup.ts'
import { figure, percent } from '../../text/format.ts'

/** How far the figures can be trusted: the error of the generator, and laws that they must keep. */
export function trustSection(report: LoadReport): Markup {
  const { generator, audits, notes, faults } = report
  return html`<section aria-labelledby="trust">
<h2 id="trust">The generator, measured</h2>
<p><span class="badge ${badges[generator.verdict]}">${generator.verdict}</span> ${generator.reasons.length === 0 ? 'Nothing speaks against its figures.' : generator.reasons.join('; ')}</p>
<dl>${facts(report).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${
  generator.workers.length === 0
    ? null
    : tableMarkup(
        {
          head: ['worker', 'requests', 'events', 'CPU, ms', 'event loop', 'stamps late p99, ms'],
          rows: generator.workers.map((worker) => [
            String(worker.index),
            String(worker.requests),
            String(worker.events),
            figure(worker.cpuMs),
            percent(worker.eventLoopUtilization),
            figure(worker.timestampError?.p99 ?? null),
          ]),
        },
        'Workers of the generator',
      )
}
<h3>Audits</h3>
<ul class="violations">${audits.map(
    ({ name, verdict, message }) =>
      html`<li><span class="badge ${verdict === 'not-applicable' ? 'none' : verdict}">${verdict === 'not-applicable' ? 'n/a' : verdict}</span> <code>${name}</code> ${message}</li>
`,
  )}</ul>
${listed('Notes', notes)}
${listed('Faults of the kit itself', faults)}
</section>`
}

const badges = { valid: 'pass', degraded: 'warn', invalid: 'fail' } as const

function facts({ generator }: LoadReport): readonly (readonly [string, string])[] {
  const { timestampError, scheduleDelay, environment: at, calibration } = generator
  return [
    ['Its stamps came late by', spreadText(timestampError)],
    ['Planned arrivals left late by', spreadText(scheduleDelay)],
    ['Busiest event loop', percent(generator.eventLoopUtilization)],
    [
      'Events',
      `${figure(generator.eventsPerSecond)} a second${generator.eventsPerCpuSecond === null ? '' : `, ${figure(generator.eventsPerCpuSecond)} a second of CPU`}`,
    ],
    ...(calibration === null
      ? []
      : [
          [
            'Calibrated',
            `${percent(calibration.used)} of ${figure(calibration.ceilingEventsPerSecond)} events a second, measured ${calibration.measuredAt}`,
          ] as const,
        ]),
    [
      'Machine',
      `${at.cpus} × ${at.cpuModel}, ${at.platform}, Node ${at.node}, load ${figure(at.loadAverage)}`,
    ],
  ]
}

function spreadText(spread: Spread | null): string {
  if (spread === null) return 'not known'
  const { p50, p99, max, count } = spread
  return `p50 ${figure(p50)}, p99 ${figure(p99)}, at most ${figure(max)} ms, of ${count}`
}

function listed(title: string, texts: readonly string[]): Markup | null {
  if (texts.length === 0) return null
  return html`<h3>${title}</h3>
<ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>`
}
