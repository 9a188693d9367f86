/** Attachments (section 4.3, prefix /attachment). */
import { z } from 'zod'
import { searchedListQuery } from './chats.ts'
import { identifier } from './fields.ts'

/** The fields beside the file; the chat that the file belongs to is our own addition. */
export const uploadFields = z.looseObject({ chat_id: identifier.optional() })

export const listAttachmentsQuery = searchedListQuery.extend({ chat_id: identifier.optional() })
