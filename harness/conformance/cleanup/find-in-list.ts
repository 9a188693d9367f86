import { chatIdNames, isUuid, leavesOf } from '../../../contract/index.ts'

/**
 * UUIDs in the records of a list that hold a text as a value, the likeliest first. Undefined where
 * no record holds it. Which of them is the chat, only reading it can tell: an owner has an id too.
 */
export function idsOfRecordsWith(body: unknown, text: string): string[] | undefined {
  return idsWhere(body, (value) => value === text)
}

/** The same for records that hold the text inside a value. */
export function idsOfRecordsContaining(body: unknown, text: string): string[] | undefined {
  return idsWhere(body, (value) => typeof value === 'string' && value.includes(text))
}

type Matches = (value: unknown) => boolean

function idsWhere(body: unknown, matches: Matches): string[] | undefined {
  const records = recordsWhere(body, matches)
  return records.length === 0 ? undefined : [...new Set(records.flatMap(idsOf))]
}

/**
 * The elements of the innermost arrays that hold a match. What stands outside any array is no
 * record of a list: an answer may well repeat what it was asked for.
 */
function recordsWhere(value: unknown, matches: Matches): unknown[] {
  return collectRecords(value, matches).records
}

/** Tests if a value holds a match, and collects the records that do; visits each part once. */
function collectRecords(value: unknown, matches: Matches): { holds: boolean; records: unknown[] } {
  if (typeof value !== 'object' || value === null) return { holds: matches(value), records: [] }
  const parts = Object.values(value).map((part) => ({ part, ...collectRecords(part, matches) }))
  const holding = parts.filter(({ holds }) => holds)
  const records = holding.flatMap(({ part, records }) =>
    Array.isArray(value) && records.length === 0 ? [part] : records,
  )
  return { holds: holding.length > 0, records }
}

function idsOf(record: unknown): string[] {
  const leaves = leavesOf(record).flatMap(({ path, value }) =>
    isUuid(value) ? [{ value, named: chatIdNames.includes(path.at(-1) ?? '') }] : [],
  )
  return leaves.sort((a, b) => Number(b.named) - Number(a.named)).map(({ value }) => value)
}
