/** The AI SDK over the compatible surface: text, stream, tools, errors. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, streamText } from 'ai'
import { expect, it } from 'vitest'
import { testServer } from '../../test-support/server.ts'

async function model(apiKey?: string) {
  const server = await testServer()
  const provider = createOpenAICompatible({
    name: 'service',
    baseURL: `${server.url}/api/openai`,
    apiKey: apiKey ?? server.keys[0] ?? '',
    includeUsage: true,
  })
  return provider('svc-main-model')
}

it('generates text', async () => {
  const { text, finishReason, usage } = await generateText({
    model: await model(),
    prompt: 'Hello',
  })
  expect([text === '', finishReason]).toEqual([false, 'stop'])
  expect(usage.totalTokens).toBe((usage.inputTokens ?? 0) + (usage.outputTokens ?? 0))
})

it('streams to the same text, in pieces, with usage', async () => {
  const service = await model()
  const whole = await generateText({ model: service, prompt: 'Hello', system: 'Be kind.' })
  const stream = streamText({ model: service, prompt: 'Hello', system: 'Be kind.' })
  const pieces: string[] = []
  for await (const piece of stream.textStream) pieces.push(piece)
  expect(pieces.length).toBeGreaterThan(5)
  expect(pieces.join('')).toBe(whole.text)
  expect(await stream.finishReason).toBe('stop')
  expect((await stream.usage).outputTokens).toBe(whole.usage.outputTokens)
})

it('stops at a stop sequence, and at the budget', async () => {
  const service = await model()
  const prompt = '[[say=one two END three]]'
  const stopped = await generateText({ model: service, prompt, stopSequences: ['END'] })
  expect(stopped.text).toBe('one two ')
  const cut = await generateText({ model: service, prompt, maxOutputTokens: 2 })
  expect([cut.text, cut.finishReason]).toEqual(['one two', 'length'])
})

it('throws what the service answers', async () => {
  const refused = generateText({ model: await model('wrong'), prompt: 'Hi', maxRetries: 0 })
  await expect(refused).rejects.toSatisfy(
    (error) => APICallError.isInstance(error) && error.statusCode === 401,
  )
  const limited = generateText({ model: await model(), prompt: '[[error=429]]', maxRetries: 0 })
  await expect(limited).rejects.toMatchObject({ statusCode: 429, isRetryable: true })
})
