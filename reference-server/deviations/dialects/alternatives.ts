import type { Dialect } from '../types.ts'

/** Dialects of which a server has one at most: each is said to exclude the others. */
export function alternatives(list: readonly Dialect[]): readonly Dialect[] {
  return list.map((dialect) => ({
    ...dialect,
    excludes: [
      ...(dialect.excludes ?? []),
      ...list.map(({ name }) => name).filter((name) => name !== dialect.name),
    ],
  }))
}
