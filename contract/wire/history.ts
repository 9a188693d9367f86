import { z } from 'zod'

/** Page of `GET /api/v3/message` (section 4.3); its rows are looked at one by one. */
export const historyPage = z.looseObject({
  result: z.array(z.looseObject({})),
  pagination: z.looseObject({}),
})

/** Run item of a row (section 2.6). */
export const historyItem = z.looseObject({}).nullable()

/** Input of a user or a system, as the history shows it. */
export const inputItem = z.looseObject({
  type: z.literal('message'),
  role: z.enum(['user', 'system', 'developer']),
  content: z.array(z.looseObject({ type: z.string() })),
})
