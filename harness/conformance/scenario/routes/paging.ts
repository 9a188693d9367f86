import {
  answerJson,
  bodyLength,
  chatIdNames,
  type Exchange,
  header,
  leavesOf,
  someValue,
  succeeded,
  valueAt,
} from '../../../../contract/index.ts'
import type { TargetProfile } from '../../profile/index.ts'
import { describeRequest } from '../../session/limits/limit-breaches.ts'
import type { Session } from '../../session/session.ts'
import { assume } from '../claims.ts'
import { contains, historyCursor, leavesOutsideRows, statusText, withoutCursors } from '../read.ts'

/** Names of fields outside the rows that may contain the cursor of the next page, the clearest first. */
const cursorNames = [
  'next_cursor',
  'nextCursor',
  'endCursor',
  'next_page_token',
  'nextPageToken',
  'cursor',
  'next',
  'after',
]

/**
 * The cursor of the next page: the value at the pointer of the profile, else a text or number under one of
 * the usual names. Null: there is no further page. Undefined: no such field was found.
 */
export function cursorIn(page: Exchange, pointer: string | undefined): string | null | undefined {
  const body = answerJson(page)
  const named = leavesOutsideRows(body).filter(({ value }) => typeof value !== 'boolean')
  const ofName = (name: string) => named.filter(({ path }) => path.at(-1) === name)
  const clearest = cursorNames.map(ofName).find((leaves) => leaves.length > 0) ?? []
  const found = pointer ? [valueAt(body, pointer)] : clearest.map(({ value }) => value)
  const values = found.filter((candidate) => candidate !== null && candidate !== undefined)
  // A page may repeat the query that it answers.
  const sent = URL.parse(page.request.url)?.searchParams.get('cursor') ?? ''
  const value = values.find((one) => found.length === 1 || String(one) !== sent)
  const isVerbatim = /cursor$/i.test(pointer ?? clearest[0]?.path.at(-1) ?? '')
  if (typeof value === 'string' && value !== '')
    return (isVerbatim ? undefined : cursorOfLink(value)) ?? value
  if (typeof value === 'number') return String(value)
  return found.some((candidate) => candidate !== undefined) ? null : cursorInHeaders(page)
}

/** The cursor of a Link header (RFC 8288), or of a header such as X-Next-Cursor; null: a link leads back only. */
function cursorInHeaders({ response }: Exchange): string | null | undefined {
  const headers = response?.headers ?? []
  const named = headers.find(([name]) => /^(x-)?(next-)?cursor$/i.test(name))
  if (named !== undefined) return named[1] || null
  const link = header(headers, 'link') ?? ''
  const next = /<([^>]*)>[^<]*;\s*rel="?next\b/i.exec(link)?.[1]
  if (next !== undefined)
    return URL.parse(next, 'http://h')?.searchParams.get('cursor') ?? undefined
  return /;\s*rel="?(prev|first)\b/i.test(link) ? null : undefined
}

/** The cursor in a link to the next page, such as `/api/v3/chat?cursor=c7`. */
function cursorOfLink(text: string): string | undefined {
  if (!/^(https?:\/)?\/\S*\?/.test(text)) return undefined
  return URL.parse(text, 'http://h')?.searchParams.get('cursor') ?? undefined
}

interface CursorWalk {
  /** Pages in the order of reading. */
  readonly pages: readonly [Exchange, ...Exchange[]]
  /** Cursor of the last page. */
  readonly cursor: unknown
  /** The limit of the profile that ended the walk; for a sentence. */
  readonly exceededLimit?: string
}

interface CursorOptions {
  readonly limits: Pick<TargetProfile['limits'], 'pages' | 'bodyBytes'>
  readonly cursorOf: (page: Exchange) => unknown
  /** Called for each page; true ends the walk. */
  readonly isEnough?: (page: Exchange) => boolean
  /** A further limit of the profile that the walk has exceeded; for a sentence. */
  readonly exceededLimit?: () => string | undefined
  /** Runs after each page but the last. */
  readonly between?: (page: Exchange) => Promise<void>
}

/** Opens pages as long as they have another cursor; a repeated cursor ends the walk. */
export async function followCursor(
  open: (cursor: string | undefined) => Promise<Exchange>,
  { limits, cursorOf, isEnough, exceededLimit, between }: CursorOptions,
): Promise<CursorWalk> {
  let page = await open(undefined)
  const pages: [Exchange, ...Exchange[]] = [page]
  const visited = new Set<string>()
  let bytes = 0
  for (;;) {
    const cursor = cursorOf(page)
    // An empty cursor is a fault by itself, and is not followed.
    if (typeof cursor !== 'string' || cursor === '' || visited.has(cursor)) return { pages, cursor }
    visited.add(cursor)
    if (isEnough?.(page)) return { pages, cursor }
    bytes += bodyLength(page)
    const many = `returned ${pages.length} pages`
    const exceeded =
      pages.length >= limits.pages
        ? `${many} and a cursor for more (limits.pages)`
        : bytes > limits.bodyBytes
          ? `${many} of more than ${limits.bodyBytes} bytes together and a cursor for more (limits.bodyBytes)`
          : exceededLimit?.()
    if (exceeded !== undefined) return { pages, cursor, exceededLimit: exceeded }
    await between?.(page)
    page = await open(cursor)
    pages.push(page)
  }
}

