import { isObject } from '../../../contract/index.ts'
import { promptOf } from './prompt.ts'
import { succeeded, type Transaction } from './transaction.ts'

/** Section 4.2: stores a message, then generates its answer. */
export const v2Turn: Transaction = async (context) => {
  const { entry, target } = context
  const chat = await context.v2Chat()
  if (chat === undefined) return
  const model = entry.model ?? target.model
  const stored = await context.send({
    operation: 'v2.message',
    form: 'json',
    json: {
      chat_id: chat,
      content: promptOf(context),
      model_id: model,
      ...(entry.think === null ? {} : { think: entry.think }),
      ...(entry.rag === null ? {} : { rag: entry.rag }),
      ...(entry.rag === null || target.assistant === null
        ? {}
        : { assistant_id: target.assistant }),
    },
  })
  const id = isObject(stored.json) ? stored.json['id'] : undefined
  if (!succeeded(stored) || typeof id !== 'string') return
  await context.send({
    operation: 'v2.generate',
    form: 'json',
    json: { chat_id: chat, parent_id: id, model_id: model },
  })
}
