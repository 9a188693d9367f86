/** What a conversation is called: the beginning of what its user said first. */
import type { Turn } from './types.ts'

const maxWords = 6

/** Never empty. */
export function titleOf(turns: readonly Turn[]): string {
  const said = turns.find(({ role, text }) => role === 'user' && /[\p{L}\p{N}]/u.test(text))
  if (said === undefined) return 'An empty chat'
  const words = said.text.slice(0, 1000).match(/[\p{L}\p{N}][^\s]*/gu) ?? []
  const title = words.slice(0, maxWords).join(' ').slice(0, 80)
  return `About: ${title}${words.length > maxWords ? '…' : ''}`.toWellFormed()
}
