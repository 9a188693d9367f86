import { z } from 'zod'
import { kinds, type Mix, type MixEntry, mixEntry, type Rag } from './mix.ts'
import type { Distribution } from './random.ts'

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

const distribution = z.union(
  [
    count,
    z.strictObject({ constant: count }),
    z.strictObject({
      uniform: z
        .strictObject({ min: count, max: count })
        .refine(({ min, max }) => min <= max, 'min is greater than max'),
    }),
    z.strictObject({
      normal: z.strictObject({
        mean: count,
        deviation: count,
        min: count.optional(),
        max: count.optional(),
      }),
    }),
    z.strictObject({
      lognormal: z.strictObject({
        median: positive,
        sigma: count,
        min: count.optional(),
        max: count.optional(),
      }),
    }),
  ],
  'must be a number, or one of { constant: 9 }, { uniform: { min: 1, max: 9 } }, { normal: { mean: 9, deviation: 2 } }, { lognormal: { median: 9, sigma: 0.5 } }',
)

const rag = z.union(
  [z.boolean(), z.literal('agent'), z.record(z.string(), z.unknown())],
  'must be true, false, agent, or an object of search settings',
)

const entry = z.strictObject({
  kind: z.enum(kinds),
  name: z.string().min(1).optional(),
  weight: positive.default(1),
  prompt: distribution.optional(),
  answer: z
    .union([z.literal('free'), distribution], 'must be free, a number or a distribution')
    .optional(),
  thinkTime: distribution.optional(),
  turns: distribution.optional(),
  /** One value, or the levels of a factor. */
  think: z.union([z.boolean(), z.array(z.boolean()).min(1)]).optional(),
  rag: z.union([rag, z.array(rag).min(1)]).optional(),
  template: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  usage: z.boolean().optional(),
})

export const mixFile = z.strictObject({
  name: z.string().min(1).optional(),
  transactions: z.array(entry).min(1, 'a mix has at least one transaction'),
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
  const name = written.name ?? written.kind
  return thinks.flatMap((think) =>
    rags.map((rag) => {
      const levels = [
        ...(thinks.length > 1 ? [`think=${think}`] : []),
        ...(rags.length > 1 ? [`rag=${typeof rag === 'object' ? JSON.stringify(rag) : rag}`] : []),
      ]
      return mixEntry({
        kind: written.kind,
        name: [name, ...levels].join(' '),
        weight: written.weight / (thinks.length * rags.length),
        think,
        rag,
        ...(written.prompt === undefined ? {} : { prompt: distributionOf(written.prompt) }),
        ...answerOf(written.answer),
        ...(written.thinkTime === undefined
          ? {}
          : { thinkTime: distributionOf(written.thinkTime) }),
        ...(written.turns === undefined ? {} : { turns: distributionOf(written.turns) }),
        ...(written.template === undefined ? {} : { template: written.template }),
        ...(written.model === undefined ? {} : { model: written.model }),
        ...(written.usage === undefined ? {} : { usage: written.usage }),
      })
    }),
  )
}

function levelsOf<Level>(value: Level | readonly Level[] | undefined): readonly (Level | null)[] {
  if (value === undefined) return [null]
  return Array.isArray(value) ? value : [value as Level]
}

function answerOf(answer: MixFile['transactions'][number]['answer']): Partial<MixEntry> {
  if (answer === undefined) return {}
  return { answer: answer === 'free' ? null : distributionOf(answer) }
}

function distributionOf(written: z.output<typeof distribution>): Distribution {
  if (typeof written === 'number') return { kind: 'constant', value: written }
  if ('constant' in written) return { kind: 'constant', value: written.constant }
  if ('uniform' in written) return { kind: 'uniform', ...written.uniform }
  return 'normal' in written
    ? { kind: 'normal', ...written.normal }
    : { kind: 'lognormal', ...written.lognormal }
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
