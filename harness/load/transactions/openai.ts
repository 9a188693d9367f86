import { promptOf } from './prompt.ts'
import type { Transaction, TransactionContext } from './transaction.ts'

/** Section 4.1. */
export const openaiStream: Transaction = async (context) => {
  const usage = context.entry.usage ? { stream_options: { include_usage: true } } : {}
  await context.send({
    operation: 'openai.chat',
    form: 'stream',
    json: { ...bodyOf(context), stream: true, ...usage },
  })
}

export const openaiJson: Transaction = async (context) => {
  await context.send({ operation: 'openai.chat', form: 'json', json: bodyOf(context) })
}

function bodyOf(context: TransactionContext) {
  const { arrival, entry, target } = context
  const { answerTokens } = arrival
  return {
    model: entry.model ?? target.model,
    messages: [{ role: 'user', content: promptOf(context) }],
    ...(answerTokens === null ? {} : { max_tokens: answerTokens }),
  }
}
