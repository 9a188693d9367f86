import {
  type Chat,
  type Exchange,
  type HistoryRow,
  inputRows,
  succeeded,
} from '../../harness/conformance/scenario/index.ts'
import { isSearchStep, searched } from './searches.ts'

type Body = Readonly<Record<string, unknown>>

interface V3 {
  createChat(): Promise<Chat>
  turn(chat: Chat, input: unknown, more: Body): Body
  generate(body: Body, options: { readonly role: 'act' | 'arrange' }): Promise<Exchange>
  history(chat: Chat): Promise<Exchange>
  settled(
    chat: Chat,
    enough: (rows: readonly HistoryRow[]) => boolean,
  ): Promise<{ readonly rows: readonly HistoryRow[]; readonly pages: readonly Exchange[] }>
}

/**
 * A question to a base in a chat of its own, and whether there was a search: a step in the output
 * or in the history, or the fact of the base in the answer. The history is read only where the
 * reply shows nothing of it.
 */
export async function askedInChat(
  v3: V3,
  base: { readonly question: string; readonly expected: string; readonly tool: string },
  more: Body,
  role: 'act' | 'arrange' = 'arrange',
) {
  const chat = await v3.createChat()
  const reply = await v3.generate(v3.turn(chat, base.question, more), { role })
  if (!succeeded(reply) || searched(reply, base)) {
    return { reply, evidence: [reply], searched: searched(reply, base) }
  }
  // What is there of the answer stands behind the step.
  const isWhole = (rows: readonly HistoryRow[]) => rows.length > inputRows(rows).length
  if (!succeeded(await v3.history(chat))) return { reply, evidence: [reply], searched: false }
  const { rows, pages } = await v3.settled(chat, isWhole)
  return {
    reply,
    evidence: [reply, ...pages],
    searched: rows.some(({ item }) => isSearchStep(item, base.tool)),
  }
}
