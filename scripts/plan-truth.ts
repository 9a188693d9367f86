/**
 * Does a plan that is fitted from one replica hold for three? One replica of `serve --engine` is measured
 * by `chatgen capacity`; then three of them run behind nginx, and the first token and the sustainable
 * rate are measured there and compared with the plan. Needs nginx.
 *
 *   node scripts/plan-truth.ts [--seed TEXT] [--budget 8m] [--length 60s] [--keep DIR]
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { comparePlan, rounded, search } from './capacity/plan-trial.ts'
import { isInstalled, serve } from './foreign/programs.ts'
import { optionsOf, scriptFolder } from './options.ts'

const values = optionsOf(import.meta, { seed: 'truth', budget: '8m', length: '60s', keep: '' })
/** Long iterations, so that the latency added by a busy machine is relatively small. */
const engine = 'max-num-seqs=32,max-waiting=400,prefill=0.1ms/token,decode=80ms,decode-per-seq=2ms'
const slo = 'ttft.p95 < 800ms'
const key = 'plan-truth'
const folder = scriptFolder('plan-truth', values.keep)
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

if (isInstalled('nginx')) await run()
else console.log('skipped: nginx is not installed (Debian: apt-get install nginx-light)')

async function run(): Promise<void> {
  const servers = await Promise.all(
    Array.from({ length: 3 }, () => serve('--key', key, '--engine', engine)),
  )
  const common = ['--mix', mix, '--workers', '1', '--seed', values.seed]
  const range = { min: 5, max: 200, probe: '8s', budget: values.budget }
  const trial = { folder, key, slo, common, range }
  try {
    const one = await search(trial, 'one', servers[0]?.url ?? '')
    console.log(
      `one replica: ${one.rate.toFixed(2)} [${rounded(one.interval)}] req/s within ${slo}`,
    )
    const isHeld = await comparePlan({
      ...{ ...trial, from: 'one', base: one.rate, replicas: servers.map(({ url }) => url) },
      ...{ balance: 'round-robin', shares: [0.6, 0.8, 0.9], length: values.length },
      range: { ...range, min: 30, max: 600 },
      tolerance: { latency: 0.15, rate: 0.15 },
    })
    process.exitCode = isHeld ? 0 : 1
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}
