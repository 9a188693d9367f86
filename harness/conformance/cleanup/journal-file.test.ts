import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { profileOf, temporaryFolder } from '../test-support/check.ts'
import { startJournal } from './journal-file.ts'

const profile = profileOf({ baseUrl: 'http://127.0.0.1:1', apiKey: 'a-key-of-some-length' })
const setup = { profile, tag: 'chatgen-next', userAgent: 'test' }

/** The journal of a killed run, with one chat in it. */
function journalOf(name: string): string {
  const head = { journal: 1, tag: 'chatgen-5eed', kit: '0.1.0', baseUrl: 'http://127.0.0.1:1' }
  const entry = { event: 'create', kind: 'chat', name, scenario: 'a' }
  return `${JSON.stringify(head)}\n${JSON.stringify(entry)}\n`
}

test('no journal with chats in it is overwritten, however many runs of a name were killed', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'journal.ndjson')
  const texts = Array.from({ length: 120 }, (_, at) => journalOf(`chat ${at}`))
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
  expect(kept(journalOf('a').replace('"create"', '"of another version"'))).toEqual([
    'journal-unreadable.ndjson',
  ])
  expect(kept('')).toEqual([])
  expect(kept(`${journalOf('a').split('\n')[0]}\n`)).toEqual([])
})
