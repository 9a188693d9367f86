import { randomUUID } from 'node:crypto'
import { asJson, asList, asText, type Call, echo, type Json } from './http.ts'
import type { Answer, StreamEvent, Turn, TurnResult } from './state.ts'

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

/** An answer as a Responses-style object and as its events. */
export function toResult(call: Call, answer: Answer, turn: Turn): TurnResult {
  const output = itemsOf(answer)
  const head = {
    id: `run:${randomUUID().slice(0, 13)}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    model: turn.model,
    x_request: echo(call),
  }
  const status = answer.cut ? 'incomplete' : 'completed'
  const reasoningTokens = answer.reasoning === undefined ? 0 : tokensOf(answer.reasoning).length
  const inputTokens = turn.texts.flatMap(tokensOf).length
  const outputTokens = answer.tokens + reasoningTokens
  const response = call.rules.answers({
    ...head,
    status,
    output,
    error: null,
    incomplete_details: answer.cut ? { reason: 'max_output_tokens' } : null,
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: reasoningTokens },
    },
  })
  const begun = { ...head, status: 'in_progress', output: [], error: null, usage: null }
  const named = [
    { name: 'response.created', data: { response: begun } },
    ...output.flatMap(eventsOf),
    { name: `response.${status}`, data: { response } },
  ]
  const events = named.map(({ name, data }, at) => ({
    name,
    data: { type: name, sequence_number: 40 + at * 3, ...data },
  }))
  return { response, events }
}

function itemsOf({ text, reasoning, search, toolCall, cut }: Answer): Json[] {
  const id = () => `i-${randomUUID()}`
  const status = 'completed'
  const thought = { id: id(), type: 'reasoning', summary: [], content: [], status }
  const half = Math.floor(text.length / 2)
  const parts = [text.slice(0, half), text.slice(half)].map((part) => ({
    type: 'output_text',
    text: part,
    annotations: [],
  }))
  return [
    ...(search === undefined
      ? []
      : [
          {
            ...{ id: id(), type: 'file_search_call', status, queries: [search.query] },
            results: search.found.map((found, at) => ({ file_id: `d-${at}`, text: found })),
          },
        ]),
    ...(reasoning === undefined
      ? []
      : [{ ...thought, content: [{ type: 'reasoning_text', text: reasoning }] }]),
    ...(toolCall === undefined
      ? []
      : [
          {
            ...{ id: id(), type: 'function_call', call_id: id(), name: toolCall },
            ...{ arguments: '{"zone":"UTC"}', status },
          },
        ]),
    {
      ...{ id: id(), type: 'message', role: 'assistant', content: parts },
      status: cut ? 'incomplete' : status,
    },
  ]
}

/** The events of one item, every part of it bracketed. */
function eventsOf(item: Json, output_index: number): StreamEvent[] {
  const item_id = item['id']
  const at = { item_id, output_index }
  const open = { ...item, status: 'in_progress', ...emptied(item) }
  return [
    { name: 'response.output_item.added', data: { output_index, item: open } },
    ...bodyEvents(item, at),
    { name: 'response.output_item.done', data: { output_index, item } },
  ]
}

function emptied(item: Json): Json {
  if (item['type'] === 'function_call') return { arguments: '' }
  return item['type'] === 'file_search_call' ? { results: null } : { content: [] }
}

function bodyEvents(item: Json, at: Json): StreamEvent[] {
  if (item['type'] === 'function_call') {
    const name = 'response.function_call_arguments'
    return [
      { name: `${name}.delta`, data: { ...at, delta: item['arguments'] } },
      { name: `${name}.done`, data: { ...at, arguments: item['arguments'], name: item['name'] } },
    ]
  }
  if (item['type'] === 'file_search_call') {
    const steps = ['in_progress', 'searching', 'completed']
    return steps.map((step) => ({ name: `response.file_search_call.${step}`, data: at }))
  }
  return asList(item['content']).flatMap((part, content_index) =>
    partEvents(asJson(part), { ...at, content_index }),
  )
}

function partEvents(part: Json, at: Json): StreamEvent[] {
  const text = asText(part['text'])
  const name = `response.${part['type']}`
  const deltas = text.match(/[\s\S]{1,21}/gu) ?? []
  return [
    { name: 'response.content_part.added', data: { ...at, part: { ...part, text: '' } } },
    ...deltas.map((delta) => ({ name: `${name}.delta`, data: { ...at, delta, logprobs: [] } })),
    { name: `${name}.done`, data: { ...at, text, logprobs: [] } },
    { name: 'response.content_part.done', data: { ...at, part } },
  ]
}
