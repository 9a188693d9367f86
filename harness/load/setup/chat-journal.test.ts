import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { journalEntry } from '../../../contract/index.ts'
import { chatJournal } from './chat-journal.ts'

function emptyJournal() {
  const file = join(mkdtempSync(join(tmpdir(), 'chatgen-test-')), 'journal.ndjson')
  writeFileSync(file, '')
  const lines = () => readFileSync(file, 'utf8').split('\n').slice(0, -1)
  const entries = () => lines().map((line) => journalEntry.parse(JSON.parse(line)))
  return { file, entries }
}

test('a chat name is in the journal before it is used', () => {
  const { file, entries } = emptyJournal()
  const journal = chatJournal(file, 'chatgen-load-a ', [])
  for (let at = 0; at < 100; at += 1) {
    const name = journal.name()
    expect(entries()).toContainEqual({ event: 'create', kind: 'chat', name, scenario: 'load' })
  }
  expect(new Set(entries().map((entry) => JSON.stringify(entry))).size).toBe(entries().length)
})

test('chat journal entries are in order and contain no secrets', async () => {
  const { file, entries } = emptyJournal()
  const secrets = [{ name: 'api key', value: 'sesame-open' }]
  const journal = chatJournal(file, 'chatgen-load-sesame-open ', secrets)
  const name = journal.name()
  journal.created(name, 'one')
  journal.deleted('one')
  await journal.close()
  const changes = entries().filter(({ event }) => event === 'created' || event === 'deleted')
  expect(changes.map(({ event }) => event)).toEqual(['created', 'deleted'])
  expect(readFileSync(file, 'utf8')).not.toContain('sesame-open')
  // Names that were never used.
  const count = (event: string) => entries().filter((entry) => entry.event === event).length
  expect(count('refused')).toBe(count('create') - 1)
})

test('a journal that cannot be written is reported on close', async () => {
  const { file } = emptyJournal()
  const journal = chatJournal(join(file, 'below'), 'chatgen-load-a ', [])
  journal.deleted('one')
  expect(await journal.close()).toContain('ENOTDIR')
})
