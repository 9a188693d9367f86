import type { Json } from './hooks.ts'
import { type Call, Refusal, readJson, sendBlocks, sendJson } from './http.ts'
import { answerTo, piecesOf, tokensOf } from './model.ts'

const models = ['svc-main-model', 'SVC-Main', 'SVC-Vision']

export function listModels(call: Call): void {
  const data = models.map((id) => ({ id, description: `The model ${id}`, region: 'north' }))
  sendJson(call, 200, call.hooks.models({ object: 'list', data, next: null }))
}

export async function complete(call: Call, remembered: string[]): Promise<void> {
  const { hooks } = call
  const body = await readLeniently(call)
  if (hooks.checks('types')) checkTypes(body)
  if (hooks.checks('temperature')) checkTemperature(body['temperature'])
  for (const member of ['tools', 'response_format', 'n']) {
    if (body[member] !== undefined) throw new Refusal(400, `${member} is not supported here`)
  }
  if (!hooks.knows(body['model'])) throw new Refusal(404, 'there is no such model')
  const messages = Array.isArray(body['messages']) ? body['messages'] : []
  const prompts = messages.map((message: Json) => String(message['content'] ?? ''))
  const text = answerTo(hooks.sees(prompts, [...remembered, ...prompts], prompts))
  remembered.push(...prompts)

  const streamed = body['stream'] === true
  const stopped = hooks.stop(text, stopsOf(body), streamed)
  const limit = hooks.maxTokens(numberOrNothing(body['max_tokens']))
  const tokens = tokensOf(stopped)
  const cut = limit !== undefined && tokens.length > limit
  const answer = cut ? tokens.slice(0, limit).join('') : stopped
  const usage = usageOf(prompts, answer)
  const reason = cut ? 'length' : 'stop'
  const head = {
    id: hooks.newId('completion'),
    created: Math.floor(Date.now() / 1000),
    model: String(body['model']),
  }
  if (streamed) await sendChunks(call, head, answer, reason, wantsUsage(body) ? usage : undefined)
  else {
    const message = { role: 'assistant', content: answer, annotations: [] }
    const choices = [{ index: 0, message, finish_reason: reason, score: 0.5 }]
    sendJson(call, 200, hooks.completion({ ...head, object: 'chat.completion', choices, usage }))
  }
}

async function sendChunks(
  call: Call,
  head: Json,
  answer: string,
  reason: string,
  usage: Json | undefined,
): Promise<void> {
  const chunk = (choices: readonly Json[], more: Json = {}): Json => ({
    ...head,
    object: 'chat.completion.chunk',
    choices,
    ...more,
  })
  const delta = (delta: Json, finish: string | null = null) =>
    chunk([{ index: 0, delta, finish_reason: finish }])
  const list = [
    delta({ role: 'assistant' }),
    ...piecesOf(answer).map((content) => delta({ content })),
    delta({}, reason),
    ...(usage ? [chunk([], { usage })] : []),
  ]
  const blocks = call.hooks.chunks(list).map((json) => [`data:${JSON.stringify(json)}`])
  await sendBlocks(call, [...blocks, ['data: [DONE]']])
}

async function readLeniently(call: Call): Promise<Json> {
  try {
    return await readJson(call)
  } catch (error) {
    if (call.hooks.checks('json')) throw error
    return { model: models[0], messages: [{ role: 'user', content: 'What?' }] }
  }
}

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  model: (value) => typeof value === 'string',
  messages: (value) => Array.isArray(value) && value.every(isMessage),
  temperature: (value) => typeof value === 'number',
  max_tokens: (value) => typeof value === 'number',
  top_p: (value) => typeof value === 'number',
  stream: (value) => typeof value === 'boolean',
  stop: (value) => typeof value === 'string' || Array.isArray(value),
}

function checkTypes(body: Json): void {
  for (const [field, fits] of Object.entries(types)) {
    if (body[field] !== undefined && !fits(body[field])) throw new Refusal(400, `bad ${field}`)
  }
}

function checkTemperature(value: unknown): void {
  if (typeof value === 'number' && (value < 0 || value > 2)) throw new Refusal(400, 'too hot')
}

function isMessage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { role, content } = value as Json
  return typeof role === 'string' && typeof content === 'string'
}

function stopsOf({ stop }: Json): readonly string[] {
  return (Array.isArray(stop) ? stop : [stop]).filter((value) => typeof value === 'string')
}

function numberOrNothing(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined
}

function wantsUsage({ stream_options: options }: Json): boolean {
  return typeof options === 'object' && options !== null && 'include_usage' in options
}

function usageOf(prompts: readonly string[], answer: string): Json {
  const prompt = tokensOf(prompts.join(' ')).length
  const completion = tokensOf(answer).length
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  }
}
