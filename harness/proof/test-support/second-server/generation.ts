import { type Call, Refusal } from './http.ts'
import { asJson, asList, asText, isJson, isText, isTextList, type Json } from './json.ts'
import { runModel, toolNames, toResult } from './model.ts'
import type { Turn } from './state.ts'
import { assistants, type KnowledgeBase, type TurnResult } from './state.ts'

const types: Types = {
  stream: isBoolean,
  think: isBoolean,
  chat_id: isText,
  model_id: isText,
  parent_id: isText,
  input: (value) => isText(value) || (Array.isArray(value) && value.every(isJson)),
  rag: (value) => isBoolean(value) || value === 'agent' || isJson(value),
  include_tools: isTextList,
  exclude_tools: isTextList,
  max_tokens: Number.isInteger,
  temperature: isNumber,
  top_p: isNumber,
  presence_penalty: isNumber,
  runs: Array.isArray,
  kb_id: isText,
  content: isText,
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

export type Types = Readonly<Record<string, (value: unknown) => boolean>>

/** Refuses a field of another type. `null` counts as absent. */
export function refuseWrongTypes(types: Types, body: Json, status = 422): void {
  const wrong = Object.entries(types).find(
    ([name, fits]) => body[name] !== undefined && body[name] !== null && !fits(body[name]),
  )
  if (wrong !== undefined) throw new Refusal(status, `${wrong[0]}: wrong type`)
}

/** Refuses a listed field of another type, and both tool lists. `null` counts as absent. */
export function checkFields(call: Call, body: Json): void {
  refuseWrongTypes(types, body)
  const both = body['include_tools'] !== undefined && body['exclude_tools'] !== undefined
  if (both && call.rules.refusesBothLists) {
    throw new Refusal(418, 'one tool list only')
  }
  if (!isText(body['model_id'])) throw new Refusal(422, 'model_id: required')
  if (!models.includes(body['model_id'])) throw new Refusal(422, 'model_id: unknown')
}

export const models = ['SVC-Main', 'svc-main-model', 'SVC-Vision']

/** Every generation must name an assistant. */
export function checkAssistant(body: Json): void {
  const assistant = body['assistant_id']
  if (assistant === undefined) throw new Refusal(422, 'field assistant_id is required')
  const assistantIds: readonly unknown[] = [...Object.values(assistants), null, 'searcher']
  if (!assistantIds.includes(assistant)) throw new Refusal(422, 'assistant_id: no such assistant')
}

/** The texts of an input and its number of pictures. */
export function readInput(input: unknown): { readonly items: Json[]; readonly images: number } {
  if (isText(input)) return { items: [inputItem('user', [textPart(input)])], images: 0 }
  const items = asList(input).map((value) => {
    const item = asJson(value)
    if (item['type'] !== undefined && item['type'] !== 'message') return item
    const content = isText(item['content']) ? [textPart(item['content'])] : item['content']
    return { ...item, type: 'message', content }
  })
  const parts = items.flatMap(({ content }: Json) => asList(content)).map(asJson)
  return { items, images: parts.filter(({ type }) => type === 'input_image').length }
}

function inputItem(role: string, content: readonly Json[]): Json {
  return { type: 'message', role, content }
}

const textPart = (text: string) => ({ type: 'input_text', text })

export function textsOf(items: readonly Json[]): string[] {
  return items.map(({ role, content }) =>
    asList(content)
      .map((part) => asText(asJson(part)['text']))
      // The parts of an answer are pieces of one text.
      .join(role === 'assistant' ? '' : ' '),
  )
}

export function buildTurn(
  { state }: Call,
  body: Json,
  rest: Pick<Turn, 'surface' | 'texts' | 'images'> & { readonly rag: unknown },
): Turn {
  const excluded = asList(body['exclude_tools'])
  const included = body['include_tools'] === undefined ? toolNames : asList(body['include_tools'])
  return {
    ...rest,
    body,
    stream: body['stream'] === true,
    think: body['think'] === true,
    assistant: body['assistant_id'],
    model: asText(body['model_id'] ?? body['model']),
    maxTokens: isNumber(body['max_tokens']) ? body['max_tokens'] : undefined,
    stops: [],
    tools: toolNames.filter((tool) => included.includes(tool) && !excluded.includes(tool)),
    bases: basesOf(body, [...state.bases.values()]),
  }
}

function basesOf(body: Json, all: readonly KnowledgeBase[]): readonly KnowledgeBase[] {
  if (body['assistant_id'] === assistants.withKnowledge) return all.slice(0, 1)
  if (body['assistant_id'] !== 'searcher') return []
  return all.filter(({ id }) => body['kb_id'] === undefined || body['kb_id'] === id)
}

export function take(call: Call, turn: Turn): TurnResult {
  return toResult(call, runModel(turn), turn)
}
