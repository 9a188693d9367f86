import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parsePace, startReferenceServer } from '../../../reference-server/index.ts'
import { check, referenceProfile, temporaryFolder } from '../test-support/check.ts'
import { createdEntries, readJournal } from './journal.ts'

/** Leftovers are distinguished from other people's resources by name. */
test('all that a run creates is named with its tag', async () => {
  const keys = ['one-throw-away-key', 'another-throw-away-key']
  const server = await startReferenceServer({ pace: parsePace('ttft=2ms,gap=1ms'), keys })
  const outDir = temporaryFolder()
  try {
    await check(referenceProfile(server.url, keys), {
      outDir,
      only: ['*ATT*', 'KB-*', 'V3-CHAT-*', 'V2-MSG-*', 'V3-AUTH-*', 'VER-*'],
    })
  } finally {
    await server.close()
  }
  const journal = readJournal(join(outDir, 'journal.ndjson'))
  const created = journal.entries.filter(({ event }) => event === 'create')
  const kinds = new Set(created.map(({ kind }) => kind))
  expect(kinds).toEqual(new Set(['chat', 'v2 chat', 'attachment', 'document']))
  const names = [...created, ...createdEntries(journal)].map((entry) =>
    'name' in entry ? entry.name : '',
  )
  expect(names.filter((name) => !name.includes(journal.head.tag))).toEqual([])
})
