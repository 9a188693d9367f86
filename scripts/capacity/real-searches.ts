/** Searches by the real command against a real `chatgen serve --engine`, whose capacity a simulation knows. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { capacityReport } from '../../contract/report/capacity/report.ts'
import { mixEntry } from '../../harness/load/plan/mix.ts'
import { arrivals } from '../../harness/load/plan/plan.ts'
import { parseEngine, simulate } from '../../reference-server/engine/engine.ts'
import { chatgen, serve } from '../foreign/programs.ts'
import { trueCapacity } from './targets.ts'

const key = 'capacity-truth'

/**
 * Iterations of a quarter of a second and more: what a busy machine adds to a latency is small beside
 * them. They grow with the batch, whose size varies within seconds, so that ten of them say much.
 */
const engine = 'max-num-seqs=512,max-waiting=1000,prefill=0ms/token,decode=240ms,decode-per-seq=3ms'
const slo = 'ttft.p90 < 900ms'
const limitMs = 900
const allowed = 0.1
const answer = { min: 1, max: 3 }

export interface RealSearch {
  readonly outcome: string
  readonly rate: number | null
  readonly interval: readonly [low: number, high: number] | null
  readonly probes: number
  readonly minutes: number
}

/** The rate at which the share over the limit is what the SLO allows, by simulation without HTTP. */
export function realTruth(): number {
  const mix = {
    name: 'short',
    entries: [
      mixEntry({ name: 'short', kind: 'openai-stream', answer: { kind: 'uniform', ...answer } }),
    ],
  }
  return trueCapacity(
    {
      name: engine,
      min: 5,
      max: 500,
      allowed,
      run: (perSecond, draw, _, requests) => {
        const plan = arrivals({
          seed: String(draw()),
          mix,
          arrival: { kind: 'poisson', perSecond },
          durationNs: (requests / perSecond) * 1e9,
          misbehavior: { slowReader: 0, abort: 0, churn: 0 },
          idempotencyRaces: 0,
        })
        const sent = Array.from(plan, ({ plannedNs, answerTokens }) => ({
          atMs: (plannedNs ?? 0) / 1e6,
          promptTokens: 0,
          outputTokens: answerTokens ?? 1,
        }))
        return simulate(parseEngine(engine), sent).map(
          (found) => found === null || found.ttftMs >= limitMs,
        )
      },
    },
    0,
    400_000,
  )
}

/** One search against a server of its own. */
export async function realSearch(seed: number): Promise<RealSearch> {
  const folder = mkdtempSync(join(tmpdir(), 'capacity-truth-'))
  const [mix, out] = [join(folder, 'mix.yaml'), join(folder, 'results')]
  writeFileSync(
    mix,
    `name: short\ntransactions:\n  - kind: openai-stream\n    prompt: 5\n    answer: { uniform: { min: ${answer.min}, max: ${answer.max} } }\n`,
  )
  const server = await serve('--key', key, '--engine', engine)
  try {
    const args = ['--mix', mix, '--slo', slo, '--min', '10', '--max', '500', '--probe', '10s']
    const limits = ['--budget', '15m', '--seed', `truth-${seed}`, '--quiet', '--out', out]
    const environment = { CHATGEN_API_KEY: key }
    await chatgen(['capacity', server.url, ...args, ...limits], environment, 30 * 60_000)
  } finally {
    await server.stop()
  }
  const text = readFileSync(join(out, 'report.json'), 'utf8')
  rmSync(folder, { recursive: true })
  const { outcome, result, probes, durationMs } = capacityReport.parse(JSON.parse(text))
  const { rate, interval } = result
  return { outcome, rate, interval, probes: probes.length, minutes: durationMs / 60_000 }
}
