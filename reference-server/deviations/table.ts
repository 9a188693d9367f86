/** Tables of faults and dialects: one entry, one deviation. */
import type { RequirementId, Surface } from '../../contract/index.ts'
import type { Patch } from '../services.ts'
import { type Edit, editEvents } from './patches/events.ts'

/** Name and summary: `openai-id-missing: The completion omits id.` */
type Heading = `${string}: ${string}.`

type Entries<Details, Change = Patch> = Readonly<Record<Heading, Change | Details>>

interface Broader<Change> {
  /** Further requirements that the fault breaks. */
  readonly also: readonly RequirementId[]
  readonly patch: Change
}

type FaultTable<Change> = Readonly<Partial<Record<RequirementId, Entries<Broader<Change>, Change>>>>

/** Faults by the requirement that they break. */
export function faultTable(table: FaultTable<Patch>): readonly Fault[] {
  return faultsOf(table, (patch) => patch)
}

/** Faults that edit the events of v3 streams. */
export function eventFaultTable(table: FaultTable<Edit>): readonly Fault[] {
  return faultsOf(table, (edit) => editEvents(edit))
}

function faultsOf<Change>(
  table: FaultTable<Change>,
  toPatch: (change: Change) => Patch,
): readonly Fault[] {
  return Object.entries(table).flatMap(([id, entries]) =>
    Object.entries(entries).map(([heading, entry]): Fault => {
      const { also, patch } = isBroader(entry) ? entry : { also: [], patch: entry }
      const breaks = [id as RequirementId, ...also] as const
      return { ...headingParts(heading), breaks, patch: toPatch(patch) }
    }),
  )
}

function isBroader<Change>(entry: Change | Broader<Change>): entry is Broader<Change> {
  return typeof entry === 'object'
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

/** One narrow violation of the document or of the contract that it names. */
export interface Fault {
  /** Name in kebab case, surface first: `openai-created-in-milliseconds`. */
  readonly name: string
  /** Violation, in a sentence. */
  readonly summary: string
  /** All requirements that it breaks, at most two. */
  readonly breaks: readonly [RequirementId, ...RequirementId[]]
  readonly patch: Patch
}

/** Legal behavior that differs from the plain server. */
export interface Dialect {
  readonly name: string
  /** Difference from the plain server, in a sentence. */
  readonly summary: string
  /** Changes of the target profile (JSON Merge Patch, RFC 7396), if discovery by value fails. */
  readonly profile?: Readonly<Record<string, unknown>>
  /** The only surface on which it is visible; any surface by default. */
  readonly surface?: Surface
  /** Names of dialects that contradict this one. */
  readonly excludes?: readonly string[]
  readonly patch: Patch
}
