/** The official client's stream readers over the v3 stream: an oracle that is not ours. */
import { ResponseStream } from 'openai/lib/responses/ResponseStream'
import { Stream } from 'openai/streaming'
import { expect, it } from 'vitest'
import { assistants } from '../../answering/assistant-context.ts'
import { testServer } from '../../test-support/server.ts'
import { type Json, readBlocks } from '../../test-support/sse.ts'

async function accumulated(text: string) {
  const lines = readBlocks(text).map(({ data }) => `${data}\n`)
  return ResponseStream.fromReadableStream(new Blob(lines).stream()).finalResponse()
}

it.each([
  'Hello',
  '[[tool=file_search]] [[tool=get_time {"zone":"UTC"}]] [[tokens=30]]',
  '[[refuse]]',
  '[[say=]]',
  'Search the knowledge base for the ferry to Great Skerry',
])('accumulates %j to our final response', async (input) => {
  const server = await testServer()
  for (const think of [false, true]) {
    const chat_id = await server.newChat()
    const assistant_id = assistants[0]?.id
    const { text } = await server.generate({ chat_id, assistant_id, input, think, stream: true })
    const final = JSON.parse(readBlocks(text).at(-1)?.data ?? '').response
    expect(await accumulated(text)).toMatchObject(final)
  }
})

it.each(['Hello', '[[tokens=200]]'])(
  'reads the bytes of a chat and of a one-shot: %j',
  async (input) => {
    const server = await testServer()
    const turn = { model_id: 'SVC-Main', input, think: true, stream: true }
    const paths = {
      '/api/v3/message/generate': { ...turn, chat_id: await server.newChat() },
      '/api/v3/message/one-shot': turn,
    }
    for (const [path, body] of Object.entries(paths)) {
      const abort = new AbortController()
      const response = await fetch(server.url + path, {
        method: 'POST',
        signal: abort.signal,
        headers: {
          authorization: `Bearer ${server.keys[0]}`,
          'content-type': 'application/json',
          'idempotency-key': crypto.randomUUID(),
          connection: 'close',
        },
        body: JSON.stringify(body),
      })
      const events: Json[] = []
      for await (const event of Stream.fromSSEResponse<Json>(response, abort)) events.push(event)
      expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()])
      expect(events.at(-1).type).toBe('response.completed')
    }
  },
)

it('raises what fails in mid-stream', async () => {
  const server = await testServer()
  const { text } = await server.oneShot({ input: '[[fail=3]]', stream: true })
  const abort = new AbortController()
  const read = async () => {
    for await (const _ of Stream.fromSSEResponse(new Response(text), abort));
  }
  await expect(read()).rejects.toThrow('The generation failed')
})
