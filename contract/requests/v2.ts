/** Requests of the native v2 surface (section 4.2); fields that are not listed are tolerated. */
import { z } from 'zod'
import {
  bothToolLists,
  identifier,
  notBothToolLists,
  notBothToolListsSchema,
  plainRag,
  toolLists,
} from './fields.ts'

/** Section 2.4, as the service returned it; only the id is needed to find the file again. */
const attachmentObject = z.looseObject({
  id: z.string(),
  filename: z.string().nullish(),
  content_type: z.string().nullish(),
  bucket: z.string().nullish(),
  size: z.int().min(0).nullish(),
  created_at: z.string().nullish(),
})

export const storeMessageRequest = z.looseObject({
  chat_id: identifier,
  content: z.string().min(1),
  model_id: z.string(),
  /** A UUID, or the name of some instructions. */
  assistant_id: z.string().min(1).nullish(),
  parent_id: identifier.nullish(),
  think: z.boolean().nullish(),
  rag: plainRag.nullish(),
  attachments: z.array(attachmentObject).nullish(),
})

export const generateReplyRequest = z
  .looseObject({
    chat_id: identifier,
    parent_id: identifier,
    model_id: z.string(),
    ...toolLists,
  })
  .refine(notBothToolLists, bothToolLists)
  .meta(notBothToolListsSchema)

export type StoreMessageRequest = z.output<typeof storeMessageRequest>
export type GenerateReplyRequest = z.output<typeof generateReplyRequest>
