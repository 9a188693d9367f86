import type { LoadReport } from '../../../contract/report/load/report.ts'
import { doubtMarkup } from '../../conformance/html/overview.ts'
import { html, type Markup, tableMarkup } from '../../html/markup.ts'
import { count, figure, interval, percent, seconds } from '../../text/format.ts'
import { outcomeText, outcomeWord, targetText } from '../outcome.ts'
import { arrivalText, windowText } from '../plan.ts'
import { disturbanceText } from '../traffic.ts'

/** The ten-second summary: outcome, target and counts. */
export function overview(report: LoadReport): Markup {
  const { outcome, rates, goodput, integrity, interrupted } = report
  const violated = integrity.findings.filter(({ level }) => level === 'required').length
  return html`<header>
<p class="kind">Load report</p>
${doubtMarkup(report)}
<h1><span class="outcome ${outcome}">${outcomeWord(report)}</span> <span class="target">${targetText(report)}</span></h1>
<ul class="numbers ${outcome === 'invalid' ? 'untrusted' : ''}">
${number(figure(rates.completed.perSecond), 'completed per second', 'none')}
${number(goodput.share === null ? 'n/a' : percent(goodput.share), 'goodput', 'none')}
${number(String(rates.failed.count + rates.shed.count), 'failed or shed', rates.failed.count > 0 ? 'fail' : 'none')}
${number(String(violated), violated === 1 ? 'requirement violated' : 'requirements violated', violated > 0 ? 'fail' : 'none')}
</ul>
<p>${outcomeText(report)}.${interrupted ? ' Interrupted: partial results.' : ''}${outcome === 'invalid' ? ' The load generator was the bottleneck: the figures below do not describe the target.' : ''}</p>
<details class="facts"><summary>About this run</summary>
<dl>${facts(report).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</details>
</header>`
}

export function sloSection({ slo }: LoadReport): Markup {
  return html`<section aria-labelledby="slo">
<h2 id="slo" tabindex="-1">SLO</h2>
${
  slo.length === 0
    ? html`<p>No SLO was given.</p>`
    : html`<ul class="violations">${slo.map(
        ({ expression, verdict, observed, low, high, unit, message }) => html`<li>
<span class="badge ${badges[verdict]}">${verdict}</span> <code>${expression}</code>
<strong>${interval(observed, low, high)} ${unit}</strong>
<p class="found">${message}</p></li>
`,
      )}</ul>`
}
</section>`
}

const badges = { met: 'pass', missed: 'fail', undecided: 'unproven' } as const

export function findingSection({ integrity, errors, disturbances }: LoadReport): Markup {
  const { findings, streams, bodies, events, held, crossTalk, duplicateIds, idempotencyRaces } =
    integrity
  const judged = `Judged: ${streams} streams, ${bodies} other bodies, ${events} events; ${count(held.length, 'requirement')} passed in every response. Cross-talk: ${crossTalk.leaks} of ${crossTalk.answers} responses contained text of another request. Duplicate ids: ${duplicateIds.duplicates} of ${duplicateIds.ids}. Idempotency-Key races executed twice: ${idempotencyRaces.doubled} of ${idempotencyRaces.races}.`
  return html`<section aria-labelledby="findings">
<h2 id="findings">Violations</h2>
<p>${judged}</p>
${
  findings.length === 0
    ? null
    : html`<ul class="violations">${findings.map(
        ({ id, level, title, broken, of, rate, first }) => html`<li id="${id}">
<span class="badge ${level === 'required' ? 'fail' : 'warn'}">${level}</span> <strong>${id}</strong> ${title}
<p>Violated in ${broken} of ${of} (${percent(rate)}). First: <span class="message">${first.why}</span></p>
<p class="found">Request ${first.index}.${first.step} at ${seconds(first.atMs)}, <code>${first.operation}</code>${first.event === null ? '' : `, event ${first.event}`}, X-Request-Id <code>${first.requestId}</code></p></li>
`,
      )}</ul>`
}
<h3>Failed requests by kind</h3>
<p>${disturbanceText(disturbances)}.</p>
${
  errors.length === 0
    ? html`<p>None.</p>`
    : tableMarkup(
        {
          words: 2,
          head: ['kind', 'detail', 'requests', 'share of due', 'first at'],
          rows: errors.map(({ kind, detail, count, share, firstSecond }) => [
            kind,
            detail,
            String(count),
            percent(share),
            seconds(1000 * firstSecond),
          ]),
        },
        'Failed requests by kind',
      )
}
</section>`
}

function number(value: string, name: string, kind: string): Markup {
  return html`<li class="${kind}"><strong>${value}</strong> ${name}</li>`
}

function facts(report: LoadReport): readonly (readonly [string, string])[] {
  const { plan, config, suite, seed, startedAt, durationMs, target, connections } = report
  const { misbehaviour, idempotencyRaceShare } = config
  const odd = Object.entries({ ...misbehaviour, races: idempotencyRaceShare })
    .filter(([, share]) => share > 0)
    .map(([name, share]) => `${name} ${percent(share)}`)
  return [
    ['Load', `${arrivalText(plan.arrival)}, for ${seconds(plan.durationMs)}`],
    ['Mix', `${plan.mix}; ${target.surfaces.join(', ')}`],
    ...(odd.length === 0 ? [] : [['Misbehaving clients', odd.join(', ')] as const]),
    [
      'Plan',
      `${plan.hash}${plan.shard === null ? '' : `, shard ${plan.shard.index}/${plan.shard.of}`}`,
    ],
    ['Transactions', `${plan.ownTransactions} of ${plan.transactions}`],
    ['Measured', windowText(report)],
    [
      'Connections',
      `${connections.opened} opened, ${count(connections.reused, 'request')} on reused connections`,
    ],
    ['Started', startedAt],
    ['Duration', seconds(durationMs)],
    ['chatgen', `${suite.version}, interface ${suite.interface}`],
    ['Seed', seed],
  ]
}
