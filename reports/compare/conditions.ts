import { isObject } from '../../contract/json.ts'
import type { ConformanceReport } from '../../contract/report/conformance.ts'

/** Settings of a run, from the record next to its report. */
export interface RunSettings {
  readonly selection: { readonly only: readonly string[]; readonly skip: readonly string[] }
  /** Number of random operations that were requested. */
  readonly explore: number
  /** The effective target profile, without keys. */
  readonly profile: object
}

export interface Difference {
  /** `otherKey`, `limits.timeoutMs`. */
  readonly member: string
  readonly onlyIn: 'A' | 'B' | null
}

export interface Side {
  readonly report: ConformanceReport
  /** Null if it is not known. */
  readonly settings: RunSettings | null
}

/** Differences of two runs other than their findings; null if they agree. */
export function conditionsOf(a: Side, b: Side) {
  const pair = (read: (side: Side) => string | null) => {
    const [one, other] = [read(a), read(b)]
    return one === null || other === null || one === other ? null : { a: one, b: other }
  }
  return {
    url: pair(({ report }) => report.target.baseUrl.replace(/\/+$/, '')),
    kit: pair(({ report }) => report.suite.version),
    interface: pair(({ report }) => report.suite.interface),
    selection: pair(({ report }) => report.target.profile) ?? pair(selectionText),
    depth: pair(depthText),
    strict: pair(({ report }) => String(report.strict)),
    /** Fields of the profiles that differ; null if a run has no record of them. */
    profile: a.settings && b.settings && differences(a.settings.profile, b.settings.profile),
  }
}

export type Conditions = Readonly<ReturnType<typeof conditionsOf>>

/** Null if it is not known. */
function selectionText({ settings }: Side): string | null {
  if (settings === null) return null
  const { only, skip } = settings.selection
  const flags = [...only.map((glob) => `--only ${glob}`), ...skip.map((glob) => `--skip ${glob}`)]
  return flags.join(' ') || 'everything'
}

/** `full`, `normal, --explore 200`; null if it is not known. */
function depthText({ report, settings }: Side): string | null {
  const explore = settings?.explore ?? report.exploration?.operations ?? 0
  return report.depth ? `${report.depth}${explore > 0 ? `, --explore ${explore}` : ''}` : null
}

/** Fields that differ between the two, including those of nested objects. */
function differences(a: object, b: object, path: readonly string[] = []): readonly Difference[] {
  const [one, other] = [new Map(Object.entries(a)), new Map(Object.entries(b))]
  const names = [...new Set([...one.keys(), ...other.keys()])].toSorted()
  return names.flatMap((name): readonly Difference[] => {
    if (path.length === 0 && name === 'baseUrl') return []
    const [was, is]: unknown[] = [one.get(name), other.get(name)]
    if (JSON.stringify(was) === JSON.stringify(is)) return []
    const member = [...path, name]
    if (isObject(was) && isObject(is)) return differences(was, is, member)
    const onlyIn = was === undefined ? 'B' : is === undefined ? 'A' : null
    return [{ member: member.join('.'), onlyIn }]
  })
}

/** `otherKey (only in A), limits.timeoutMs`. */
export function differencesText(found: readonly Difference[]): string {
  const listed = found
    .slice(0, maxShown)
    .map(({ member, onlyIn }) => (onlyIn === null ? member : `${member} (only in ${onlyIn})`))
  const rest = found.length - listed.length
  return [...listed, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

const maxShown = 8
