import { beforeAll, describe, test } from 'vitest'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { textOf } from '../test-support/independent-server/asked.ts'
import { cursorAt } from '../test-support/independent-server/chats.ts'
import type {
  HistoryPage,
  Hooks,
  Json,
  PagePlace,
} from '../test-support/independent-server/hooks.ts'
import {
  expectExactly,
  judged,
  judgedLegal,
  type Wrong,
} from '../test-support/independent-server/judged.ts'
import { together } from '../test-support/independent-server/together.ts'

/** Each wrong way to show a history breaks the rows that are about it, and no other. */
describe('a v3 history', () => {
  let legal: ConformanceReport
  beforeAll(async () => {
    legal = await judgedLegal('v3')
  })

  test.each(wrongs())('that $what', async (wrong) => {
    expectExactly(wrong, legal, await judged('v3', wrong.hooks))
  })
})

function wrongs(): Wrong[] {
  return [
    pages('has no result', ['V3-HIST-01 fail'], ({ result, ...page }) => ({
      ...page,
      result: undefined,
      rows: result,
    })),
    together(
      pages('repeats a row at the border of two pages', ['V3-HIST-10 fail'], (page, place) => {
        const { start, limit, rows } = place
        if (start === 0 || limit < 2) return page
        const end = start - 1 + limit
        return { ...page, result: rows.slice(start - 1, end), pagination: cursorFor(end, rows) }
      }),
      rows('has a type of its own for each item', ['V3-HIST-03 fail'], (row) => ({
        ...row,
        item_type: 'item',
      })),
      rows('shows other items than the response', ['V3-HIST-06 warn'], (row) => {
        const item = row['item'] as Json
        return item['role'] === 'assistant' ? { ...row, item: { ...item, id: 'other' } } : row
      }),
    ),
    together(
      pages('loses a row at the border of two pages', ['V3-HIST-10 fail'], (page, place) => ({
        ...page,
        pagination: cursorFor(place.start + page.result.length + 1, place.rows),
      })),
      rows('leaves item_type out', ['V3-HIST-03 fail'], ({ item_type: _, ...row }) => row),
      rows('calls every item done', ['V3-HIST-04 fail'], (row) => ({
        ...row,
        ...(row['item_status'] === undefined ? {} : { item_status: 'done' }),
      })),
    ),
    together(
      pages('leaves the cursor out at its end', ['V3-HIST-11 fail'], (page) =>
        page.pagination['cursor'] === null ? { ...page, pagination: { total: 9 } } : page,
      ),
      rows('has a text for the content of an input', ['V3-HIST-05 fail'], (row) => {
        const item = row['item'] as Json
        return item['role'] === undefined || item['role'] === 'assistant'
          ? row
          : { ...row, item: { ...item, content: textOf(item) } }
      }),
    ),
    together(
      pages('ends with an empty cursor', ['V3-HIST-11 fail'], (page) =>
        page.pagination['cursor'] === null ? { ...page, pagination: { cursor: '' } } : page,
      ),
      {
        what: 'has pages of 20 by default',
        hooks: { defaultLimit: 20 },
        breaks: ['V3-HIST-08 fail'],
      },
    ),
    pages('numbers its cursors', ['V3-HIST-12 fail'], (page, { start, limit }) =>
      page.pagination['cursor'] === null
        ? page
        : { ...page, pagination: { cursor: start + limit } },
    ),
    pages('ends after its first page', ['V3-HIST-12 fail'], (page) => ({
      ...page,
      pagination: { cursor: null },
    })),
    together(
      pages(
        'has one row more than the limit',
        ['V3-HIST-09 fail'],
        (page, { start, limit, rows }) => {
          const end = start + limit + 1
          return limit >= 50
            ? page
            : { ...page, result: rows.slice(start, end), pagination: cursorFor(end, rows) }
        },
      ),
      pages('shows the rows of a page in any order', ['V3-HIST-15 warn'], (page, { limit }) =>
        limit === 3 ? { ...page, result: page.result.toReversed() } : page,
      ),
    ),
    {
      what: 'counts its pages from the newest row while rows are added',
      hooks: {
        countsFromEnd: true,
        page: (page, { start, limit, rows }) => {
          const next = start + limit
          return { ...page, pagination: { cursor: next < rows.length ? cursorAt(next) : null } }
        },
      },
      breaks: ['V3-HIST-14 warn'],
    },
    rows('has texts for items', ['V3-HIST-02 fail'], (row) => ({
      ...row,
      item: JSON.stringify(row['item']),
    })),
    {
      what: 'holds only what was asked',
      hooks: { rows: (own) => own.filter((item) => item['role'] !== 'assistant') },
      breaks: ['V3-HIST-07 fail'],
    },
    {
      what: 'holds only what was answered',
      hooks: { rows: (own) => own.filter((item) => item['role'] === 'assistant') },
      breaks: ['V3-HIST-07 fail'],
    },
    {
      what: 'holds the rows of other chats',
      hooks: { rows: (_, everybodys) => everybodys },
      breaks: ['V3-HIST-16 fail'],
    },
  ]
}

function pages(
  what: string,
  breaks: readonly string[],
  page: (page: HistoryPage, place: PagePlace) => Json | HistoryPage,
): Wrong {
  return { what, hooks: { page: page as Hooks['page'] }, breaks }
}

function rows(what: string, breaks: readonly string[], row: Hooks['row']): Wrong {
  return { what, hooks: { row }, breaks }
}

/** A cursor for the row with this number, newest first. */
function cursorFor(next: number, rows: readonly Json[]): Json {
  return { cursor: next < rows.length ? cursorAt(rows.length - next) : null }
}
