import type { Dialect } from '../types.ts'

/** Mutually exclusive dialects. */
export function alternatives(list: readonly Dialect[]): readonly Dialect[] {
  return list.map((dialect) => ({
    ...dialect,
    excludes: [
      ...(dialect.excludes ?? []),
      ...list.map(({ name }) => name).filter((name) => name !== dialect.name),
    ],
  }))
}
