/**
 * Does a plan that is fitted from one replica hold for three? One replica of `serve --engine` is measured
 * by `chatgen capacity`; then three of them stand behind nginx, and p95 of the first token and the
 * sustainable rate are measured there and compared with what the plan said. Needs nginx.
 *
 *   node scripts/plan-truth.ts [--seed TEXT] [--budget 8m] [--length 60s] [--keep DIR]
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type CapacityReport, capacityReport } from '../contract/report/capacity/report.ts'
import { loadReport } from '../contract/report/load/report.ts'
import { planReport } from '../contract/report/plan.ts'
import { freePort } from '../reference-server/test-support/free-port.ts'
import { chatgen, isInstalled, serve, startProgram, temporaryPaths } from './foreign/programs.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: 'truth' },
    budget: { type: 'string', default: '8m' },
    length: { type: 'string', default: '60s' },
    keep: { type: 'string' },
  },
})
/** Long iterations: what a busy machine adds to a latency is small beside them. */
const engine = 'max-num-seqs=32,max-waiting=400,prefill=0.1ms/token,decode=80ms,decode-per-seq=2ms'
const slo = 'ttft.p95 < 800ms'
const replicas = 3
const tolerance = 0.15
const key = 'plan-truth'
/** A generator that other programs made late says nothing of the target: it is asked again. */
const attempts = 5
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'chatgen-plan-truth-'))
mkdirSync(folder, { recursive: true })
const mix = join(folder, 'mix.yaml')
writeFileSync(
  mix,
  `name: plan-truth
transactions:
  - kind: openai-stream
    prompt: { uniform: { min: 10, max: 60 } }
    answer: { uniform: { min: 2, max: 6 } }
`,
)
const common = ['--mix', mix, '--workers', '1', '--slo', slo, '--seed', values.seed]

if (isInstalled('nginx')) await run()
else console.log('skipped: nginx is not installed (Debian: apt-get install nginx-light)')
if (values.keep === undefined) rmSync(folder, { recursive: true, force: true })

async function run(): Promise<void> {
  const servers = await Promise.all(
    Array.from({ length: replicas }, () => serve('--key', key, '--engine', engine)),
  )
  const port = await freePort()
  const nginx = await startProgram(folder, port, {
    command: ['nginx', '-p', folder, '-e', `${folder}/error.log`, '-c', `${folder}/nginx.conf`],
    files: {
      'nginx.conf': configuration(
        port,
        servers.map(({ url }) => new URL(url).host),
      ),
    },
  })
  try {
    const isHeld = await compare(servers[0]?.url ?? '', `http://127.0.0.1:${port}`)
    process.exitCode = isHeld ? 0 : 1
  } finally {
    await nginx.stop()
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/** Figures of one replica, and of all behind nginx. */
async function compare(one: string, front: string): Promise<boolean> {
  const { rate: base, interval: bounds } = await search('one', one, 5, 200)
  console.log(`one replica: ${base.toFixed(2)} [${rounded(bounds)}] req/s within ${slo}`)
  const rows: Row[] = []
  for (const share of [0.6, 0.8, 0.9]) {
    const rate = Number((share * replicas * base).toFixed(2))
    const plain = ['--rate', String(rate), '--duration', values.length]
    const load = loadReport.parse(
      await reportOf(`three-${share}`, ['load', front, ...common, ...plain]),
    )
    const ttft = load.metrics.find(({ name }) => name === 'ttft')?.response
    const p95 = ttft?.quantiles.find(({ q }) => q === 0.95)
    rows.push({
      what: `p95 ttft at ${rate} req/s, ms`,
      predicted: (await plan(`rate=${rate}/s`)).ttft,
      measured: p95?.value ?? Number.NaN,
      interval: [p95?.low ?? Number.NaN, p95?.high ?? Number.NaN],
    })
  }
  const { rate, interval } = await search('three', front, 30, 600)
  rows.push({
    what: `sustainable rate within ${slo}, req/s`,
    predicted: (await plan(`rate=${(replicas * base).toFixed(2)}/s`)).rate,
    measured: rate,
    interval,
  })
  return print(rows)
}

/** One worker, so that the turn of round robin is one. */
function configuration(port: number, hosts: readonly string[]): string {
  return `worker_processes 1; daemon off; pid ${folder}/nginx.pid;
events { worker_connections 4096; }
http {
  access_log off; ${temporaryPaths(folder).join(' ')}
  upstream replicas { ${hosts.map((host) => `server ${host};`).join(' ')} keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://replicas; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_read_timeout 120s;
    }
  }
}
`
}

interface Row {
  readonly what: string
  readonly predicted: number
  readonly measured: number
  readonly interval: readonly [number, number]
}

/** @throws Error if the search found no rate: the highest that met the SLO says nothing of the capacity */
async function search(name: string, url: string, min: number, max: number) {
  const limits = ['--min', String(min), '--max', String(max), '--probe', '8s']
  const args = ['capacity', url, ...common, ...limits, '--budget', values.budget]
  const { result, outcome }: CapacityReport = capacityReport.parse(await reportOf(name, args))
  const { rate, interval } = result
  if (rate === null || interval === null) {
    throw new Error(`the search ended without a rate: ${outcome}`)
  }
  return { rate, interval: [interval[0], interval[1]] as const }
}

function rounded(interval: readonly number[]): string {
  return interval.map((value) => value.toFixed(1)).join(', ')
}

function print(rows: readonly Row[]): boolean {
  console.log(`\n${replicas} replicas behind nginx (round robin), ${engine}`)
  let isHeld = true
  for (const { what, predicted, measured, interval } of rows) {
    const off = predicted / measured - 1
    const holds = Math.abs(off) <= tolerance
    isHeld &&= holds
    console.log(
      `${holds ? 'held  ' : 'MISSED'}  ${what}: predicted ${predicted.toFixed(1)}, measured ${measured.toFixed(1)} [${rounded(interval)}], off by ${(100 * off).toFixed(1)} %`,
    )
  }
  return isHeld
}

/** Prediction of three replicas at a rate, by the command that a user would run. */
async function plan(demand: string): Promise<{ ttft: number; rate: number }> {
  const from = ['plan', '--from', join(folder, 'one'), '--demand', demand, '--slo', slo]
  const args = [...from, '--replicas', String(replicas)]
  const { rows, assessed } = planReport.parse(await reportOf('plan', args, 'plan.json'))
  const row = rows.find((each) => each.replicas === replicas)
  return { ttft: row?.ttft.p95 ?? Number.NaN, rate: assessed?.sustainable?.value ?? Number.NaN }
}

/** Report of a command; one whose generator was late is run again. */
async function reportOf(
  name: string,
  args: readonly string[],
  file = 'report.json',
): Promise<unknown> {
  const out = join(folder, name)
  for (let attempt = 1; ; attempt++) {
    const { code, stderr } = await chatgen(
      [...args, '--report', 'json', '--quiet', '--out', out],
      { CHATGEN_API_KEY: key },
      60 * 60_000,
    )
    // An SLO that is missed, or decided by too few requests, is a measurement all the same.
    if (code === 0 || code === 1 || code === 5) break
    if (code !== 6 || attempt === attempts) {
      throw new Error(`chatgen ${args[0]} ended with ${code}:\n${stderr}`)
    }
    console.log(`chatgen ${args[0]} again: the generator was late`)
  }
  return JSON.parse(readFileSync(join(out, file), 'utf8'))
}
