/** Servers that deviate on purpose: illegal in one narrow way (faults), or legal and odd (dialects). */
import type { RequirementId } from '../../contract/index.ts'
import type { Patch } from '../services.ts'

/** One narrow violation of the document or of the contract that it names. */
export interface Fault {
  /** In kebab case, surface first: `openai-created-in-milliseconds`. */
  readonly name: string
  /** What the server does wrong, in a sentence. */
  readonly summary: string
  /** The rows that it breaks, and no other; more than two need `because`. */
  readonly breaks: readonly [RequirementId, ...RequirementId[]]
  /** Why no narrower fault shows it. */
  readonly because?: string
  /** Where a server in the wild did this. */
  readonly seen?: string
  readonly patch: Patch
}

/** A way in which the document leaves a server free. */
export interface Dialect {
  readonly name: string
  /** What the server does differently, in a sentence. */
  readonly summary: string
  /** Members of the target profile that describe such a server, where discovery by value fails. */
  readonly profile?: Readonly<Record<string, unknown>>
  /** Names of dialects that contradict this one. */
  readonly excludes?: readonly string[]
  readonly patch: Patch
}