export interface ListWalk extends Pick<CursorWalk, 'pages' | 'exceededLimit'> {
  /** Bodies of the pages, which can be searched like one body. */
  readonly body: readonly unknown[]
  /** True if the list marks its end, and the walk reached it. */
  readonly complete: boolean
  /** True if `complete`, or if the list is too short for another page: a value on no page is not in the list. */
  readonly isWhole: boolean
  /** Indexes of the pages that contain a text. */
  readonly pagesWith: (text: string) => readonly number[]
}

interface WalkOptions extends Pick<CursorOptions, 'limits' | 'isEnough'> {
  /** JSON pointer to the cursor of a page; without it, the cursor is searched by name. */
  readonly pointer: string | undefined
  /** The part of a page that shows its elements; without its cursors by default. */
  readonly bodyOf?: (page: Exchange) => unknown
}

/** Follows a list to its end, to a page that is refused, or until `isEnough`. */
export async function walkList(
  open: (cursor: string | undefined) => Promise<Exchange>,
  { pointer, bodyOf = (page) => withoutCursors(answerJson(page)), ...options }: WalkOptions,
): Promise<ListWalk> {
  const { cursor, ...walk } = await followCursor(open, {
    ...options,
    cursorOf: (page) => (succeeded(page) ? cursorIn(page, pointer) : undefined),
  })
  const last = walk.pages.at(-1)
  const isWithout = cursor === undefined && last !== undefined && succeeded(last)
  // A header, or the pointer of the profile, has the cursor of an earlier page: the last page has none.
  const isPlain = pointer !== undefined || cursorInHeaders(walk.pages[0]) !== undefined
  const hadCursor = isPlain && walk.pages.length > 1
  const body = walk.pages.map(bodyOf)
  const complete = cursor === null || (isWithout && hadCursor)
  const isLong = someValue(
    body.at(-1),
    (value) => Array.isArray(value) && value.length >= smallestPage,
  )
  const isShort = isWithout && !mayContinue(last) && !isLong
  return {
    ...walk,
    body,
    complete,
    isWhole: complete || isShort,
    pagesWith: (text) => body.flatMap((page, at) => (contains(page, text) ? [at] : [])),
  }
}

/**
 * Tests if a page may have a successor although no cursor was found by name: something outside its rows reads
 * like a cursor or a flag, or there is a Link header (RFC 8288).
 */
function mayContinue(page: Exchange): boolean {
  if (header(page.response?.headers ?? [], 'link') !== undefined) return true
  return leavesOutsideRows(answerJson(page)).some(({ path, value }) => {
    const name = path.at(-1) ?? ''
    if (value === true) return /more|next/i.test(name)
    const isOfEnvelope = /status|message|object|type|kind|version/i.test(name)
    return typeof value === 'string' && value.length >= shortestCursor && !isOfEnvelope
  })
}

/** Shorter texts outside the rows are types, such as `list`. */
const shortestCursor = 6

/** Page size below that of any server for a longer list. */
const smallestPage = 10

export type Query = Readonly<Record<string, string | number>>

interface ReadListOptions extends Omit<WalkOptions, 'limits'> {
  /** Ends the reading once this number of elements was shown, if they can be counted; all by default. */
  readonly rows?: number | undefined
}

/** Reads a list to its end, so that missing elements show; ends the scenario beyond a limit of the profile. */
export async function readList(
  session: Session,
  open: (query: Query) => Promise<Exchange>,
  query: Query,
  { rows = Infinity, isEnough, ...options }: ReadListOptions,
): Promise<ListWalk> {
  const shownIds = new Set<unknown>()
  const walk = await walkList(
    (cursor) => open(cursor === undefined ? query : { ...query, cursor }),
    {
      ...options,
      limits: session.context.setup.profile.limits,
      isEnough(page) {
        for (const { path, value } of leavesOf(answerJson(page))) {
          const isId = chatIdNames.includes(path.at(-1) ?? '') && /^\d+$/.test(path.at(-2) ?? '')
          if (isId) shownIds.add(value)
        }
        return shownIds.size >= rows || isEnough?.(page) === true
      },
    },
  )
  assumeWithinLimits(session, walk)
  return walk
}

/** Reason why a missing element may be on an unread page. */
export function whyUnread(pages: readonly Exchange[]): string {
  const refusal = pages.slice(1).find((page) => !succeeded(page))
  const reason = refusal
    ? `the cursor of a page was refused with ${statusText(refusal)}: if it is not the right one`
    : 'no cursor was found to follow the list to its end'
  return `${reason}, set shapes.chatCursor or shapes.attachmentCursor`
}

/** Ends the scenario if a missing element may be on an unread page; a list refused from the start can be judged. */
export function assumeRead({ pages, isWhole }: ListWalk, isShown: boolean): void {
  assume(isShown || isWhole || !succeeded(pages[0]), whyUnread(pages), ...pages.slice(-2))
}

/**
 * Tests if missing elements prove a defect of the list, rather than a wrong guess of the cursor's place: the
 * walk came to the end, an element occurs twice, or the target refused a cursor from the same place as in the
 * history (section 2.6).
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

/**
 * Ends the scenario if a list exceeded a limit of the profile, as missing elements may be on a page that was
 * not requested. `isConclusive`: the pages read can be judged all the same.
 */
export function assumeWithinLimits(
  session: Session,
  { pages, exceededLimit }: Pick<CursorWalk, 'pages' | 'exceededLimit'>,
  isConclusive = false,
): void {
  const last = pages.at(-1)
  if (exceededLimit === undefined || last === undefined) return
  session.context.gate.limitBreaches.add(last, exceededLimit)
  assume(isConclusive, `${describeRequest(last)} ${exceededLimit}`, last)
}
