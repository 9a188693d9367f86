import { randomUUID } from 'node:crypto'
import { isBoolean, isNumber, models, refuseWrongTypes, type Types } from './generation.ts'
import { bodyOf, type Call, Refusal, sendChunks, sendJson } from './http.ts'
import { asJson, asList, asText, isJson, isText, isTextList, type Json } from './json.ts'
import { runModel, tokensOf } from './model.ts'
import type { Answer, Turn } from './state.ts'

const types: Types = {
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
  refuseWrongTypes(types, body, 400)
  if (!isText(body['model']) || asList(body['messages']).length === 0) {
    throw new Refusal(400, 'model and messages are required')
  }
  const unsupported = ['tools', 'response_format', 'n'].find((name) => body[name] !== undefined)
  if (unsupported !== undefined) throw new Refusal(400, `${unsupported}: not supported`)
  if (!models.includes(body['model'])) throw new Refusal(404, 'no such model')
  const turn = turnOf(body, body['model'])
  const answer = runModel(turn)
  if (turn.stream) await sendChunks(call, chunksOf(answer, turn))
  else sendJson(call, 200, completion(answer, turn))
}

function turnOf(body: Json, model: string): Turn {
  const { stop } = body
  return {
    surface: 'openai',
    body,
    stream: body['stream'] === true,
    think: false,
    rag: false,
    assistant: undefined,
    model,
    maxTokens: isNumber(body['max_tokens']) ? body['max_tokens'] : undefined,
    stops: isText(stop) ? [stop] : asList(stop).map(asText),
    texts: asList(body['messages']).map((message) => contentOf(asJson(message)['content'])),
    images: 0,
    tools: [],
    bases: [],
  }
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
