import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadReport } from '../../../reports/model/load.ts'
import { reportName } from '../../conformance/defaults.ts'
import type { Io } from '../io.ts'
import type { LoadFlags } from './flags.ts'

/** Writes `report.json`, and prints what was asked for. */
export function publishLoad(report: LoadReport, { out, json, quiet }: LoadFlags, io: Io): void {
  const text = JSON.stringify(report, null, 2)
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, reportName), `${text}\n`)
  if (json) io.out(text)
  else {
    io.out(summary(report))
    if (!quiet) io.out(`Results: ${out}`)
  }
}

function summary({ outcome, rates, errors, integrity, generator, metrics }: LoadReport): string {
  const quantiles = metrics.flatMap(({ name, service, response }) =>
    [
      ['service', service],
      ['response', response],
    ].flatMap(([clock, distribution]) =>
      typeof distribution === 'object' && distribution !== null
        ? [
            `  ${name} ${clock}: ${distribution.quantiles
              .map(({ q, value }) => `p${q * 100} ${value?.toFixed(1) ?? 'n/a'}`)
              .join('  ')} ms`,
          ]
        : [],
    ),
  )
  return [
    outcome.toUpperCase(),
    `  completed ${rates.completed.count}, failed ${rates.failed.count}, shed ${rates.shed.count}`,
    ...errors.map(({ kind, detail, count }) => `  ${kind} ${detail}: ${count}`),
    ...integrity.findings.map(
      ({ id, broken, of, first }) => `  ${id}: ${broken} of ${of}: ${first.why}`,
    ),
    ...quantiles,
    `  generator ${[generator.verdict, ...generator.reasons].join(': ')}`,
  ].join('\n')
}
