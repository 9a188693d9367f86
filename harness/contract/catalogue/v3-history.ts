import type { Requirement } from './row.ts'

const rows = { level: 'required', surface: 'v3', section: '2.6' } as const
const paging = { level: 'required', surface: 'v3', section: '4.3' } as const

/** Sections 2.6, 4.3 and 8: the history of a chat and its pages. */
export const v3History = {
  'V3-HIST-01': {
    ...paging,
    title: 'GET /message answers with result, an array, and pagination, an object.',
    needs: ['V3-CHAT-03'],
  },
  'V3-HIST-02': {
    ...rows,
    title: 'The item of a history row is an object or null.',
    needs: ['V3-HIST-01'],
  },
  'V3-HIST-03': {
    ...rows,
    title: 'item_type is a copy of the type of the item, where it has one.',
    needs: ['V3-HIST-02'],
  },
  'V3-HIST-04': {
    ...rows,
    title: 'item_status is a copy of the status of the item, where it has one.',
    needs: ['V3-HIST-02'],
  },
  'V3-HIST-05': {
    ...rows,
    title:
      'An input item is a message of user, system or developer whose content is an array of parts.',
    needs: ['V3-HIST-07'],
  },
  'V3-HIST-06': {
    ...rows,
    level: 'expected',
    title: 'The output rows of a run are the items of its response.',
    contract: 'R23',
    needs: ['V3-HIST-07', 'V3-GEN-02'],
  },
  'V3-HIST-07': {
    ...paging,
    title: 'The history of a chat holds what was asked in it and what was answered.',
    needs: ['V3-HIST-02', 'V3-GEN-01'],
  },
  'V3-HIST-08': {
    ...paging,
    section: '8',
    title: 'Without limit a page of a longer history has 50 rows.',
    needs: ['V3-HIST-12'],
  },
  'V3-HIST-09': { ...paging, title: 'A page has at most limit rows.', needs: ['V3-HIST-01'] },
  'V3-HIST-10': {
    ...paging,
    title: 'Following the cursor visits every row of the history once, whatever the limit.',
    needs: ['V3-HIST-12'],
  },
  'V3-HIST-11': {
    ...rows,
    title: 'The cursor is null when there are no more pages.',
    needs: ['V3-HIST-12'],
  },
  'V3-HIST-12': {
    ...paging,
    title: 'Where there are more pages, the cursor is a string that gets the next one.',
    needs: ['V3-HIST-16'],
  },
  'V3-HIST-13': {
    ...paging,
    title: 'A row that was there when a walk began is not lost to it when rows are added.',
    needs: ['V3-HIST-10'],
  },
  'V3-HIST-14': {
    ...paging,
    level: 'expected',
    title: 'Rows that are added during a walk make it repeat none.',
    needs: ['V3-HIST-10'],
  },
  'V3-HIST-15': {
    ...paging,
    level: 'expected',
    title: 'The order of rows is the same in every walk.',
    needs: ['V3-HIST-10'],
  },
  'V3-HIST-16': {
    ...paging,
    title: 'The history of a chat holds no row of another chat.',
    needs: ['V3-HIST-07'],
  },
} as const satisfies Record<string, Requirement>
