/** The tool-calling loop of a real client against a scripted model. */
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { testServer } from '../../test-support/server.ts'
import { answerScript } from './answer-script.ts'

const question = 'What is the weather in Oslo, and in Łódź?'
const script = answerScript.parse({
  answers: [
    {
      match: { text: 'weather', turn: 1 },
      tool_calls: [
        { name: 'get_weather', arguments: { city: 'Oslo' } },
        { name: 'get_weather', arguments: { city: 'Łódź' } },
      ],
    },
    { match: { turn: 2 }, tool_calls: [{ name: 'convert', arguments: { celsius: 21 } }] },
    { match: { turn: 3 }, answer: 'Oslo has 5, Łódź 21 degrees (70 °F).' },
  ],
  otherwise: 'error',
})
const calls = [
  ['get_weather', { city: 'Oslo' }],
  ['get_weather', { city: 'Łódź' }],
  ['convert', { celsius: 21 }],
]

test.each([false, true])('openai runs its loop to the end, streaming: %s', async (stream) => {
  const server = await testServer({ script })
  const openai = new OpenAI({ baseURL: `${server.url}/api/openai`, apiKey: server.keys[0] ?? '' })
  const called: unknown[] = []
  const functionTool = (name: string) => ({
    type: 'function' as const,
    function: {
      name,
      description: name,
      parameters: { type: 'object', properties: {} },
      parse: JSON.parse,
      function: (given: object) => {
        called.push([name, given])
        return '21'
      },
    },
  })
  const body = {
    model: 'SVC-Main',
    messages: [{ role: 'user' as const, content: question }],
    tools: [functionTool('get_weather'), functionTool('convert')],
  }
  const runner = stream
    ? openai.chat.completions.runTools({ ...body, stream: true })
    : openai.chat.completions.runTools(body)
  expect(await runner.finalContent()).toBe('Oslo has 5, Łódź 21 degrees (70 °F).')
  expect(called).toEqual(calls)
})
