import { cursor, leak, rules, sameResponse } from '../requirement.ts'

/** Sections 2.6, 4.3 and 8: the history of a chat and its pages. */
export const v3History = rules({ section: '4.3', needs: ['V3-HIST-12'] })({
  'V3-HIST-01': {
    title: 'GET /message MUST return result, an array, and pagination, an object.',
    needs: ['V3-CHAT-03'],
  },
  'V3-HIST-02': {
    section: '2.6',
    title: 'The item of a history row MUST be an object or null.',
    needs: ['V3-HIST-01'],
  },
  'V3-HIST-03': {
    section: '2.6',
    title: 'item_type MUST be a copy of the type of the item, if the item has one.',
    needs: ['V3-HIST-02'],
  },
  'V3-HIST-04': {
    section: '2.6',
    title: 'item_status MUST be a copy of the status of the item, if the item has one.',
    needs: ['V3-HIST-02'],
  },
  'V3-HIST-05': {
    section: '2.6',
    title:
      'An input item MUST be a message of user, system or developer whose content is an array of parts.',
    needs: ['V3-HIST-07'],
  },
  'V3-HIST-06': {
    section: '2.6',
    title: 'The output rows of a run SHOULD equal the output items of its response.',
    contract: 'R23',
    needs: [
      'V3-HIST-07',
      'V3-HIST-10',
      'V3-GEN-02',
      'V3-SSE-17',
      'V3-SSE-18',
      'V3-SSE-19',
      'V3-SSE-20',
      'V3-SSE-23',
      'V3-SSE-26',
      'V3-SSE-28',
    ],
    hint: sameResponse,
  },
  'V3-HIST-07': {
    title: 'The history of a chat MUST hold its inputs and its answers.',
    needs: ['V3-HIST-02', 'V3-GEN-01'],
  },
  'V3-HIST-08': {
    section: '8',
    title: 'Without limit, a page of a longer history MUST have 50 rows.',
    hint: 'Another default page size is configured; use 50.',
  },
  'V3-HIST-09': {
    title: 'A page MUST NOT have more than limit rows.',
    needs: ['V3-HIST-01'],
    hint: 'limit is ignored; cap the page at it.',
  },
  'V3-HIST-10': {
    title: 'Following the cursor MUST visit every row of the history exactly once, at any limit.',
    hint: cursor,
  },
  'V3-HIST-11': {
    section: '2.6',
    title: 'The cursor MUST be null when there are no more pages.',
    hint: 'A cursor is returned for the last page; return null.',
  },
  'V3-HIST-12': {
    title: 'If there are more pages, the cursor MUST be a string that gets the next page.',
    needs: ['V3-HIST-16'],
    hint: cursor,
  },
  'V3-HIST-13': {
    title: 'A row that existed when paging began MUST NOT be lost when rows are added meanwhile.',
    needs: ['V3-HIST-10'],
    hint: cursor,
  },
  'V3-HIST-14': {
    title: 'Rows added while paging SHOULD NOT make earlier rows appear twice.',
    needs: ['V3-HIST-10'],
    hint: cursor,
  },
  'V3-HIST-15': {
    title: 'The order of rows SHOULD be the same every time the history is paged through.',
    needs: ['V3-HIST-10'],
    hint: 'The order has ties; sort by a unique key.',
  },
  'V3-HIST-16': {
    title: 'The history of a chat MUST NOT hold rows of another chat.',
    needs: ['V3-HIST-07'],
    hint: leak,
  },
})
