import { stableText } from '../../contract/index.ts'
import type { RequirementResult } from '../../contract/report/conformance.ts'

/** Requirements that are reported together: usually one. */
export interface Findings {
  /** `message`: the same was found for all; `exchange`: one exchange shows them all. */
  readonly common: 'message' | 'exchange' | null
  /** Rows in the order of the report; never empty. */
  readonly requirements: readonly [RequirementResult, ...RequirementResult[]]
}

/**
 * Groups violations that share a cause, so that one defect is read once. Conservative: requirements are
 * grouped if the same was found on one surface, or if the same evidence shows them; each keeps its
 * sentence, and its own message if it has one. A group takes the place of its first requirement.
 */
export function foldFindings(requirements: readonly RequirementResult[]): readonly Findings[] {
  const byMessage = groups(requirements, 'message', ({ message, surface, verdict, known }) =>
    message === null ? null : [surface, verdict, known, stableText(message)],
  )
  const alone = byMessage.flatMap(({ common, requirements }) => (common ? [] : requirements))
  return [
    ...byMessage.filter(({ common }) => common !== null),
    ...groups(alone, 'exchange', ({ exchanges, event, verdict, known }) =>
      exchanges.length === 0 ? null : [exchanges, event, verdict, known],
    ),
  ].toSorted(
    (a, b) => requirements.indexOf(a.requirements[0]) - requirements.indexOf(b.requirements[0]),
  )
}

/** `5 requirements violated, same cause: usage is missing`; null for a single requirement. */
export function causeText(findings: Findings): string | null {
  const heading = causeHeading(findings)
  if (findings.common !== 'message') return heading
  return `${heading}: ${findings.requirements[0].message?.trim() ?? ''}`
}

/** The same without the message: `2 requirements violated in one exchange`. */
export function causeHeading({ requirements, common }: Findings): string | null {
  if (common === null) return null
  const found = requirements[0].verdict === 'warn' ? 'warnings' : 'requirements violated'
  return `${requirements.length} ${found}${common === 'exchange' ? ' in one exchange' : ', same cause'}`
}

export function saysTheSame({ requirements }: Findings): boolean {
  return requirements.every(({ message }) => message === requirements[0].message)
}

function groups(
  requirements: readonly RequirementResult[],
  common: Findings['common'],
  keyOf: (requirement: RequirementResult) => readonly unknown[] | null,
): readonly Findings[] {
  // A requirement without a key is its own group.
  const all = Map.groupBy(requirements, (requirement) => {
    const key = keyOf(requirement)
    return key === null ? requirement : JSON.stringify(key)
  })
  return [...all.values()].flatMap(([first, ...others]) =>
    first ? { common: others.length > 0 ? common : null, requirements: [first, ...others] } : [],
  )
}
