/** Tables of faults and dialects: one entry, one deviation. */
import { isRequirementId, type RequirementId, type Surface } from '../../contract/index.ts'
import type { Patch } from '../services.ts'

/** Name and summary: `errors-as-text: Errors are plain text.` */
type Heading = `${string}: ${string}.`

type DialectTable = Readonly<Record<Heading, Patch | Omit<Dialect, 'name' | 'summary'>>>

/** Faults by the requirements that they break, name and summary: `OAI-CHAT-14 openai-id-fixed: All completions have the same id.` */
type FaultTable<Change> = Readonly<Record<`${RequirementId} ${Heading}`, Change>>

/** The rows of a table with their headings. @throws Error if one breaks an unknown requirement */
export function rowsOf<Change>(table: FaultTable<Change>) {
  return Object.entries<Change>(table).map(([text, change]) => {
    const { breaks, rest } = breachIn(text)
    return { heading: { ...headingParts(rest), breaks }, change }
  })
}

/** @throws Error if a fault breaks an unknown requirement */
export function faultTable(table: FaultTable<Patch>): readonly Fault[] {
  return rowsOf(table).map(({ heading, change: patch }) => ({ ...heading, patch }))
}

/** The requirements at the beginning of a text, and its rest. @throws Error if one of them is unknown */
export function breachIn(text: string): Pick<Fault, 'breaks'> & { readonly rest: string } {
  const [, words = '', rest = ''] = /^((?:[A-Z\d-]+ )+)(.+)$/.exec(text) ?? []
  const ids = words.trim().split(' ')
  const [first, ...more] = ids.filter(isRequirementId)
  if (first === undefined || more.length < ids.length - 1) {
    throw new Error(`an unknown requirement: ${text}`)
  }
  return { breaks: [first, ...more], rest }
}

export function dialectTable(table: DialectTable): readonly Dialect[] {
  return Object.entries(table).map(([heading, entry]) => ({
    ...headingParts(heading),
    ...(typeof entry === 'function' ? { patch: entry } : entry),
  }))
}

/** Mutually exclusive dialects. */
export function alternatives(table: DialectTable): readonly Dialect[] {
  const list = dialectTable(table)
  return list.map((dialect) => ({
    ...dialect,
    excludes: [
      ...(dialect.excludes ?? []),
      ...list.map(({ name }) => name).filter((name) => name !== dialect.name),
    ],
  }))
}

export function headingParts(heading: string): { readonly name: string; readonly summary: string } {
  const [name = '', ...summary] = heading.split(': ')
  return { name, summary: summary.join(': ') }
}

/** One narrow violation of the document or of the contract that it names. */
export interface Fault {
  /** Name in kebab case, surface first: `stream-completed-twice`. */
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
