import { expect, it } from 'vitest'
import { encodeBlock, type SseBlock } from '../events/sse.ts'
import type { Call, Reply } from '../http/call.ts'
import type { Patch } from '../services.ts'
import { allRoutes } from '../surfaces/all-routes.ts'
import { countingIds, testServer } from '../test-support/server.ts'
import { isCallOf, tour } from '../test-support/tour.ts'
import type { OperationExamples } from './document.ts'

it('the examples are what the server answers: vitest --update=all writes them', async () => {
  const exchanges: SeenExchange[] = []
  const server = await testServer({
    clock: { now: () => Date.UTC(2026, 0, 2, 3, 4, 5), sleep: async () => {} },
    ids: countingIds(),
    patch: watched(exchanges),
  })
  await tour(server)
  const examples = allRoutes(server.services).map((route) => {
    const own = exchanges.filter(({ call, reply }) => isCallOf(route, call) && reply.status < 300)
    return [`${route.method} ${route.path}`, exampleOf(own)] as const
  })
  const lines = examples.map(([route, own]) => `${JSON.stringify(route)}: ${JSON.stringify(own)}`)
  await expect(`{\n${lines.join(',\n')}\n}\n`).toMatchFileSnapshot('./examples.json')
}, 60_000)

interface SeenExchange {
  readonly call: Call
  readonly reply: Reply
  readonly blocks: SseBlock[]
}

function watched(exchanges: SeenExchange[]): Patch {
  return (services) => ({
    ...services,
    outgoing: (call, reply) => {
      const one: SeenExchange = { call, reply, blocks: [] }
      exchanges.push(one)
      return 'blocks' in reply ? { ...reply, blocks: kept(reply.blocks, one.blocks) } : reply
    },
  })
}

async function* kept(blocks: AsyncIterable<SseBlock>, into: SseBlock[]) {
  for await (const block of blocks) {
    into.push(block)
    yield block
  }
}

const maxBlocks = 3

function exampleOf(exchanges: readonly SeenExchange[]): OperationExamples {
  const value = exchanges.find(({ reply }) => !('blocks' in reply))
  const stream = exchanges.find(({ reply }) => 'blocks' in reply)
  const request = value?.call.file === undefined ? value?.call.body : undefined
  return {
    ...(request === undefined ? {} : { request }),
    ...(value === undefined || 'blocks' in value.reply || value.reply.body === undefined
      ? {}
      : { answer: value.reply.body }),
    ...(stream === undefined
      ? {}
      : { stream: stream.blocks.slice(0, maxBlocks).map(textOf).join('') }),
  }
}

function textOf(block: SseBlock): string {
  return Buffer.from(encodeBlock(block)).toString()
}
