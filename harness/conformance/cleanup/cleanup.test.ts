import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forAll } from '../../../contract/test-support/for-all.ts'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { ended } from '../../client/test-support/listen-on-loopback.ts'
import { ConfigurationError } from '../errors.ts'
import { buildSetup } from '../run-options.ts'
import {
  type ChatServer,
  type Quirks,
  recordOf,
  startChatServer,
} from '../test-support/chat-server.ts'
import {
  check,
  exchangesIn,
  profileOf,
  referenceProfile,
  temporaryFolder,
} from '../test-support/check.ts'
import { idsOfRecords } from './auxiliary-client.ts'
import { auditLeftovers } from './cleanup.ts'
import { headLine, type JournalEntry, parseJournal, readJournal, startJournal } from './journal.ts'

test('a full run leaves no chats and journals all resources with its tag', {
  timeout: 60_000,
}, async () => {
  const server = ended(await startReferenceServer())
  const [apiKey = ''] = server.keys
  // A key may be part of the URL.
  const profile = referenceProfile(`${server.url}/${apiKey}/..`, server.keys)
  const outDir = temporaryFolder()
  const report = await check(profile, { outDir, jobs: 8, depth: 'quick', seed: '5eed' })
  expect(report.faults).toEqual([])
  expect(await chatsOf(server.url, apiKey)).toEqual([])
  const kinds = new Set(report.residue.map(({ kind }) => kind))
  expect(kinds).toEqual(new Set(['v2 chat', 'attachment', 'document']))
  expect(exchangesIn(outDir).filter(({ labels }) => 'endpoint' in labels)).toEqual([])
  const file = join(outDir, 'journal.ndjson')
  expect(readFileSync(file, 'utf8')).not.toContain(apiKey)
  const journal = readJournal(file)
  expect(journal.head).toMatchObject({ tag: 'chatgen-5eed', kit: report.suite.version })
  // Leftovers are distinguished from other people's resources by name.
  const names = journal.entries.flatMap((entry) => ('name' in entry ? [entry.name] : []))
  expect(names.filter((name) => !name.includes('chatgen-5eed'))).toEqual([])
  const chats = journal.entries.filter(({ event, kind }) => event === 'created' && kind === 'chat')
  expect(chats.length).toBeGreaterThanOrEqual(60)
  expect(chats.length).toBe(report.cost.chats)
  expect(journal.chats).toEqual([])
})

describe('the audit of leftovers', () => {
  const name = (nonce: string) => `${nonce} chatgen-5eed`

  test('deletes all resources of the run, with or without a known id', async () => {
    const { leftovers, server, open } = await audit({}, (server) => {
      server.add(name('Lost1'))
      server.add('Somebody else made this')
      return [
        ...made(server, name('Known1')),
        { event: 'create', kind: 'chat', name: name('Lost1'), scenario: 's' },
        { event: 'create', kind: 'chat', name: name('Never1'), scenario: 's' },
      ]
    })
    expect(leftovers).toEqual([])
    expect(open).toEqual([])
    expect([...server.chats.values()].map((chat) => chat.name)).toEqual(['Somebody else made this'])
  })

  test('deletes nothing if a list only echoes the search', async () => {
    const quirks: Quirks = {
      page: (found, search) => ({
        query: { search: search ?? name('Echo1') },
        items: [...found, { id: '99999999-2222-4333-8444-555555555555', name: 'x' }].map(recordOf),
      }),
    }
    const { leftovers, server } = await audit(quirks, (server) => {
      server.add('Somebody else made this')
      return [{ event: 'create', kind: 'chat', name: name('Echo1'), scenario: 's' }]
    })
    expect(leftovers).toEqual([])
    expect(server.requests.filter((line) => line.startsWith('DELETE'))).toEqual([])
  })

  test.each<[string, Quirks, string, number]>([
    ['does not answer', { answers: () => false }, 'did not answer GET /api/v3/chat/{chat_id}', 4],
    ['answers 503 to all requests', { status: 503 }, 'kept answering 503', 8],
  ])('stops early for a target that %s', async (_, quirks, why, maxRequests) => {
    const { leftovers, server } = await audit(quirks, (server) =>
      Array.from({ length: 30 }, (_, at) => made(server, name(`A${at}`))).flat(),
    )
    expect(leftovers).toHaveLength(30)
    expect(leftovers[0]?.why).toContain(`the target ${why}`)
    expect(server.requests.length).toBeLessThanOrEqual(maxRequests)
  })

  test('stays within the request budget and reports the rest', async () => {
    const reason = 'the budget of 60 requests (--max-requests) is spent'
    const lost = (server: ChatServer) => [
      ...made(server, name('Known1')),
      ...made(server, name('Known2')),
    ]
    const few = await audit({}, lost, { maxRequests: 60, spent: 56 })
    expect(few.server.requests).toHaveLength(4)
    expect(few.incompleteReason).toBe(reason)
    const none = await audit({}, lost, { maxRequests: 60, spent: 60 })
    expect(none.server.requests).toEqual([])
    expect(none.leftovers.map(({ why }) => why)).toEqual([reason, reason])
    const enough = await audit({}, lost, { maxRequests: 100, spent: 60 })
    expect(enough).toMatchObject({ leftovers: [], incompleteReason: null })
  })
})

