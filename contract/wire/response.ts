import { z } from 'zod'

const part = z.looseObject({ type: z.string() })

/** Item of `output`: only what makes it typed, and for a message what holds its text. */
const outputItem = z.looseObject({ type: z.string() }).superRefine((item, issues) => {
  if (item.type !== 'message') return
  const content = z.array(part).safeParse(item['content'])
  if (content.success) return
  issues.addIssue({
    code: 'custom',
    path: ['content'],
    message: 'expected an array of typed parts',
  })
})

/** Final response object of both v3 forms, as far as its output goes (section 2.6). */
export const finalResponse = z.looseObject({ output: z.array(outputItem) })
