import type { Answer, Turn } from './rules.ts'

const words =
  'anchor beacon capstan davit eddy fathom gunwale halyard inlet jetty keel ledge mooring narrows oar pilot quay rudder sextant tiller undertow vessel wharf yard'.split(
    ' ',
  )

export const toolNames = ['lookup', 'clock']

/** The model: recalls a name from the context, uses search results, and calls a clock when asked. */
export function runModel(turn: Turn): Answer {
  const last = turn.texts.at(-1) ?? ''
  const search = searchFor(turn, last)
  const toolCall =
    /what time is it/i.test(last) && turn.tools.includes('clock') ? 'clock' : undefined
  const fact = recall(turn.texts, last)
  const parts = [
    ...(fact === undefined ? [] : [`It was ${fact}, I think;`]),
    ...(search?.found ?? []),
    ...(turn.images === 0 ? [] : [`Pictures: ${turn.images}.`]),
    `${sentence(last)} ☂ größe.`,
  ]
  const answer = limited(parts.join(' '), turn)
  const reasoning = turn.think ? `Let me see: ${sentence(`${last}?`)}` : undefined
  return { ...answer, reasoning, search, toolCall }
}

function recall(texts: readonly string[], last: string): string | undefined {
  if (!/what is my name/i.test(last)) return undefined
  const introductions = texts.join('\n').matchAll(/my name is ([^\s.]+)/gi)
  return [...introductions].at(-1)?.[1]
}

/** Searches before the answer with `rag`, or through a tool call in agent mode. */
function searchFor({ rag, bases, tools }: Turn, last: string): Answer['search'] {
  if (bases.length === 0) return undefined
  const inAdvance = rag === true || (typeof rag === 'object' && rag !== null)
  const asTool = rag === 'agent' && tools.includes('lookup') && last.includes('?')
  if (!(inAdvance || asTool)) return undefined
  return {
    query: last,
    found: findIn(
      bases.flatMap(({ documents }) => documents),
      last,
    ),
  }
}

/** Documents that share a longer word with the question. */
export function findIn(
  documents: readonly { readonly text: string }[],
  question: string,
): string[] {
  const words = question.toLowerCase().match(/[\p{L}\d-]{5,}/gu) ?? []
  const fits = (text: string) => words.some((word) => text.toLowerCase().includes(word))
  return documents.map(({ text }) => text).filter(fits)
}

/** The same words for the same text. */
function sentence(text: string): string {
  let hash = 7
  for (const char of text) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003
  const chosen = Array.from(
    { length: 44 },
    (_, at) => words[(hash + at * 5 + (at >> 3)) % words.length] ?? '',
  )
  return chosen.join(' ')
}

function limited(
  text: string,
  { stops, maxTokens }: Turn,
): Pick<Answer, 'text' | 'cut' | 'tokens'> {
  const positions = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0)
  const stopped = positions.length === 0 ? text : text.slice(0, Math.min(...positions))
  const tokens = tokensOf(stopped)
  if (maxTokens === undefined || tokens.length <= maxTokens) {
    return { text: stopped, cut: false, tokens: tokens.length }
  }
  return { text: tokens.slice(0, maxTokens).join(''), cut: true, tokens: maxTokens }
}

export function tokensOf(text: string): string[] {
  return text.match(/\s*\S+/g) ?? []
}
