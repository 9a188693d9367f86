import { z } from 'zod'
import { kinds, type Mix, type MixEntry, mixEntry, type Rag } from './mix.ts'
import type { Bounds, Distribution } from './random.ts'

/**
 * A mix as written in a file.
 *
 *     name: support-desk
 *     transactions:
 *       - kind: v3-stream
 *         weight: 8
 *         prompt: { lognormal: { median: 60, sigma: 0.7, max: 500 } }   # words
 *         answer: { uniform: { min: 50, max: 300 } }                    # tokens
 *         think: [true, false]                                          # a factor: half of each
 *       - kind: v3-chat
 *         turns: 4
 *         thinkTime: { normal: { mean: 3000, deviation: 1000, min: 500 } }   # milliseconds
 */

const positive = z.number().positive()
const count = z.number().nonnegative()

const bounds = { min: count.optional(), max: count.optional() }

const distribution = z.union(
  [
    count.transform(constant),
    z.strictObject({ constant: count }).transform((written) => constant(written.constant)),
    z
      .strictObject({ uniform: z.strictObject({ min: count, max: count }) })
      .transform(({ uniform }) => ({ kind: 'uniform', ...uniform }) as const)
      .refine(isRange, reversed('uniform')),
    z
      .strictObject({ normal: z.strictObject({ mean: count, deviation: count, ...bounds }) })
      .transform(({ normal }) => ({ kind: 'normal', ...normal }) as const)
      .refine(isRange, reversed('normal')),
    z
      .strictObject({ lognormal: z.strictObject({ median: positive, sigma: count, ...bounds }) })
      .transform(({ lognormal }) => ({ kind: 'lognormal', ...lognormal }) as const)
      .refine(isRange, reversed('lognormal')),
  ],
  'must be a number, or one of { constant: 9 }, { uniform: { min: 1, max: 9 } }, { normal: { mean: 9, deviation: 2 } }, { lognormal: { median: 9, sigma: 0.5 } }',
)

function isRange({ min = 0, max = Number.POSITIVE_INFINITY }: Bounds): boolean {
  return min <= max
}

function reversed(name: string) {
  return { error: 'min is greater than max', path: [name] }
}

function constant(value: number): Distribution {
  return { kind: 'constant', value }
}

const rag = z.union(
  [z.boolean(), z.literal('agent'), z.record(z.string(), z.unknown())],
  'must be true, false, agent, or an object of search settings',
)

const entry = z.strictObject({
  kind: z.enum(kinds),
  name: z.string().min(1).optional(),
  weight: positive.default(1),
  prompt: distribution.exactOptional(),
  answer: z
    .union(
      [z.literal('free').transform(() => null), distribution],
      'must be free, a number or a distribution',
    )
    .exactOptional(),
  thinkTime: distribution.exactOptional(),
  turns: distribution.exactOptional(),
  /** One value, or the levels of a factor. */
  think: z.union([z.boolean(), z.array(z.boolean()).min(1)]).optional(),
  rag: z.union([rag, z.array(rag).min(1)]).optional(),
  template: z.string().min(1).exactOptional(),
  model: z.string().min(1).exactOptional(),
  usage: z.boolean().exactOptional(),
})

export const mixFile = z.strictObject({
  name: z.string().min(1).optional(),
  transactions: z.array(entry).min(1, 'a mix needs at least one transaction'),
})
export type MixFile = z.output<typeof mixFile>

/**
 * The mix of a file. Factors are crossed: an entry with two values of `think` and three of `rag` becomes six,
 * with equal shares and distinct names.
 */
export function mixOfFile(file: MixFile, name: string): Mix {
  return { name: file.name ?? name, entries: distinct(file.transactions.flatMap(cellsOf)) }
}

function cellsOf(written: MixFile['transactions'][number]): MixEntry[] {
  const thinks = levelsOf<boolean>(written.think)
  const rags = levelsOf<Rag>(written.rag)
  return thinks.flatMap((think) =>
    rags.map((rag) => {
      const levels = [
        ...(thinks.length > 1 ? [`think=${think}`] : []),
        ...(rags.length > 1 ? [`rag=${typeof rag === 'object' ? JSON.stringify(rag) : rag}`] : []),
      ]
      return mixEntry({
        ...written,
        name: [written.name ?? written.kind, ...levels].join(' '),
        weight: written.weight / (thinks.length * rags.length),
        think,
        rag,
      })
    }),
  )
}

function levelsOf<Level>(value: Level | readonly Level[] | undefined): readonly (Level | null)[] {
  if (value === undefined) return [null]
  return Array.isArray(value) ? value : [value as Level]
}

/** Numbers entries of the same name, because figures are kept by name. */
function distinct(entries: readonly MixEntry[]): MixEntry[] {
  const firstIndex = new Map<string, number>()
  return entries.map((entry) => {
    const times = (firstIndex.get(entry.name) ?? 0) + 1
    firstIndex.set(entry.name, times)
    return times === 1 ? entry : { ...entry, name: `${entry.name} #${times}` }
  })
}
