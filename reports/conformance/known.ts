import type { ConformanceReport } from '../../contract/report/conformance.ts'

/** `known: because the gateway is open (CHAT-17, platform, until 2026-12-31)`; null where it is new. */
export function knownText({ baseline }: ConformanceReport, id: string): string | null {
  const entry = baseline?.known.find((known) => known.id === id)
  if (entry === undefined) return null
  const { because, issue, owner, until } = entry
  const notes = [issue, owner, until && `until ${until}`].filter(Boolean).join(', ')
  return `known: because ${because}${notes && ` (${notes})`}`
}
