import type { LoadReport } from '../../../contract/report/load/report.ts'

/** The report of one shard, and its name in messages. */
export interface Shard {
  readonly name: string
  readonly report: LoadReport
}

/** Reports that are not shards, or not of one run. The message names them. */
export class ShardMismatchError extends Error {
  override readonly name = 'ShardMismatchError'
}

/** @throws ShardMismatchError */
export function checkShards(shards: readonly [Shard, ...Shard[]]): void {
  const whole = shards.find(
    ({ report }) => report.plan.shard === null || report.measurements === undefined,
  )
  if (whole !== undefined) {
    throw new ShardMismatchError(
      `${whole.name} is not a shard of a load run and cannot be merged: render it by itself`,
    )
  }
  const [first, ...others] = shards
  for (const other of others) {
    for (const [what, read] of mustAgree) {
      const [a, b] = [read(first.report), read(other.report)]
      if (a === b) continue
      throw new ShardMismatchError(
        `${first.name} and ${other.name} are not shards of one run: they have different ${what}, ${a} and ${b}`,
      )
    }
  }
  const twice = others.find((shard, at) =>
    shards.slice(0, at + 1).some((before) => indexOf(before) === indexOf(shard)),
  )
  if (twice !== undefined) {
    throw new ShardMismatchError(
      `${twice.name} is shard ${indexOf(twice)}, which was already given`,
    )
  }
}

const mustAgree: readonly (readonly [string, (report: LoadReport) => string])[] = [
  ['plans', ({ plan }) => plan.hash.slice(0, 12)],
  ['numbers of shards', ({ plan }) => String(plan.shard?.of)],
  ['SLOs', (report) => givenSlos(report).join('; ') || 'none'],
  ['shares of refusals', ({ config }) => String(config.maxRefusals ?? 'not given')],
  [
    'endpoints',
    ({ endpoints = [] }) => endpoints.map(({ baseUrl }) => baseUrl).join(', ') || 'none',
  ],
  ['spreads over endpoints', ({ config }) => config.spread ?? 'none'],
  ['versions of chatgen', ({ suite }) => suite.version],
]

/** Expressions given to a run; implied ones are decided again for the merged run. */
export function givenSlos({ slo }: LoadReport): string[] {
  return slo.filter(({ implied }) => implied !== true).map(({ expression }) => expression)
}

function indexOf({ report }: Shard): number | undefined {
  return report.plan.shard?.index
}
