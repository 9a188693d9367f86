import { cursor } from './hints.ts'
import type { Requirement } from './requirement.ts'

const fields = {
  level: 'required',
  surface: 'v3',
  section: '2.4',
  capability: 'attachments',
} as const
const routes = {
  level: 'required',
  surface: 'v3',
  section: '4.3',
  capability: 'attachments',
} as const

/** Sections 2.4 and 4.3: files of the caller and of a chat. */
export const attachments = {
  'V3-ATT-01': {
    ...routes,
    title: 'POST /attachment with one file as multipart/form-data MUST store it.',
    needs: ['V3-AUTH-05'],
  },
  'V3-ATT-02': {
    ...fields,
    title:
      'The id, filename, content_type, bucket and created_at of an attachment MUST be strings.',
    needs: ['V3-ATT-01'],
  },
  'V3-ATT-03': {
    ...fields,
    title: 'The filename of an attachment MUST be that of the uploaded file.',
    needs: ['V3-ATT-02'],
  },
  'V3-ATT-04': {
    ...fields,
    title: 'The size of an attachment MUST be the number of uploaded bytes, an integer.',
    needs: ['V3-ATT-01'],
  },
  'V3-ATT-05': {
    ...fields,
    level: 'expected',
    title: 'The content_type of an attachment SHOULD be that of the upload.',
    needs: ['V3-ATT-02'],
  },
  'V3-ATT-06': {
    ...routes,
    title: 'GET /attachment MUST list the attachments of the caller.',
    needs: ['V3-ATT-01'],
  },
  'V3-ATT-07': {
    ...routes,
    title: 'GET /attachment with chat_id MUST list the attachments of that chat, and no others.',
    needs: ['V3-ATT-06', 'V3-CHAT-01'],
    hint: 'The chat_id filter is ignored; apply it in the query.',
  },
  'V3-ATT-08': {
    ...routes,
    title: 'GET /attachment with search MUST find a file by its name.',
    needs: ['V3-ATT-06', 'V3-ATT-09'],
  },
  'V3-ATT-09': {
    ...routes,
    title: 'GET /attachment MUST honor limit: a page lists at most that many.',
    needs: ['V3-ATT-06'],
  },
  'V3-ATT-10': {
    ...routes,
    title: 'GET /attachment MUST honor cursor: following it lists every attachment.',
    needs: ['V3-ATT-06'],
    hint: cursor,
  },
  'V3-ATT-11': {
    ...routes,
    title: 'GET /attachment MUST NOT list attachments of another caller.',
    member: 'otherKey',
    needs: ['V3-ATT-06'],
    hint: 'The list is not limited to the owner; filter by the caller of the request.',
  },
  'V3-ATT-12': {
    ...routes,
    title: 'GET /chat/{chat_id}/attachments MUST list the attachments of the chat.',
    needs: ['V3-ATT-01', 'V3-CHAT-01'],
  },
  'V3-ATT-13': {
    ...routes,
    title: 'GET /chat/{chat_id}/attachments with search MUST match the file name.',
    needs: ['V3-ATT-12'],
  },
} as const satisfies Record<string, Requirement>
