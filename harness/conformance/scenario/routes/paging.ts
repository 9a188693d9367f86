import {
  answerJson,
  bodyLength,
  type Exchange,
  leavesOf,
  succeeded,
  valueAt,
} from '../../../../contract/index.ts'
import type { TargetProfile } from '../../profile/index.ts'
import { describeRequest } from '../../session/limits/limit-breaches.ts'
import type { Session } from '../../session/session.ts'
import { assume } from '../claims.ts'
import { contains } from '../find.ts'
import { historyCursor } from '../read.ts'

/** Names under which a list may give the cursor of its next page, at any place. */
const cursorNames = ['cursor', 'next_cursor', 'nextCursor', 'next', 'after', 'next_page_token']

/**
 * The cursor of the next page: what the pointer of the profile shows, else a text or number under a
 * telling name. Null: there is no further page. Undefined: no such member was found.
 */
export function cursorIn(page: Exchange, pointer: string | undefined): string | null | undefined {
  const body = answerJson(page)
  const found = pointer
    ? [valueAt(body, pointer)]
    : leavesOf(body)
        .filter(({ path }) => cursorNames.includes(path.at(-1) ?? ''))
        .map(({ value }) => value)
  const value = found.find((candidate) => candidate !== null && candidate !== undefined)
  if (typeof value === 'string' && value !== '') return value
  if (typeof value === 'number') return String(value)
  return found.some((candidate) => candidate !== undefined) ? null : undefined
}

export interface ListWalk {
  readonly pages: readonly Exchange[]
  /** True if the list says that it ends where the walk ended. */
  readonly complete: boolean
  /** The limit of the profile that ended the walk; for a sentence. */
  readonly exceededLimit?: string
  /** The pages on which a text stands, by their place. */
  readonly pagesWith: (text: string) => readonly number[]
}

/** Limits of a walk through a list. */
export type WalkLimits = Pick<TargetProfile['limits'], 'pages' | 'bodyBytes'>

export interface WalkOptions {
  readonly limits: WalkLimits
  /** JSON pointer to the cursor of a page; without it, it is looked for by name. */
  readonly pointer: string | undefined
  /** Called for each page; true ends the walk. */
  readonly isEnough?: (page: Exchange) => boolean
}

/** Follows a list to its end, to a page that is refused, or until `isEnough`. */
export async function walkList(
  open: (cursor: string | undefined) => Promise<Exchange>,
  { limits, pointer, isEnough }: WalkOptions,
): Promise<ListWalk> {
  const { cursor, ...walk } = await followCursor(open, {
    limits,
    cursorOf: (page) => (succeeded(page) ? cursorIn(page, pointer) : undefined),
    ...(isEnough && { isEnough }),
  })
  const last = walk.pages.at(-1)
  // The profile says where a cursor stands, and a page before had one: the last page has none.
  const isWithout = pointer !== undefined && cursor === undefined && walk.pages.length > 1
  return {
    ...walk,
    complete: cursor === null || (isWithout && last !== undefined && succeeded(last)),
    pagesWith: (text) =>
      walk.pages.flatMap((page, at) => (contains(answerJson(page), text) ? [at] : [])),
  }
}

interface CursorOptions {
  readonly limits: WalkLimits
  readonly cursorOf: (page: Exchange) => unknown
  readonly isEnough?: (page: Exchange) => boolean
  /** A limit of the profile beside `limits` that the walk has exceeded; for a sentence. */
  readonly exceededLimit?: () => string | undefined
  /** Runs after each page but the last. */
  readonly between?: (page: Exchange) => Promise<void>
}

interface CursorWalk {
  readonly pages: readonly Exchange[]
  /** Cursor of the last page. */
  readonly cursor: unknown
  readonly exceededLimit?: string
}

/** Opens pages as long as they have another cursor; a cursor that came before ends the walk. */
export async function followCursor(
  open: (cursor: string | undefined) => Promise<Exchange>,
  { limits, cursorOf, isEnough, exceededLimit, between }: CursorOptions,
): Promise<CursorWalk> {
  const pages: Exchange[] = []
  const visited = new Set<string>()
  let bytes = 0
  let next: string | undefined
  for (;;) {
    const page = await open(next)
    pages.push(page)
    const cursor = cursorOf(page)
    // An empty cursor is a fault of its own, and asks for nothing.
    if (typeof cursor !== 'string' || cursor === '' || visited.has(cursor)) return { pages, cursor }
    visited.add(cursor)
    if (isEnough?.(page)) return { pages, cursor }
    bytes += bodyLength(page)
    const exceeded = exceededBy(limits, pages.length, bytes) ?? exceededLimit?.()
    if (exceeded !== undefined) return { pages, cursor, exceededLimit: exceeded }
    await between?.(page)
    next = cursor
  }
}

/** The limit that ends a walk after these pages; for a sentence. */
function exceededBy(limits: WalkLimits, pages: number, bytes: number): string | undefined {
  if (pages >= limits.pages)
    return `gave ${limits.pages} pages, and a cursor for more (limits.pages)`
  if (bytes <= limits.bodyBytes) return undefined
  return `gave ${pages} pages of more than ${limits.bodyBytes} bytes together, and a cursor for more (limits.bodyBytes)`
}

/**
 * Tests if a walk that misses some of these shows a defect of the list, not of our guess where its
 * cursor stands: it came to the end, it shows one of them twice, or the target refused the cursor that
 * stands where the history has it (section 2.6).
 */
export function isConclusive({ pages, complete, pagesWith }: ListWalk, sought: readonly string[]) {
  const last = pages.at(-1)
  const before = pages.at(-2)
  const refused = last !== undefined && !succeeded(last) && before !== undefined
  return (
    complete ||
    sought.some((text) => pagesWith(text).length > 1) ||
    (refused && typeof historyCursor(before) === 'string')
  )
}

interface Walked {
  readonly pages: readonly Exchange[]
  /** The limit that it exceeded, as the end of a sentence. */
  readonly exceededLimit?: string
}

/**
 * Ends the scenario where a list passed a limit of the profile, for what it did not show may be on a
 * page that was not asked for. `isTold`: what was seen can be judged all the same.
 */
export function assumeWithinLimits(
  session: Session,
  { pages, exceededLimit }: Walked,
  isConclusive = false,
): void {
  const last = pages.at(-1)
  if (exceededLimit === undefined || last === undefined) return
  session.context.limitBreaches.add(last, exceededLimit)
  assume(isConclusive, `${describeRequest(last)} ${exceededLimit}`, last)
}
