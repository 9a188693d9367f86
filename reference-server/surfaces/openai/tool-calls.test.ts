/** Tools, structured answers and several choices, as requested by third-party clients. */
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
    const { baseURL, apiKey } = await started()
    const openai = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
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
