/** Compares a plan from one replica with measurements of several of them behind nginx. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import { capacityReport } from '../../reports/capacity/model/report.ts'
import { loadReport } from '../../reports/load/model/report.ts'
import { planReport } from '../../reports/plan/model.ts'
import { chatgen, reportIn, startNginx } from '../foreign/programs.ts'

/** Runs of the command with the same key, mix and SLO. */
export interface Trial {
  /** Folder of all results; exists. */
  readonly folder: string
  readonly key: string
  readonly slo: string
  /** Flags of each run that sends requests. */
  readonly common: readonly string[]
  /** Rates of a search, length of its probes, and its time, such as `8s` and `8m`. */
  readonly range: Readonly<Record<'min' | 'max', number> & Record<'probe' | 'budget', string>>
}

interface Cluster extends Trial {
  /** Name of the results of the search of one replica. */
  readonly from: string
  readonly replicas: readonly string[]
  readonly balance: 'round-robin' | 'least-connections'
}

interface PlanTrial extends Cluster {
  /** Rate that the search found. */
  readonly base: number
  /** Rates of the load runs, as shares of the capacity that all replicas would have, and their length. */
  readonly shares: readonly number[]
  readonly length: string
  /** Maximum relative error of a latency, and of the rate. */
  readonly tolerance: { readonly latency: number; readonly rate: number }
}

/** Prints each prediction with its measurement. @returns true if all are within the tolerance */
export async function comparePlan(trial: PlanTrial): Promise<boolean> {
  const { replicas, balance, base, slo, shares, length, common, tolerance } = trial
  const count = replicas.length
  const port = await freePort()
  const nginx = await startNginx(join(trial.folder, 'nginx'), port, proxyTo(trial, port))
  const front = `http://127.0.0.1:${port}`
  const rows: Row[] = []
  try {
    for (const share of shares) {
      const rate = Number((share * count * base).toFixed(2))
      const run = ['load', front, ...common, '--slo', slo, '--rate', `${rate}`]
      const found = await compareTtft(trial, {
        ...{ what: `at ${rate} req/s`, name: `load-${share}`, demand: `rate=${rate}/s` },
        ...{ args: [...run, '--duration', length], tolerance: tolerance.latency },
      })
      rows.push(...found)
    }
    const { rate, interval } = await search(trial, `all-${balance}`, front)
    const { sustainable } = await planOf(trial, `rate=${(count * base).toFixed(2)}/s`)
    rows.push({
      what: `sustainable rate within ${slo}, req/s`,
      predicted: sustainable,
      measured: rate,
      interval,
      tolerance: tolerance.rate,
    })
  } finally {
    await nginx.stop()
  }
  console.log(`\n${count} replicas behind nginx (${balance})`)
  for (const row of rows) console.log(textOf(row))
  return rows.every(isHeld)
}

/**
 * Latencies of the first token after the real send, as the plan has no generator, and those of a plan.
 * @param run name of the results of the load run, its command, the demand of the plan, maximum relative error
 */
export async function compareTtft(
  trial: Cluster,
  run: Pick<Row, 'what' | 'tolerance'> &
    Readonly<Record<'name' | 'demand', string> & { args: readonly string[] }>,
): Promise<readonly Row[]> {
  const { what, name, args, demand, tolerance } = run
  const load = reportIn(loadReport, await resultsOf(trial, name, args))
  const ttft = load.metrics.find((metric) => metric.name === 'ttft')?.service
  const { row } = await planOf(trial, demand)
  return [['p50', 0.5] as const, ['p95', 0.95] as const].map(([name, q]) => {
    const found = ttft?.quantiles.find((quantile) => quantile.q === q)
    return {
      what: `${name} ttft ${what}, ms`,
      predicted: row?.ttft[name] ?? Number.NaN,
      measured: found?.value ?? Number.NaN,
      interval: [found?.low ?? Number.NaN, found?.high ?? Number.NaN] as const,
      tolerance,
    }
  })
}

/** @throws Error if the search found no rate: the highest that met the SLO says nothing about the capacity */
export async function search(trial: Trial, name: string, url: string) {
  const { min, max, probe, budget } = trial.range
  const range = ['--min', `${min}`, '--max', `${max}`, '--probe', probe, '--budget', budget]
  const args = ['capacity', url, ...trial.common, '--slo', trial.slo, ...range]
  const { result, outcome, durationMs } = reportIn(
    capacityReport,
    await resultsOf(trial, name, args),
  )
  const { rate, interval } = result
  if (rate === null || interval === null) {
    throw new Error(`the search ended without a rate: ${outcome}`)
  }
  return { rate, interval, minutes: durationMs / 60_000 }
}

/** Prediction for all replicas at a demand, from the command that a user would run. */
async function planOf(trial: Cluster, demand: string) {
  const { folder, from, slo, balance, replicas } = trial
  const flags = ['--from', join(folder, from), '--demand', demand, '--slo', slo]
  const args = ['plan', ...flags, '--balance', balance, '--replicas', `${replicas.length}`]
  const results = await resultsOf(trial, 'plan', args)
  const { rows, assessed } = reportIn(planReport, results, 'plan.json')
  const row = rows.find((each) => each.replicas === replicas.length)
  return { row, sustainable: assessed?.sustainable?.value ?? Number.NaN }
}

function proxyTo({ replicas, balance }: Cluster, port: number): string {
  return `  access_log off;
  upstream replicas {
    ${balance === 'least-connections' ? 'least_conn;' : ''}
    ${replicas.map((url) => `server ${new URL(url).host};`).join(' ')} keepalive 64;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://replicas; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_read_timeout 120s;
    }
  }`
}

export interface Row {
  readonly what: string
  readonly predicted: number
  readonly measured: number
  readonly interval: readonly [number, number]
  readonly tolerance: number
}

const errorOf = ({ predicted, measured }: Row) => predicted / measured - 1
const isHeld = (row: Row) => Math.abs(errorOf(row)) <= row.tolerance

export function textOf(row: Row): string {
  const { what, predicted, measured, interval } = row
  const off = `off by ${(100 * errorOf(row)).toFixed(1)} %`
  return `${isHeld(row) ? 'held  ' : 'MISSED'}  ${what}: predicted ${predicted.toFixed(1)}, measured ${measured.toFixed(1)} [${rounded(interval)}], ${off}`
}

export function rounded(interval: readonly number[]): string {
  return interval.map((value) => value.toFixed(1)).join(', ')
}

/** Attempts, because a late generator on a busy machine says nothing about the target. */
const attempts = 5
/** Time in which a target recovers from the overload of the run before, ms. */
const recoveryMs = 10_000

/** Results folder of a command; one whose generator was late, or whose target was still overloaded, is run again. */
export async function resultsOf(
  { folder, key }: Trial,
  name: string,
  args: readonly string[],
): Promise<string> {
  const out = join(folder, name)
  for (let attempt = 1; ; attempt++) {
    const { code, stderr } = await chatgen(
      [...args, '--report', 'json', '--quiet', '--out', out],
      { CHATGEN_API_KEY: key },
      60 * 60_000,
    )
    // An SLO that is missed, or decided by too few requests, is still a measurement.
    if (code === 0 || code === 1 || code === 5) return out
    if ((code !== 6 && code !== 3) || attempt === attempts) {
      throw new Error(`chatgen ${args[0]} ended with ${code}:\n${stderr}`)
    }
    const reason = code === 6 ? 'the generator was late' : 'the target had not recovered'
    console.log(`chatgen ${args[0]} again: ${reason}`)
    if (code === 3) await sleep(recoveryMs)
  }
}
