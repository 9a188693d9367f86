/** The official client must work with the compatible surface. */
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { readChunks, testServer } from '../../test-support/server.ts'

async function client(apiKey?: string) {
  const server = await testServer()
  const baseURL = `${server.url}/api/openai`
  return new OpenAI({ baseURL, apiKey: apiKey ?? server.keys[0] ?? '', maxRetries: 0 })
}

const hello = { model: 'svc-main-model', messages: [{ role: 'user' as const, content: 'Hello' }] }

it('streams the same text, directly and through the helper', async () => {
  const openai = await client()
  const whole = await openai.chat.completions.create(hello)
  let text = ''
  for await (const chunk of await openai.chat.completions.create({ ...hello, stream: true })) {
    text += chunk.choices[0]?.delta.content ?? ''
  }
  expect(text).toBe(whole.choices[0]?.message.content)
  const helper = openai.chat.completions.stream({
    ...hello,
    stream_options: { include_usage: true },
  })
  const final = await helper.finalChatCompletion()
  expect(final.choices[0]?.message.content).toBe(text)
  expect(final.usage).toEqual(whole.usage)
})

it('collects refusals through the helper', async () => {
  const openai = await client()
  const refuse = [{ role: 'user' as const, content: '[[refuse]]' }]
  const refused = await openai.chat.completions
    .stream({ ...hello, messages: refuse })
    .finalMessage()
  expect(refused.refusal).toContain('cannot')
})

it('cuts at max_tokens and max_completion_tokens', async () => {
  const openai = await client()
  for (const member of ['max_tokens', 'max_completion_tokens']) {
    const { choices, usage } = await openai.chat.completions.create({ ...hello, [member]: 3 })
    expect([choices[0]?.finish_reason, usage?.completion_tokens]).toEqual(['length', 3])
  }
})

it('lists models', async () => {
  const listed = await Array.fromAsync((await client()).models.list())
  expect(listed.map(({ id }) => id)).toEqual(['SVC-Vision', 'svc-main-model'])
})

it('throws the error classes of the client', async () => {
  const openai = await client()
  const create = (body: object) => openai.chat.completions.create({ ...hello, ...body })
  const order = (content: string) => create({ messages: [{ role: 'user', content }] })
  await expect(create({ temperature: 3 })).rejects.toBeInstanceOf(OpenAI.BadRequestError)
  const unknown = { status: 404, code: 'model_not_found', param: 'model' }
  await expect(create({ model: 'x' })).rejects.toMatchObject(unknown)
  await expect(order('[[error=429]]')).rejects.toBeInstanceOf(OpenAI.RateLimitError)
  for (const prompt of ['[[error=500]]', '[[error=503]]']) {
    await expect(order(prompt)).rejects.toBeInstanceOf(OpenAI.InternalServerError)
  }
  await expect((await client('wrong')).models.list()).rejects.toBeInstanceOf(
    OpenAI.AuthenticationError,
  )
})

it('throws errors in mid-stream', async () => {
  const openai = await client()
  const stream = await openai.chat.completions.create({
    ...hello,
    messages: [{ role: 'user', content: '[[fail=2]]' }],
    stream: true,
  })
  const read = async () => {
    for await (const _ of stream);
  }
  await expect(read()).rejects.toBeInstanceOf(OpenAI.APIError)
})

it('ends a stream with an error if the model fails', async () => {
  const server = await testServer()
  const { text } = await server.complete('[[fail=3]]', { stream: true })
  const error = { error: { type: 'server_error', code: 'server_error' } }
  expect(readChunks(text).at(-1)).toMatchObject(error)
})

it('refuses before the stream if the prompt requests it', async () => {
  const server = await testServer()
  const { status, headers, json } = await server.complete('[[error=429]]', { stream: true })
  expect([status, headers.get('retry-after')]).toEqual([429, '1'])
  expect(json.error).toMatchObject({ type: 'rate_limit_error' })
})
