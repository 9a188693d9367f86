/** Dialects in which a fault is no violation, or another one as well. */
import type { Dialect, Fault } from '../../../reference-server/deviations/index.ts'

interface Clash {
  readonly dialects: readonly string[]
  /** Names of faults; a name that ends with `-` stands for all that begin so. */
  readonly faults: readonly string[]
  readonly because: string
}

export const clashes: readonly Clash[] = []

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
