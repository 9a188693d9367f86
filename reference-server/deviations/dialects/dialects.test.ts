/** Dialects as such: their names, how they combine, and that streams are framed otherwise and say the same. */
import { describe, expect, it } from 'vitest'
import { SseScanner } from '../../../harness/judges/index.ts'
import { composeServices } from '../../compose.ts'
import type { SseBlock } from '../../events/sse.ts'
import type { Call } from '../../http/call.ts'
import type { Patch } from '../../services.ts'
import { combineDialects } from './combination.ts'
import { dialects } from './index.ts'
import { framing, lineEnds, segments } from './wire/framing.ts'

describe('dialects', () => {
  it('have names of their own, in kebab case', () => {
    const names = dialects.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)+$|^slow$/.test(name))).toEqual([])
  })

  it('exclude dialects that exist', () => {
    const names = new Set(dialects.map(({ name }) => name))
    expect(dialects.flatMap(({ excludes = [] }) => excludes).filter((n) => !names.has(n))).toEqual(
      [],
    )
  })
})

describe('combineDialects', () => {
  const seeds = Array.from({ length: 300 }, (_, seed) => seed)
  const chosenBy = (seed: number) => combineDialects(seed).summary.split(', ')

  it('makes the same server of the same seed, and others of others', () => {
    expect(seeds.map(chosenBy)).toEqual(seeds.map(chosenBy))
    expect(new Set(seeds.map((seed) => combineDialects(seed).summary)).size).toBeGreaterThan(290)
    expect(new Set(seeds.flatMap(chosenBy)).size).toBe(dialects.length)
  })

  it('never joins what contradicts each other', () => {
    for (const seed of seeds) {
      const chosen = dialects.filter(({ name }) => chosenBy(seed).includes(name))
      const names = chosen.map(({ name }) => name)
      expect(chosen.length).toBeGreaterThanOrEqual(3)
      const excluded = new Set(chosen.flatMap(({ excludes = [] }) => excludes))
      expect(names.filter((name) => excluded.has(name))).toEqual([])
    }
  })

  it('keeps all that the profiles say', () => {
    const both = seeds
      .map((seed) => ({ chosen: chosenBy(seed), profile: combineDialects(seed).profile }))
      .filter(({ chosen }) => chosen.includes('chat-needs-a-folder'))
    expect(both).not.toEqual([])
    for (const { profile } of both) {
      expect(profile).toMatchObject({ requests: { createChat: { folder: 'inbox' } } })
    }
  })
})

describe('framing', () => {
  it.each([...framing, ...lineEnds])('$name: other bytes, the same events', async ({ patch }) => {
    const plain = Buffer.concat(await piecesOf((services) => services))
    const other = Buffer.concat(await piecesOf(patch))
    expect(other.equals(plain)).toBe(false)
    expect(eventsIn(other)).toEqual(eventsIn(plain))
  })

  it.each(segments)('$name: other segments, the same bytes', async ({ patch }) => {
    const plain = await piecesOf((services) => services)
    const other = await piecesOf(patch)
    expect(other.map(({ length }) => length)).not.toEqual(plain.map(({ length }) => length))
    expect(Buffer.concat(other).equals(Buffer.concat(plain))).toBe(true)
  })
})

const blocks: readonly SseBlock[] = [
  { event: 'response.created', data: { type: 'response.created', response: { id: 'r', a: [] } } },
  {
    event: 'response.output_text.delta',
    data: { type: 'response.output_text.delta', delta: 'für' },
  },
  { data: { choices: [{ index: 0, delta: { content: '東京/🌦️' } }], id: 'c' } },
  { data: '[DONE]' },
]

/** Writes of the server for a stream of a few blocks. */
async function piecesOf(patch: Patch): Promise<Uint8Array[]> {
  const services = composeServices({ keys: ['key'], seed: 1, patch })
  const call: Call = {
    id: 'req_1',
    method: 'POST',
    path: '/api/v3/message/generate',
    params: {},
    headers: {},
    query: {},
    body: undefined,
    file: undefined,
    caller: 'caller-1',
    receivedNs: 0n,
    signal: new AbortController().signal,
  }
  const reply = services.outgoing(call, { status: 200, blocks: each(blocks) })
  if (!('blocks' in reply)) throw new Error('no stream any more')
  const pieces: Uint8Array[] = []
  for await (const piece of services.bytes(call, encoded(reply.blocks, services.encode))) {
    pieces.push(piece)
  }
  return pieces
}

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}

async function* encoded(
  blocks: AsyncIterable<SseBlock>,
  encode: (block: SseBlock) => Uint8Array,
): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) yield encode(block)
}

function eventsIn(bytes: Uint8Array): unknown[] {
  return new SseScanner()
    .feed(bytes, 0)
    .filter(({ data }) => data !== null)
    .map(({ name, data }) => [name, data === '[DONE]' ? data : JSON.parse(data ?? '')])
}
