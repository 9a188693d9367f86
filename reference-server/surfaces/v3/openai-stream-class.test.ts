/** The stream readers of the official client on the v3 stream, as an independent oracle. */
import { ResponseStream } from 'openai/lib/responses/ResponseStream'
import { Stream } from 'openai/streaming'
import { expect, it } from 'vitest'
import { assistants } from '../../answering/assistant-context.ts'
import { testServer } from '../../test-support/server.ts'
import { readBlocks } from '../../test-support/sse.ts'

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

it('raises what fails in mid-stream', async () => {
  const server = await testServer()
  const { text } = await server.oneShot({ input: '[[fail=3]]', stream: true })
  const abort = new AbortController()
  const read = async () => {
    for await (const _ of Stream.fromSSEResponse(new Response(text), abort));
  }
  await expect(read()).rejects.toThrow('The generation failed')
})
