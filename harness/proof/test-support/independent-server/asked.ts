import type { Json } from './hooks.ts'
import { type Call, Refusal } from './http.ts'
import { assistantA, assistantB } from './knowledge-base.ts'

/** Refusal of the body of a generation, if it is invalid. */
export function refusalOf({ hooks }: Call, body: Json): Refusal | undefined {
  const refuse = (why: string) => new Refusal(hooks.refusedStatus, why)
  const both = body['include_tools'] !== undefined && body['exclude_tools'] !== undefined
  if (both && hooks.checks('both tool lists')) return refuse('one list of tools only')
  if (hooks.wantsMore && body['assistant_id'] === undefined) return refuse('whose answer is it?')
  const { assistant_id: assistant } = body
  if (typeof assistant === 'string' && !assistants.includes(assistant)) {
    return refuse('there is no such assistant')
  }
  if (!inputItems(body['input'] ?? '').every(isKnown)) return refuse('a strange part')
  if (!hooks.knows(body['model_id'])) return refuse('there is no such model')
  const wrong = Object.entries(types).find(([field, type]) => {
    const value = body[field]
    if (value === undefined || value === null) return false
    return !type.includes(kindOf(value)) && !(type.includes('names') && areNames(value))
  })
  return wrong && hooks.checks('types of a generation') ? refuse(`bad ${wrong[0]}`) : undefined
}

const assistants = [assistantA, assistantB, 'searcher']

const types: Readonly<Record<string, readonly string[]>> = {
  stream: ['boolean'],
  assistant_id: ['string'],
  model_id: ['string'],
  input: ['string', 'array'],
  parent_id: ['string'],
  runs: ['array'],
  think: ['boolean'],
  rag: ['boolean', 'string', 'object'],
  kb_id: ['string'],
  include_tools: ['names'],
  exclude_tools: ['names'],
  max_tokens: ['number'],
  temperature: ['number'],
  top_p: ['number'],
  presence_penalty: ['number'],
}

export function areNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}

export function inputItems(input: unknown): Json[] {
  if (!Array.isArray(input)) {
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: `${input}` }] }]
  }
  return input.map((item: Json) => ({ type: 'message', ...item }))
}

export function textOf(item: Json): string {
  const parts = Array.isArray(item['content']) ? item['content'] : []
  return parts.map((part: Json) => String(part['text'] ?? '')).join('')
}

/** Parts that are no text, and by what they are known. */
const media: Readonly<Record<string, string>> = {
  input_image: 'image_url',
  clip: 'address',
}

function isKnown({ content }: Json): boolean {
  return (Array.isArray(content) ? content : []).every((part: Json) => {
    const member = media[String(part['type'])]
    return member ? typeof part[member] === 'string' : part['type'] === 'input_text'
  })
}
