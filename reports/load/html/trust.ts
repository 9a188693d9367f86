import type { Spread } from '../../../contract/report/load/generator.ts'
import type { LoadReport } from '../../../contract/report/load/report.ts'
import { html, type Markup, tableMarkup } from '../../html/markup.ts'
import { figure, percent } from '../../text/format.ts'

/** Accuracy of the measurement: the error of the generator, and audits of the figures. */
export function trustSection(report: LoadReport): Markup {
  const { generator, audits, notes, faults } = report
  return html`<section aria-labelledby="trust">
<h2 id="trust">Accuracy of the generator</h2>
<p><span class="badge ${badges[generator.verdict]}">${generator.verdict}</span> ${generator.reasons.length === 0 ? 'No objection to its figures.' : generator.reasons.join('; ')}</p>
<dl>${facts(report).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${
  generator.workers.length === 0
    ? null
    : tableMarkup(
        {
          head: [
            'worker',
            'requests',
            'events',
            'CPU, ms',
            'event loop',
            'timestamp error p99, ms',
          ],
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
${listed('Internal errors of chatgen', faults)}
</section>`
}

const badges = { valid: 'pass', degraded: 'warn', invalid: 'fail' } as const

function facts({ generator }: LoadReport): readonly (readonly [string, string])[] {
  const { timestampError, scheduleDelay, environment: at, calibration } = generator
  return [
    ['Timestamp error', spreadText(timestampError)],
    ['Send delay', spreadText(scheduleDelay)],
    ['Busiest event loop', percent(generator.eventLoopUtilization)],
    [
      'Events',
      `${figure(generator.eventsPerSecond)} per second${generator.eventsPerCpuSecond === null ? '' : `, ${figure(generator.eventsPerCpuSecond)} per CPU second`}`,
    ],
    ...(calibration === null
      ? []
      : [
          [
            'Calibration',
            `${percent(calibration.used)} of ${figure(calibration.ceilingEventsPerSecond)} events per second, measured ${calibration.measuredAt}`,
          ] as const,
        ]),
    [
      'Machine',
      `${at.cpus} × ${at.cpuModel}, ${at.platform}, Node ${at.node}, load ${figure(at.loadAverage)}`,
    ],
  ]
}

function spreadText(spread: Spread | null): string {
  if (spread === null) return 'unknown'
  const { p50, p99, max, count } = spread
  return `p50 ${figure(p50)}, p99 ${figure(p99)}, max ${figure(max)} ms (n = ${count})`
}

function listed(title: string, texts: readonly string[]): Markup | null {
  if (texts.length === 0) return null
  return html`<h3>${title}</h3>
<ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>`
}
