import { bodyJson, type Exchange, succeeded } from '../../contract/index.ts'
import { contains, leavesOf, valueAt } from './find.ts'
import { cursorOf } from './read.ts'

/** Where a list may tell the cursor of its next page, wherever it stands. */
const cursorNames = ['cursor', 'next_cursor', 'nextCursor', 'next', 'after', 'next_page_token']

/**
 * The cursor of the next page: what the pointer of the profile shows, else a text or number under a
 * telling name. Null: there is no further page. Undefined: no such member was found.
 */
export function cursorIn(page: Exchange, pointer: string | undefined): string | null | undefined {
  const body = bodyJson(page)
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
  /** Whether the list says that it ends where the walk ended. */
  readonly complete: boolean
  /** The pages on which a text stands, by their place. */
  readonly pagesWith: (text: string) => readonly number[]
}

const mostPages = 200

/** Follows a list to its end, to a page that is refused, or until `enough` says so. */
export async function walkList(
  open: (cursor: string | undefined) => Promise<Exchange>,
  pointer: string | undefined,
  enough: (pages: readonly Exchange[]) => boolean = () => false,
): Promise<ListWalk> {
  const pages: Exchange[] = []
  const visited = new Set<string>()
  let cursor: string | null | undefined
  do {
    const page = await open(cursor ?? undefined)
    pages.push(page)
    cursor = succeeded(page) ? cursorIn(page, pointer) : undefined
    if (typeof cursor === 'string' && visited.has(cursor)) break
    if (typeof cursor === 'string') visited.add(cursor)
  } while (typeof cursor === 'string' && !enough(pages) && pages.length < mostPages)
  return {
    pages,
    complete: cursor === null,
    pagesWith: (text) => pages.flatMap((page, at) => (contains(bodyJson(page), text) ? [at] : [])),
  }
}

/**
 * Whether a walk that misses some of these says something of the list, and not of our guess where its
 * cursor stands: it came to the end, it shows one of them twice, or the target refused the cursor that
 * stands where the history has it (section 2.6).
 */
export function tellsOfTheList(
  { pages, complete, pagesWith }: ListWalk,
  sought: readonly string[],
) {
  const last = pages.at(-1)
  const before = pages.at(-2)
  const refused = last !== undefined && !succeeded(last) && before !== undefined
  return (
    complete ||
    sought.some((text) => pagesWith(text).length > 1) ||
    (refused && typeof cursorOf(before) === 'string')
  )
}
