/** Eleven broken streams, and the number of failed requests that each load generator reports of them. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../contract/error-message.ts'
import { type Middleman, startProxy } from '../../harness/cli/test-support/proxy.ts'
import { startReferenceServer } from '../../reference-server/index.ts'
import { columns } from '../../reports/text/columns.ts'
import { type Order, type Peer, path } from './peer.ts'

/** Changes the blocks of a stream; null cuts the connection. */
type Edit = (blocks: readonly string[]) => readonly (string | null)[]

const middle = 10
const isText = (block: string) => /"content":"[^"]/.test(block)
const isEnd = (block: string) => /"finish_reason":"/.test(block)
const errorEvent = 'data: {"error":{"message":"failed","type":"server_error"}}'

const edits: Readonly<Record<string, Edit>> = {
  'connection cut': (blocks) => [...blocks.slice(0, middle), null],
  'error event': (blocks) => [...blocks.slice(0, middle), errorEvent],
  'broken JSON': (blocks) =>
    blocks.map((block, at) => (at === middle ? block.slice(0, -8) : block)),
  'clean end in the middle': (blocks) => blocks.slice(0, middle),
  'text after the end': (blocks) => {
    const end = blocks.findIndex(isEnd)
    const last = blocks.findLast(isText) ?? ''
    return [...blocks.slice(0, end + 1), last, ...blocks.slice(end + 1)]
  },
  'another id': (blocks) =>
    blocks.map((block, at) => (at === middle ? block.replace(/"id":"/, '"id":"x') : block)),
  'no finish_reason': (blocks) => blocks.filter((block) => !isEnd(block)),
  'no [DONE]': (blocks) => blocks.filter((block) => !block.includes('[DONE]')),
  'a chunk twice': (blocks) =>
    blocks.flatMap((block, at) => (at === middle ? [block, block] : [block])),
  'two chunks exchanged': (blocks) => {
    const [first = '', second = ''] = blocks.slice(middle, middle + 2)
    return [...blocks.slice(0, middle), second, first, ...blocks.slice(middle + 2)]
  },
}

const refusal: Middleman = {
  instead: (request) =>
    request.path === path
      ? { status: 500, headers: {}, body: Buffer.from('{"error":{"message":"failed"}}') }
      : undefined,
}

const faults: Readonly<Record<string, Middleman>> = {
  none: {},
  'status 500': refusal,
  ...Object.fromEntries(Object.entries(edits).map(([name, edit]) => [name, middlemanOf(edit)])),
}

function middlemanOf(edit: Edit): Middleman {
  return {
    *pieces({ path: called }, { body }) {
      if (called !== path) return yield body
      const blocks = body.toString().split('\n\n').filter(Boolean)
      for (const block of edit(blocks)) {
        if (block === null) throw new Error('cut')
        yield Buffer.from(`${block}\n\n`)
      }
    },
  }
}

/** Prints a table of faults and peers: failed of all requests. */
export async function countNoticed(
  peers: readonly Peer[],
  plan: Omit<Order, 'url'>,
  run: (peer: Peer, order: Order) => Promise<unknown>,
): Promise<void> {
  const server = await startReferenceServer({ keys: [plan.key] })
  const rows: string[][] = []
  for (const [name, middleman] of Object.entries(faults)) {
    const proxy = await startProxy(server.url, middleman)
    const cells: string[] = []
    for (const peer of peers) {
      const folder = join(plan.folder, `${peer.name}-${name}`.replaceAll(/\W+/g, '-'))
      mkdirSync(folder, { recursive: true })
      const order = { ...plan, url: proxy.url, folder }
      const failures = run(peer, order).then(() => String(peer.failures(order)))
      cells.push(await failures.catch((error: unknown) => messageOf(error).slice(0, 40)))
    }
    await proxy[Symbol.asyncDispose]()
    rows.push([name, ...cells])
  }
  await server.close()
  const count = plan.rate * plan.seconds
  console.log(`\nFailed requests that each program reports, of ${count}\n`)
  console.log(columns([['', ...peers.map(({ name }) => name)], ...rows]).join('\n'))
}
