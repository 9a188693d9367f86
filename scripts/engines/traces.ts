/** Loads that differ from the one that was measured, compared with the plan for one replica. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawOf, poissonArrivals, type RatePiece } from '../../harness/plan/simulation/requests.ts'
import { compareTtft, type Trial, textOf } from './plan-trial.ts'
import type { RunningServer } from './servers.ts'

interface Load {
  readonly name: string
  /** Requests per second from a moment on, as shares of the capacity. */
  readonly pieces: readonly RatePiece[]
  /** Words of the prompt of a request; null for those of the mix. */
  readonly words?: (index: number) => number | null
  /** Text of each prompt. */
  readonly template?: string
}

const steady = (perSecond: number) => [{ fromMs: 0, perSecond }]
const prefix = Array.from({ length: 120 }, (_, at) => `rule ${at}`).join(', ')

const loads: readonly Load[] = [
  { name: 'a steady load', pieces: steady(0.6) },
  {
    name: 'a burst of three seconds',
    pieces: [...steady(0.4), { fromMs: 20_000, perSecond: 2 }, { fromMs: 23_000, perSecond: 0.4 }],
  },
  {
    name: 'every twentieth prompt of 200 words',
    pieces: steady(0.4),
    words: (index) => (index % 20 === 0 ? 200 : null),
  },
  {
    name: 'prompts that begin alike',
    pieces: steady(0.2),
    template: `${prefix}. {tell} {words}. {ask} [[tokens={tokens}]]`,
  },
]

const lengthMs = 60_000

/**
 * Prints the first-token latencies of each load and of its plan; `base` is the capacity of the server. Each load has
 * a server of its own: one that was overloaded may be slow for minutes.
 */
export async function compareLoads(
  trial: Trial & { readonly from: string; readonly base: number },
  start: () => Promise<RunningServer | null>,
  mixOf: (template?: string) => string,
): Promise<void> {
  for (const [at, { name, pieces, words, template }] of loads.entries()) {
    const rates = pieces.map((piece) => ({ ...piece, perSecond: piece.perSecond * trial.base }))
    const times = poissonArrivals(rates, lengthMs, 1, drawOf(`${at}`, 'arrivals'))
    const lines = [...times].map((ms, index) => ({
      at: ms / 1000,
      prompt: words?.(index) ?? undefined,
    }))
    const [mix, trace] = ['mix.yaml', 'trace.ndjson'].map((file) =>
      join(trial.folder, `${at}-${file}`),
    )
    writeFileSync(`${mix}`, mixOf(template))
    writeFileSync(`${trace}`, lines.map((line) => JSON.stringify(line)).join('\n'))
    const flags = ['--mix', `${mix}`, '--replay', `${trace}`, '--warm-up', '0s', '--slo', trial.slo]
    const server = await start()
    if (server === null) return
    const { url } = server
    const rows = await compareTtft(
      { ...trial, replicas: [url], balance: 'round-robin' },
      {
        ...{ what: `with ${name}`, name: `trace-${at}`, tolerance: 0.15 },
        args: ['load', url, ...trial.common, ...flags],
        demand: join(trial.folder, `trace-${at}`, 'requests.ndjson'),
      },
    ).finally(() => server.stop())
    for (const row of rows) console.log(textOf(row))
  }
}
