import { randomUUID } from 'node:crypto'
import {
  asJson,
  asList,
  asText,
  bodyOf,
  type Call,
  isJson,
  isText,
  isTextList,
  type Json,
  Refusal,
  sendChunks,
  sendJson,
} from './http.ts'
import { type Answer, runModel, tokensOf, toolNames } from './model.ts'
import { assistants, type KnowledgeBase } from './state.ts'

const generationTypes: Types = {
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

function isNumber(value: unknown): value is number {
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
  refuseWrongTypes(generationTypes, body)
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

export type Turn = ReturnType<typeof buildTurn>

/** Settings of a request and the texts that the model reads, oldest first; it answers the last one. */
export function buildTurn(
  { state }: Call,
  body: Json,
  rest: { readonly texts: readonly string[]; readonly images: number; readonly rag: unknown },
) {
  const { max_tokens: maxTokens, stop, include_tools: included = toolNames } = body
  const excluded = asList(body['exclude_tools'])
  return {
    ...rest,
    body,
    stream: body['stream'] === true,
    think: body['think'] === true,
    model: asText(body['model_id'] ?? body['model']),
    maxTokens: isNumber(maxTokens) ? maxTokens : undefined,
    stops: isText(stop) ? [stop] : asList(stop).map(asText),
    tools: toolNames.filter((tool) => asList(included).includes(tool) && !excluded.includes(tool)),
    bases: basesOf(body, [...state.bases.values()]),
  }
}

function basesOf(body: Json, all: readonly KnowledgeBase[]): readonly KnowledgeBase[] {
  if (body['assistant_id'] === assistants.withKnowledge) return all.slice(0, 1)
  if (body['assistant_id'] !== 'searcher') return []
  return all.filter(({ id }) => body['kb_id'] === undefined || body['kb_id'] === id)
}

const completionTypes: Types = {
  model: isText,
  messages: (value) => Array.isArray(value) && value.every(isMessage),
  temperature: (value) => isNumber(value) && value >= 0 && value <= 2,
  max_tokens: Number.isInteger,
  top_p: isNumber,
  stream: isBoolean,
  stop: (value) => isText(value) || isTextList(value),
}

function isMessage(value: unknown): boolean {
  const { role, content } = asJson(value)
  return isJson(value) && isText(role) && (isText(content) || Array.isArray(content))
}

export function listModels(call: Call): void {
  const description = 'A model of the harbour'
  sendJson(call, 200, { catalog: models.map((id) => ({ id, description })) })
}

export async function complete(call: Call): Promise<void> {
  const body = bodyOf(call)
  refuseWrongTypes(completionTypes, body, 400)
  if (!isText(body['model']) || asList(body['messages']).length === 0) {
    throw new Refusal(400, 'model and messages are required')
  }
  const unsupported = ['tools', 'response_format', 'n'].find((name) => body[name] !== undefined)
  if (unsupported !== undefined) throw new Refusal(400, `${unsupported}: not supported`)
  if (!models.includes(body['model'])) throw new Refusal(404, 'no such model')
  const texts = asList(body['messages']).map((message) => contentOf(asJson(message)['content']))
  const turn = buildTurn(call, body, { texts, images: 0, rag: false })
  const answer = runModel(turn)
  if (turn.stream) await sendChunks(call, chunksOf(answer, turn))
  else sendJson(call, 200, completion(answer, turn))
}

function contentOf(content: unknown): string {
  if (isText(content)) return content
  return asList(content)
    .map((part) => asText(asJson(part)['text']))
    .join(' ')
}

function head({ model }: Turn, object: string): Json {
  const created = Math.floor(Date.now() / 1000)
  return { id: `c:${randomUUID()}`, object, created, model }
}

function usageOf({ tokens }: Answer, { texts }: Turn): Json {
  const prompt_tokens = texts.flatMap(tokensOf).length
  return { prompt_tokens, completion_tokens: tokens, total_tokens: prompt_tokens + tokens }
}

function completion(answer: Answer, turn: Turn): Json {
  const message = { role: 'assistant', content: answer.text, mood: 'calm' }
  const finish_reason = answer.cut ? 'length' : 'stop'
  const choices = [{ finish_reason, message, index: 0 }]
  return { ...head(turn, 'chat.completion'), choices, usage: usageOf(answer, turn) }
}

function chunksOf(answer: Answer, turn: Turn): Json[] {
  const common = head(turn, 'chat.completion.chunk')
  const choice = (delta: Json, finish_reason: string | null = null) => ({
    ...common,
    choices: [{ index: 0, delta, finish_reason }],
  })
  const pieces = answer.text.match(/[\s\S]{1,17}/gu) ?? []
  const hasUsage = asJson(turn.body['stream_options'])['include_usage'] === true
  return [
    choice({ role: 'assistant', content: null }),
    ...pieces.map((content) => choice({ content })),
    choice({}, answer.cut ? 'length' : 'stop'),
    ...(hasUsage ? [{ ...common, choices: [], usage: usageOf(answer, turn) }] : []),
  ]
}
