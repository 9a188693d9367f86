/** Tables of faults and dialects: one entry, one deviation. */
import type { RequirementId } from '../../contract/index.ts'
import type { Patch } from '../services.ts'
import type { Dialect, Fault } from './types.ts'

/** Name and summary: `openai-id-missing: The completion omits id.` */
type Heading = `${string}: ${string}.`

/** Members of a fault that few faults have; `also` lists further requirements that it breaks. */
type Particulars = Pick<Fault, 'only' | 'because' | 'precedent' | 'patch'> & {
  readonly also?: readonly RequirementId[]
}

type Entries<Details> = Readonly<Record<Heading, Patch | Details>>

/** Faults by the requirement that they break. */
export function faultTable(
  table: Readonly<Partial<Record<RequirementId, Entries<Particulars>>>>,
): readonly Fault[] {
  return Object.entries(table).flatMap(([id, entries]) =>
    Object.entries(entries).map(([heading, entry]): Fault => {
      const { also = [], ...particulars } = typeof entry === 'function' ? { patch: entry } : entry
      return { ...headingParts(heading), breaks: [id as RequirementId, ...also], ...particulars }
    }),
  )
}

export function dialectTable(
  table: Entries<Omit<Dialect, 'name' | 'summary'>>,
): readonly Dialect[] {
  return Object.entries(table).map(([heading, entry]) => ({
    ...headingParts(heading),
    ...(typeof entry === 'function' ? { patch: entry } : entry),
  }))
}

/** Mutually exclusive dialects. */
export function alternatives(
  table: Entries<Omit<Dialect, 'name' | 'summary'>>,
): readonly Dialect[] {
  const list = dialectTable(table)
  return list.map((dialect) => ({
    ...dialect,
    excludes: [
      ...(dialect.excludes ?? []),
      ...list.map(({ name }) => name).filter((name) => name !== dialect.name),
    ],
  }))
}

function headingParts(heading: string): { readonly name: string; readonly summary: string } {
  const [name = '', ...summary] = heading.split(': ')
  return { name, summary: summary.join(': ') }
}
