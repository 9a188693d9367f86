import { randomUUID } from 'node:crypto'
import type { Turn } from './generation.ts'
import { asJson, asList, asText, type Call, echo, type Json } from './http.ts'

export type Answer = ReturnType<typeof runModel>

export interface TurnResult {
  readonly response: Json
  readonly events: readonly Json[]
}

const words =
  'anchor beacon capstan davit eddy fathom gunwale halyard inlet jetty keel ledge mooring narrows oar pilot quay rudder sextant tiller undertow vessel wharf yard'.split(
    ' ',
  )

export const toolNames = ['lookup', 'clock']

/** The model: recalls a name from the context, uses search results, and calls a clock when asked. */
export function runModel(turn: Turn) {
  const last = turn.texts.at(-1) ?? ''
  const search = searchFor(turn, last)
  const asksTime = /what time is it/i.test(last)
  const toolCall = asksTime && turn.tools.includes('clock') ? 'clock' : undefined
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
function searchFor({ rag, bases, tools }: Turn, query: string) {
  const inAdvance = rag === true || (typeof rag === 'object' && rag !== null)
  const asTool = rag === 'agent' && tools.includes('lookup') && query.includes('?')
  if (bases.length === 0 || !(inAdvance || asTool)) return undefined
  const documents = bases.flatMap((base) => base.documents)
  return { query, found: findIn(documents, query) }
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

function limited(text: string, { stops, maxTokens }: Turn) {
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

/** The answer to a turn as a Responses-style object and as its events. */
export function take(call: Call, turn: Turn): TurnResult {
  const answer = runModel(turn)
  const output = itemsOf(answer)
  const head = {
    id: `run:${randomUUID().slice(0, 13)}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    model: turn.model,
    x_request: echo(call),
  }
  const status = answer.cut ? 'incomplete' : 'completed'
  const reasoning_tokens = tokensOf(answer.reasoning ?? '').length
  const input_tokens = turn.texts.flatMap(tokensOf).length
  const output_tokens = answer.tokens + reasoning_tokens
  const response = call.rules.answers({
    ...{ ...head, status, output, error: null },
    incomplete_details: answer.cut ? { reason: 'max_output_tokens' } : null,
    usage: {
      ...{ input_tokens, output_tokens, total_tokens: input_tokens + output_tokens },
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens },
    },
  })
  const begun = { ...head, status: 'in_progress', output: [], error: null, usage: null }
  const events = [
    { type: 'response.created', response: begun },
    ...output.flatMap(eventsOf),
    { type: `response.${status}`, response },
  ]
  return {
    response,
    events: events.map((event, at) => ({ ...event, sequence_number: 40 + at * 3 })),
  }
}

function itemsOf({ text, reasoning, search, toolCall, cut }: Answer): Json[] {
  const item = (type: string, members: Json) => {
    return { id: `i-${randomUUID()}`, type, status: 'completed', ...members }
  }
  const part = (type: string, text: string, more: Json = {}) => ({ type, text, ...more })
  const half = Math.floor(text.length / 2)
  const halves = [text.slice(0, half), text.slice(half)]
  const content = halves.map((one) => part('output_text', one, { annotations: [] }))
  const results = search?.found.map((found, at) => ({ file_id: `d-${at}`, text: found }))
  const call = { call_id: randomUUID(), name: toolCall, arguments: '{"zone":"UTC"}' }
  const thoughts = [part('reasoning_text', reasoning ?? '')]
  return [
    ...(search ? [item('file_search_call', { queries: [search.query], results })] : []),
    ...(reasoning ? [item('reasoning', { summary: [], content: thoughts })] : []),
    ...(toolCall ? [item('function_call', call)] : []),
    item('message', { role: 'assistant', content, ...(cut && { status: 'incomplete' }) }),
  ]
}

/** The events of one item, every part of it bracketed. */
function eventsOf(item: Json, output_index: number): Json[] {
  const open = { ...item, status: 'in_progress', ...emptied(item) }
  return [
    { type: 'response.output_item.added', output_index, item: open },
    ...bodyEvents(item, { item_id: item['id'], output_index }),
    { type: 'response.output_item.done', output_index, item },
  ]
}

function emptied(item: Json): Json {
  if (item['type'] === 'function_call') return { arguments: '' }
  return item['type'] === 'file_search_call' ? { results: null } : { content: [] }
}

function bodyEvents(item: Json, at: Json): Json[] {
  if (item['type'] === 'function_call') {
    const type = 'response.function_call_arguments'
    return [
      { type: `${type}.delta`, ...at, delta: item['arguments'] },
      { type: `${type}.done`, ...at, arguments: item['arguments'], name: item['name'] },
    ]
  }
  if (item['type'] === 'file_search_call') {
    const steps = ['in_progress', 'searching', 'completed']
    return steps.map((step) => ({ type: `response.file_search_call.${step}`, ...at }))
  }
  return asList(item['content']).flatMap((part, content_index) =>
    partEvents(asJson(part), { ...at, content_index }),
  )
}

function partEvents(part: Json, at: Json): Json[] {
  const text = asText(part['text'])
  const type = `response.${part['type']}`
  const deltas = text.match(/[\s\S]{1,21}/gu) ?? []
  return [
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    ...deltas.map((delta) => ({ type: `${type}.delta`, ...at, delta, logprobs: [] })),
    { type: `${type}.done`, ...at, text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part },
  ]
}
