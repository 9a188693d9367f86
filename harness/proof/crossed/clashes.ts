/** Dialects in which a fault is no violation, or another one as well. */
import type { Dialect, Fault } from '../../../reference-server/deviations/index.ts'

interface Clash {
  readonly dialects: readonly string[]
  /** Names of faults; a name that ends with `-` stands for all that begin so. */
  readonly faults: readonly string[]
  readonly because: string
}

export const clashes: readonly Clash[] = [
  {
    dialects: ['comment-heartbeats', 'blank-lines-more'],
    faults: ['openai-stream-blocks-run-together'],
    because: 'the empty line before a block ends the block before it',
  },
  {
    dialects: ['done-marker'],
    faults: ['stream-last-block-open', 'stream-last-line-open'],
    because: 'the marker becomes a part of the last block, which is no JSON object then',
  },
  {
    dialects: ['answers-terse'],
    faults: ['v3-max-tokens-ignored', 'v3-max-tokens-ignored-in-streams'],
    because: 'no answer is longer than its limit',
  },
  {
    dialects: ['reasoning-short'],
    faults: ['stream-reasoning-delta-dropped'],
    because: 'the last delta of the reasoning is the only one',
  },
  {
    dialects: ['history-ends-on-an-empty-page'],
    faults: ['v3-history-counts-from-the-end'],
    because: 'the cursor behind the last row is that of the first page, and the walk never ends',
  },
]

/** The reason why a dialect, or one of a combination, does not go with a fault. */
export function clashReason(fault: Fault, dialect: Dialect): string | undefined {
  const worn = [dialect.name, ...dialect.summary.split(', ')]
  return clashes.find(
    (clash) =>
      clash.dialects.some((name) => worn.includes(name)) &&
      clash.faults.some((name) => matches(name, fault.name)),
  )?.because
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('-') ? name.startsWith(pattern) : name === pattern
}
