import { cursor, leak, rules, sameResponse } from '../requirement.ts'

/** Sections 2.6, 4.3 and 8: the history of a chat and its pages. */
export const v3History = rules({ section: '4.3', needs: ['V3-HIST-12'] })({
  'V3-HIST-01':
    'GET /message MUST return result, an array, and pagination, an object. (needs V3-CHAT-03)',
  'V3-HIST-02': '2.6 The item of a history row MUST be an object or null. (needs V3-HIST-01)',
  'V3-HIST-03':
    '2.6 item_type MUST be a copy of the type of the item, if the item has one. (needs V3-HIST-02)',
  'V3-HIST-04':
    '2.6 item_status MUST be a copy of the status of the item, if the item has one. (needs V3-HIST-02)',
  'V3-HIST-05':
    '2.6 An input item MUST be a message with the role user, system or developer, whose content is an array of parts. (needs V3-HIST-07)',
  'V3-HIST-06': [
    '2.6 The output rows of a run SHOULD equal the output items of its response. (R23, needs V3-HIST-07, V3-HIST-10, V3-GEN-02, V3-SSE-17, V3-SSE-18, V3-SSE-19, V3-SSE-20, V3-SSE-23, V3-SSE-26, V3-SSE-28)',
    sameResponse,
  ],
  'V3-HIST-07':
    'The history of a chat MUST contain its inputs and its answers. (needs V3-HIST-02, V3-GEN-01)',
  'V3-HIST-08': [
    '8 Without limit, a page of a longer history MUST have 50 rows.',
    'The default page size is not 50; set it to 50.',
  ],
  'V3-HIST-09': [
    'A page MUST NOT have more than limit rows. (needs V3-HIST-01)',
    'limit is ignored; cap the page size at it.',
  ],
  'V3-HIST-10': [
    'Following the cursor MUST visit every row of the history exactly once, at any limit.',
    cursor,
  ],
  'V3-HIST-11': [
    '2.6 The cursor MUST be null when there are no more pages.',
    'The last page has a cursor; return null there.',
  ],
  'V3-HIST-12': [
    'If there are more pages, the cursor MUST be a string that gets the next page. (needs V3-HIST-16)',
    cursor,
  ],
  'V3-HIST-13': [
    'A row that existed when paging began MUST NOT be lost when rows are added meanwhile. (needs V3-HIST-10)',
    cursor,
  ],
  'V3-HIST-14': [
    'Rows added while paging SHOULD NOT make earlier rows appear twice. (needs V3-HIST-10)',
    cursor,
  ],
  'V3-HIST-15': [
    'The order of rows SHOULD be the same every time the history is paged through. (needs V3-HIST-10)',
    'The order has ties; sort by a unique key.',
  ],
  'V3-HIST-16': [
    'The history of a chat MUST NOT contain rows of another chat. (needs V3-HIST-07)',
    leak,
  ],
})
