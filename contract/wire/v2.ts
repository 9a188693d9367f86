import { z } from 'zod'
import { utcTimestamp } from './timestamp.ts'

/** Stored message, as `POST /api/v2/message` answers (section 2.3). */
export const v2Message = z.looseObject({
  id: z.guid(),
  chat_id: z.guid(),
  model_id: z.string(),
  role: z.literal('user'),
  content: z.string(),
  created_at: z.string().regex(utcTimestamp, { error: 'expected an ISO 8601 timestamp in UTC' }),
})

/** Result of `POST /api/v2/message/generate`; other members are not shown. */
export const v2Generation = z.looseObject({
  message: z.looseObject({ content: z.string() }),
})
