/** The compatible surface as third-party clients use it: the official one, LangChain and the AI SDK. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ChatOpenAI } from '@langchain/openai'
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { testServer } from '../../test-support/server.ts'

const model = 'svc-main-model'

async function started() {
  const server = await testServer()
  const baseURL = `${server.url}/api/openai`
  return { server, baseURL, apiKey: server.keys[0] ?? '' }
}

async function client(apiKey?: string) {
  const own = await started()
  return new OpenAI({ baseURL: own.baseURL, apiKey: apiKey ?? own.apiKey, maxRetries: 0 })
}

const hello = { model, messages: [{ role: 'user' as const, content: 'Hello' }] }

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

const sum = {
  name: 'add_numbers',
  description: 'Adds two numbers',
  parameters: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
}
const weather = {
  name: 'get_weather',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'kelvin'] } },
    required: ['city', 'unit'],
  },
}
const tools = [sum, weather].map((one) => ({ type: 'function' as const, function: one }))

describe('the openai client', () => {
  const ask = async (content: string, more: object) => {
    const openai = await client()
    const body = { model, messages: [{ role: 'user' as const, content }], tools, ...more }
    const whole = await openai.chat.completions.create(body)
    const streamed = await openai.chat.completions.stream(body).finalChatCompletion()
    const calls = (of: typeof whole) =>
      of.choices[0]?.message.tool_calls?.map((call) =>
        call.type === 'function' ? [call.function.name, JSON.parse(call.function.arguments)] : [],
      ) ?? []
    expect(calls(streamed)).toEqual(calls(whole))
    expect(streamed.choices[0]?.finish_reason).toBe(whole.choices[0]?.finish_reason)
    return { calls: calls(whole), finish: whole.choices[0]?.finish_reason }
  }

  it('gets a call of the named function with its numbers', async () => {
    const { calls, finish } = await ask('Please add the numbers 2 and 40.', {})
    expect([calls, finish]).toEqual([[['add_numbers', { a: 2, b: 40 }]], 'tool_calls'])
  })

  it('gets parallel calls, or one without parallel_tool_calls', async () => {
    const question = 'Add the numbers 1 and 2 and tell the weather of "Brno".'
    const { calls } = await ask(question, {})
    expect(calls.map(([name]) => name)).toEqual(['add_numbers', 'get_weather'])
    expect((await ask(question, { parallel_tool_calls: false })).calls).toHaveLength(1)
  })

  it('gets a call if tool_choice requires one', async () => {
    expect((await ask('Hello', { tool_choice: 'required' })).calls).toHaveLength(1)
    const choice = { type: 'function', function: { name: 'get_weather' } }
    const [[name, input] = []] = (await ask('Hello', { tool_choice: choice })).calls
    expect([name, Object.keys(input)]).toEqual(['get_weather', ['city', 'unit']])
    expect((await ask('Hello', {})).calls).toEqual([])
    expect((await ask('Add the numbers', { tool_choice: 'none' })).calls).toEqual([])
  })
})

it('LangChain gets structured output by function and by schema', async () => {
  const { baseURL, apiKey } = await started()
  const chat = new ChatOpenAI({ model, apiKey, maxRetries: 0, configuration: { baseURL } })
  const person = z.object({ name: z.string(), age: z.number().int() })
  for (const method of ['functionCalling', 'jsonSchema'] as const) {
    const structured = chat.withStructuredOutput(person, { method, name: 'person' })
    expect(await structured.invoke('Extract: "Zoë" is 41.')).toEqual({ name: 'Zoë', age: 41 })
  }
})

describe('the AI SDK', () => {
  it('continues after several calls in one turn', async () => {
    const { baseURL, apiKey } = await started()
    const service = createOpenAICompatible({ name: 'service', baseURL, apiKey })(model)
    const { text, steps } = await generateText({
      model: service,
      tools: {
        add_numbers: tool({
          inputSchema: jsonSchema<{ a: number; b: number }>(sum.parameters as object),
          execute: async ({ a, b }) => a + b,
        }),
        get_weather: tool({
          inputSchema: jsonSchema<{ city: string }>(weather.parameters as object),
          execute: async ({ city }) => `sunny in ${city}`,
        }),
      },
      stopWhen: stepCountIs(3),
      prompt: 'Add the numbers 1 and 2 and tell the weather of "Brno".',
    })
    expect(steps[0]?.toolCalls).toHaveLength(2)
    expect(text).toContain('3')
    expect(text).toContain('sunny in Brno')
  })

  it('gets and streams objects', async () => {
    const { baseURL, apiKey } = await started()
    const options = { name: 'service', baseURL, apiKey, supportsStructuredOutputs: true }
    const service = createOpenAICompatible(options)(model)
    const schema = z.object({ name: z.string(), tags: z.array(z.enum(['a', 'b'])).min(1) })
    const settings = { model: service, output: Output.object({ schema }), prompt: 'About "Ann"' }
    const { output } = await generateText(settings)
    expect(output).toMatchObject({ name: 'Ann' })
    expect(await streamText(settings).output).toEqual(output)
  })
})

describe('a request', () => {
  const functions = [{ type: 'function', function: sum }]

  it.each<[string, object]>([
    ['tool_choice', { tool_choice: 'required' }],
    [
      'tool_choice',
      { tools: functions, tool_choice: { type: 'function', function: { name: 'x' } } },
    ],
    ['tool_choice', { tools: functions, tool_choice: 'always' }],
    ['tools.0.function.name', { tools: [{ type: 'function', function: { name: 'a b' } }] }],
    ['n', { n: 0 }],
    ['n', { n: 1000 }],
    ['logprobs', { logprobs: true }],
    ['response_format.type', { response_format: { type: 'xml' } }],
  ])('with an invalid %s is rejected: %j', async (param, body) => {
    const { server } = await started()
    const { status, json } = await server.complete('Hi', body)
    expect([status, json.error.param]).toEqual([400, param])
  })

  it('with an unsatisfiable schema is rejected with the reason', async () => {
    const { server } = await started()
    const format = { type: 'json_schema', json_schema: { name: 'x', schema: { $ref: '#' } } }
    const { status, json } = await server.complete('Hi', { response_format: format })
    expect([status, json.error.code]).toEqual([400, 'unsupported_schema'])
    expect(json.error.message).toContain('references')
  })

  it('with json_object gets an object, or the dictated one', async () => {
    const { server } = await started()
    const response_format = { type: 'json_object' }
    const whole = await server.complete('Tell me something as JSON.', { response_format })
    expect(JSON.parse(whole.json.choices[0].message.content)).toEqual({
      answer: expect.any(String),
    })
    const dictated = await server.complete('[[say={"a":1}]]', { response_format })
    expect(dictated.json.choices[0].message.content).toBe('{"a":1}')
  })
})
