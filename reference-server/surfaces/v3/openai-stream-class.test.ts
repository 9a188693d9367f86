/** The official client's stream reader and accumulator over the v3 stream: an oracle that is not ours. */
import { ResponseStream } from 'openai/lib/responses/ResponseStream'
import { expect, it } from 'vitest'
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
])('accumulates %j to our final response', async (input) => {
  const server = await testServer()
  for (const think of [false, true]) {
    const chat_id = await server.newChat()
    const { text } = await server.generate({ chat_id, input, think, stream: true })
    const final = JSON.parse(readBlocks(text).at(-1)?.data ?? '').response
    expect(await accumulated(text)).toMatchObject(final)
  }
})
