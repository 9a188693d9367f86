import { FormData } from 'undici'
import { describe, expect, it } from 'vitest'
import { type TestServer, testServer } from '../../test-support/server.ts'

const list = async (server: TestServer, query = '') =>
  (await server.send('GET', `/api/v3/attachment${query}`)).json
const names = ({ result }: { result: { filename: string }[] }) =>
  result.map(({ filename }) => filename)

describe('an upload', () => {
  it('may have any part name, and fields before or after the file', async () => {
    const server = await testServer()
    const chat_id = await server.newChat()
    expect((await server.upload({ name: 'a', content: 'x', part: 'upload' })).status).toBe(201)
    const form = new FormData()
    form.append('document', new Blob(['x']), 'after.txt')
    form.append('chat_id', chat_id)
    expect((await server.send('POST', '/api/v3/attachment', { body: form })).status).toBe(201)
    expect(names(await list(server, `?chat_id=${chat_id}`))).toEqual(['after.txt'])
  })

  it('is rejected without a file, with two, an unknown chat or excess size', async () => {
    const server = await testServer({ uploadLimitBytes: 1000 })
    const post = (body: FormData | object | string, headers = {}) =>
      server.send('POST', '/api/v3/attachment', { body, headers })
    const without = new FormData()
    without.append('chat_id', await server.newChat())
    const two = new FormData()
    for (const name of ['a', 'b']) two.append(name, new Blob(['x'.repeat(900)]), name)
    const type = { 'content-type': 'multipart/form-data; boundary=b' }
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx'
    const large = { name: 'large', content: 'x'.repeat(1001) }
    const answers = [
      [400, await post(without)],
      [400, await post(two)],
      [400, await post('', type)],
      [400, await post(part, type)],
      [400, await post('nonsense', type)],
      [400, await post(`${part}\r\n--b--`, { 'content-type': 'multipart/form-data' })],
      [413, await server.upload(large)],
      [415, await post({ file: 'x' })],
      [415, await post('x', { 'content-type': 'text/plain' })],
      [400, await server.upload({ name: 'a', content: 'x' }, { chat_id: 'x' })],
      [404, await server.upload({ name: 'a', content: 'x' }, { chat_id: crypto.randomUUID() })],
    ] as const
    for (const [index, [status, answer]] of answers.entries()) {
      expect([index, answer.status]).toEqual([index, status])
      expect(answer.json.error.message).toBeTypeOf('string')
    }
    expect(names(await list(server))).toEqual([])
    expect((await server.upload({ name: 'fits', content: 'x'.repeat(1000) })).status).toBe(201)
  })
})

describe('media in an input', () => {
  const png = `data:image/png;base64,${Buffer.from('not really').toString('base64')}`

  it('are read if they are text', async () => {
    const server = await testServer()
    const text = 'My name is Filippa.'
    const file_id = (await server.upload({ name: 'a.txt', content: text })).json.id
    const file_data = Buffer.from(text).toString('base64')
    const files = [
      { file_id },
      { file_data, filename: 'a.md' },
      { file_data: `data:text/plain;base64,${file_data}` },
    ]
    for (const file of files) {
      const chat_id = await server.newChat()
      const content = [
        { type: 'input_file', ...file },
        { type: 'input_text', text: 'What is my name?' },
      ]
      const { json } = await server.generate({ chat_id, input: [{ role: 'user', content }] })
      expect(json.output[0].content[0].text).toBe('Your name is Filippa.')
      const later = await server.generate({ chat_id, input: 'And what is my name?' })
      expect(later.json.output[0].content[0].text).toBe('Your name is Filippa.')
    }
  })

  it('are rejected if they are empty or belong to another caller', async () => {
    const server = await testServer({ keys: ['ann', 'bob'] })
    const chat_id = await server.newChat()
    const file_id = (await server.upload({ name: 'a.txt', content: 'x' })).json.id
    const refused: readonly [number, object][] = [
      [400, { type: 'input_image' }],
      [400, { type: 'input_image', image_url: 'no url' }],
      [400, { type: 'input_image', image_url: { url: png } }],
      [400, { type: 'input_video', video_url: '' }],
      [400, { type: 'input_file', filename: 'a.txt' }],
      [400, { type: 'input_hologram' }],
      [404, { type: 'input_file', file_id: 'unknown' }],
    ]
    for (const [status, part] of refused) {
      const { json } = await server.generate({
        chat_id,
        input: [{ role: 'user', content: [part] }],
      })
      expect([json.status, part]).toEqual([status, part])
    }
    const content = [{ type: 'input_file', file_id }]
    const foreign = await server.send('POST', '/api/v3/message/one-shot', {
      body: { model_id: 'SVC-Main', input: [{ role: 'user', content }] },
      headers: { authorization: 'Bearer bob' },
    })
    expect(foreign.status).toBe(404)
  })
})
