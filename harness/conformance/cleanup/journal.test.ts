import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { ConfigurationError } from '../errors.ts'
import { check, profileOf, temporaryFolder } from '../test-support/check.ts'
import {
  type JournalEntry,
  openEntries,
  parseJournal,
  readJournal,
  startJournal,
} from './journal.ts'

const head = '{"journal":1,"tag":"chatgen-5eed","kit":"0.1.0","baseUrl":"http://127.0.0.1:1"}'
const about = { kind: 'chat', name: 'Tavoru7316 chatgen-5eed', scenario: 'a' } as const
const id = '35921114-a1f2-4b07-ae7e-854423984a0f'

/** The journal of a killed run, with one chat in it. */
const killed = `${head}\n${JSON.stringify({ event: 'create', ...about })}\n`

function journalOf(...entries: readonly JournalEntry[]) {
  return parseJournal([head, ...entries.map((entry) => JSON.stringify(entry))].join('\n'), 'j')
}

describe('open entries', () => {
  const create = { event: 'create', ...about } as const
  const created = { event: 'created', ...about, id } as const
  const refused = { event: 'refused', ...about } as const
  const deleted = { event: 'deleted', kind: 'chat', id } as const

  test.each<[string, readonly JournalEntry[], readonly (string | null)[]]>([
    ['what was sent may have been created', [create], [null]],
    ['what was created has its id', [create, created], [id]],
    ['what was refused or deleted is not open', [create, refused, create, created, deleted], []],
    ['two of one name are two', [create, create, created], [null, id]],
  ])('%s', (_, entries, ids) => {
    expect(openEntries(journalOf(...entries))).toEqual(ids.map((id) => ({ ...about, id })))
  })
})

describe('a journal', () => {
  test('is read wherever a crash cut it', () => {
    const text = `${killed}${JSON.stringify({ event: 'created', ...about, id })}\n`
    fc.assert(
      fc.property(fc.integer({ min: head.length, max: text.length }), (length) => {
        const journal = parseJournal(text.slice(0, length), 'j')
        expect(journal.entries.length + journal.cutLines).toBeLessThanOrEqual(2)
        expect(openEntries(journal).length).toBeLessThanOrEqual(1)
      }),
    )
  })

  test.each([
    ['', 'its first line'],
    ['{"kind":"conformance-report"}\n', 'its first line'],
    [head.replace('chatgen-5eed', ''), 'its first line'],
    [`${head}\n{"event":"exploded"}\n`, 'j:2: not a line of a journal'],
  ])('is not %j', (text, sentence) => {
    expect(() => parseJournal(text, 'j')).toThrow(ConfigurationError)
    expect(() => parseJournal(text, 'j')).toThrow(sentence)
  })
})

describe('the journal of a run', () => {
  const only = ['V3-CHAT-01', 'V3-CHAT-03', 'V3-AUTH-*']

  test('says who wrote it, never the key, and leaves no chat open', {
    timeout: 60_000,
  }, async () => {
    const server = await startReferenceServer()
    const outDir = temporaryFolder()
    const [apiKey = ''] = server.keys
    try {
      const baseUrl = `${server.url}/${apiKey}/..`
      const report = await check(profileOf({ baseUrl, apiKey }), { outDir, only, seed: '5eed' })
      const text = readFileSync(join(outDir, 'journal.ndjson'), 'utf8')
      expect(text).not.toContain(apiKey)
      const journal = parseJournal(text, 'journal')
      expect(journal.head).toMatchObject({ tag: 'chatgen-5eed', kit: report.suite.version })
      const isChat = ({ kind }: { kind?: string }) => kind === 'chat'
      const created = journal.entries.filter((entry) => entry.event === 'created' && isChat(entry))
      expect(created.length).toBe(report.cost.chats)
      expect(openEntries(journal).filter(isChat)).toEqual([])
    } finally {
      await server.close()
    }
  })

  test('steps aside for the next run as long as chats are in it', { timeout: 60_000 }, async () => {
    const server = await startReferenceServer()
    const outDir = temporaryFolder()
    const file = join(outDir, 'journal.ndjson')
    const profile = profileOf({ baseUrl: server.url, apiKey: server.keys[0] })
    try {
      writeFileSync(file, `${killed}{"eve`)
      await check(profile, { outDir, only: ['OAI-MODELS-01'] })
      expect(openEntries(readJournal(join(outDir, 'journal-chatgen-5eed.ndjson')))).toHaveLength(1)
      await check(profile, { outDir, only: ['OAI-MODELS-01'] })
      expect(readdirSync(outDir).filter((name) => name.startsWith('journal'))).toHaveLength(2)
      expect(existsSync(file)).toBe(true)
    } finally {
      await server.close()
    }
  })
})

const anyProfile = profileOf({ baseUrl: 'http://127.0.0.1:1', apiKey: 'a-key-of-some-length' })
const setup = { profile: anyProfile, tag: 'chatgen-next', userAgent: 'test' }

test('no journal with chats in it is overwritten, however many runs of a name were killed', () => {
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

test('a journal that cannot be read is kept, and an empty or finished one is not', () => {
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
