import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { targetFixture } from '../../fixtures/files.ts'
import { type ReferenceServerOptions, startReferenceServer } from '../library/index.ts'
import { type Ended, workplace } from './test-support/chatgen.ts'
import {
  type Answer,
  type Middleman,
  type ProxiedRequest,
  startProxy,
} from './test-support/servers.ts'

/** Compares docs/disputes.md with real output. */

const page = readFileSync(new URL('../../docs/disputes.md', import.meta.url), 'utf8')
const excerpts = [...page.matchAll(/<!-- evidence: (.+) -->\n```\n([\s\S]*?)\n```/g)].map(
  ([, name = '', text = '']) => ({ name, text }),
)

test('docs/disputes.md has evidence for each dispute', () => {
  expect(excerpts.map(({ name }) => name)).toEqual(Object.keys(disputes))
})

test.concurrent.for(excerpts)('$name', { timeout: 240_000 }, async ({ name, text }) => {
  const dispute = disputes[name] ?? { flags: '' }
  const { stdout, code } = await have(dispute)
  for (const paragraph of text.split('\n\n'))
    expect(timeless(stdout)).toContain(timeless(paragraph))
  expect(code).toBe(text.includes('INCOMPLETE') ? 5 : 0)
  if (name !== 'a slow model, with patience')
    expect(page).toContain(`--target target.yaml ${dispute.flags}`)
})

function timeless(text: string): string {
  return text.replaceAll(/\d+ ms/g, '… ms')
}

/** A situation in which an implementer and a report may disagree; docs/disputes.md describes each. */
interface Dispute {
  readonly server?: ReferenceServerOptions
  readonly proxy?: Middleman
  /** Further arguments of `chatgen check --target target.yaml`. */
  readonly flags: string
}

const disputes: Readonly<Record<string, Dispute>> = {
  'a proxy that buffers': {
    server: { pace: 'ttft=100ms,gap=30ms' },
    proxy: {},
    flags: "--only 'V3-SSE-0*' --only V3-SSE-30 --verbose",
  },
  'a rate limit': {
    proxy: { instead: limited },
    flags: "--only 'V3-CHAT-0*' --jobs 1",
  },
  'another error shape': {
    server: { dialects: ['errors-with-detail'] },
    flags: "--only 'OAI-ERR-*' --only V3-IDEM-01 --only V3-CHAT-14 --verbose",
  },
  'a slow model': {
    server: { pace: 'ttft=1500ms' },
    flags: "--only 'OAI-CHAT-0*' --timeout 1000 --jobs 1",
  },
  'a slow model, with patience': {
    server: { pace: 'ttft=1500ms' },
    flags: "--only 'OAI-CHAT-0*' --timeout 30000 --depth quick",
  },
  'a chat list under items': {
    server: { dialects: ['lists-under-items'] },
    flags: "--only 'V3-CHAT-0*' --verbose",
  },
}

/** Reproduces the dispute with the real CLI. */
async function have({ server, proxy, flags }: Dispute): Promise<Ended> {
  const keys = ['sk-dispute-4711-of-ours', 'sk-dispute-4712-of-another']
  const reference = await startReferenceServer({ keys, ...server })
  try {
    await using between = proxy && (await startProxy(reference.url, proxy))
    const baseUrl = between?.url ?? reference.url
    const profile = targetFixture().text.replace(/^baseUrl: .*$/m, `baseUrl: ${baseUrl}`)
    const env = { CHATGEN_API_KEY: keys[0] ?? '', CHATGEN_OTHER_KEY: keys[1] ?? '' }
    const { run } = workplace(env, { 'target.yaml': profile })
    return await run(`check --target target.yaml --seed dispute ${flags}`)
  } finally {
    await reference.close()
  }
}

function limited({ path }: ProxiedRequest): Answer | undefined {
  if (!path.startsWith('/api/v3/message/generate')) return undefined
  const headers = { 'content-type': 'application/json', 'retry-after': '0' }
  return { status: 429, headers, body: Buffer.from('{"error":"too many requests"}') }
}
