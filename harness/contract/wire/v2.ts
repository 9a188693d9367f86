import { z } from 'zod'

/** Any ISO 8601 form of date and time that says it is UTC. */
const utc = /^\d{4}(-?)\d{2}\1\d{2}T\d{2}(:?\d{2}(:?\d{2}([.,]\d+)?)?)?(Z|[+-]00(:?00)?)$/i

/** Stored message, as `POST /api/v2/message` answers (section 2.3). */
export const v2Message = z.looseObject({
  id: z.guid(),
  chat_id: z.guid(),
  model_id: z.string(),
  role: z.literal('user'),
  content: z.string(),
  created_at: z.string().regex(utc, { error: 'expected an ISO 8601 timestamp in UTC' }),
})

/** Result of `POST /api/v2/message/generate`; other members are not shown. */
export const v2Generation = z.looseObject({
  message: z.looseObject({ content: z.string() }),
})