async function audit(
  quirks: Quirks,
  arrange: (server: ChatServer) => readonly JournalEntry[],
  { maxRequests = null, spent = 0 }: { maxRequests?: number | null; spent?: number } = {},
) {
  const server = ended(await startChatServer(quirks))
  const folder = temporaryFolder()
  const profile = profileOf({ baseUrl: server.url, apiKey: server.key })
  const journalFile = join(folder, 'journal.ndjson')
  const head = headLine({ tag: 'chatgen-5eed', kit: '0', baseUrl: server.url }, String)
  const lines = arrange(server).map((line) => `${JSON.stringify(line)}\n`)
  writeFileSync(journalFile, head + lines.join(''))
  const selection = { profile: 'full', only: [], skip: [] } as const
  const limit = maxRequests === null ? {} : { maxRequests }
  const setup = buildSetup({ profile, selection, outDir: folder, seed: '5eed', ...limit }, [])
  setup.state.budget.requests = spent
  const found = await auditLeftovers(setup, false)
  return { ...found, server, open: readJournal(journalFile).open }
}

/** A chat on the server, as recorded in the journal of a run. */
function made(server: ChatServer, name: string): readonly JournalEntry[] {
  const id = server.add(name)
  const about = { kind: 'chat', name, scenario: 's' } as const
  return [
    { event: 'create', ...about },
    { event: 'created', ...about, id },
  ]
}

/** Ids of the chats of a client. */
async function chatsOf(url: string, key: string): Promise<string[]> {
  const response = await fetch(`${url}/api/v3/chat?limit=100`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const body: unknown = await response.json()
  return idsOfRecords(body, (text) => text.includes(' ')) ?? []
}

const head = '{"journal":1,"tag":"chatgen-5eed","kit":"0.1.0","baseUrl":"http://127.0.0.1:1"}'
const about = { kind: 'chat', name: 'Tavoru7316 chatgen-5eed', scenario: 'a' } as const
const id = '35921114-a1f2-4b07-ae7e-854423984a0f'

/** The journal of a killed run, with one chat in it. */
const killed = `${head}\n${JSON.stringify({ event: 'create', ...about })}\n`

const create = { event: 'create', ...about } as const
const created = { event: 'created', ...about, id } as const
const refused = { event: 'refused', ...about } as const
const deleted = { event: 'deleted', kind: 'chat', id } as const

test.each<[string, readonly JournalEntry[], readonly (string | null)[]]>([
  ['a request without a response may have created a chat', [create], [null]],
  ['a created chat has its id', [create, created], [id]],
  ['a refused or deleted chat is not open', [create, refused, create, created, deleted], []],
  ['two chats of the same name are two entries', [create, create, created], [null, id]],
])('open entries of a journal: %s', (_, entries, ids) => {
  const text = [head, ...entries.map((entry) => JSON.stringify(entry))].join('\n')
  expect(parseJournal(text, 'j').open).toEqual(ids.map((id) => ({ ...about, id })))
})

describe('a journal', () => {
  test('can be read after a crash at any byte', () => {
    const text = `${killed}${JSON.stringify({ event: 'created', ...about, id })}\n`
    forAll(fc.integer({ min: head.length, max: text.length }), (length) => {
      const journal = parseJournal(text.slice(0, length), 'j')
      expect(journal.entries.length + journal.cutLines).toBeLessThanOrEqual(2)
      expect(journal.open.length).toBeLessThanOrEqual(1)
    })
  })

  test.each([
    ['', 'its first line'],
    ['{"kind":"conformance-report"}\n', 'its first line'],
    [head.replace('chatgen-5eed', ''), 'its first line'],
    [`${head}\n{"event":"exploded"}\n`, 'j:2: not a line of a journal'],
  ])('rejects %j', (text, sentence) => {
    expect(() => parseJournal(text, 'j')).toThrow(ConfigurationError)
    expect(() => parseJournal(text, 'j')).toThrow(sentence)
  })
})

const anyProfile = profileOf({ baseUrl: 'http://127.0.0.1:1', apiKey: 'a-key-of-some-length' })
const setup = { profile: anyProfile, tag: 'chatgen-next', userAgent: 'test' }

test('journals of killed runs are never overwritten', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'journal.ndjson')
  const texts = Array.from({ length: 120 }, (_, at) => killed.replace('Tavoru7316', `chat ${at}`))
  for (const text of texts) {
    writeFileSync(file, text)
    startJournal(file, setup)
  }
  const kept = readdirSync(folder).filter((name) => name !== 'journal.ndjson')
  const keptTexts = kept.map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(keptTexts.toSorted()).toEqual(texts.toSorted())
})

test('an unreadable journal is kept, an empty or finished one is deleted', () => {
  const kept = (text: string) => {
    const folder = temporaryFolder()
    const file = join(folder, 'journal.ndjson')
    writeFileSync(file, text)
    startJournal(file, setup)
    expect(existsSync(file)).toBe(true)
    return readdirSync(folder).filter((name) => name !== 'journal.ndjson')
  }
  expect(kept(killed.replace('"create"', '"of another version"'))).toEqual([
    'journal-unreadable.ndjson',
  ])
  expect(kept('')).toEqual([])
  expect(kept(`${head}\n`)).toEqual([])
})
