import { expect, it } from 'vitest'
import { testServer } from '../../test-support/server.ts'
import { readEvents } from '../../test-support/sse.ts'

const textOf = ({ output }: { output: { content?: { text?: string }[] }[] }) =>
  output.flatMap(({ content }) => content?.map(({ text }) => text ?? '') ?? []).join('')

it('knows what runs tell, in all their forms, and nothing else', async () => {
  const server = await testServer()
  const ask = async (runs?: object[]) =>
    textOf((await server.oneShot({ input: 'What is my name?', runs })).json)
  const statement = { role: 'user', content: [{ type: 'input_text', text: 'My name is Q7-x.' }] }
  const earlier = await server.oneShot({ input: 'My name is Q7-x.' })
  const introduction = [
    [{ id: 'r1', input: 'My name is Q7-x.', output: earlier.json.output }],
    [{ id: 'r1', input: [statement], output: [] }],
    [{ id: 'r1', output: [statement] }],
    [{ id: 'r1', output: 'I see, your name is Q7-x.' }],
    [{ input: 'My name is Q7-x.' }, { ...earlier.json }],
  ]
  for (const runs of introduction) expect(await ask(runs)).toBe('Your name is Q7-x.')
  expect(await ask()).not.toContain('Q7-x')
  expect(await ask([])).not.toContain('Q7-x')
})

it('says what the model was asked to say, errors included', async () => {
  const server = await testServer()
  expect((await server.oneShot({ input: '[[error=503]]', stream: true })).status).toBe(503)
  const failed = await server.oneShot({ input: '[[fail=2]]', stream: true })
  expect(readEvents(failed.text).at(-1).type).toBe('response.failed')
  const cut = await server.oneShot({ input: '[[tokens=9]]', max_tokens: 3 })
  expect(cut.json.incomplete_details).toEqual({ reason: 'max_output_tokens' })
})
