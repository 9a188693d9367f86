import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { seededDraw } from '../../reference-server/runtime/random.ts'
import { serve } from '../foreign/programs.ts'
import { differences, emptyLedger, writeUntil } from './acknowledged.ts'

const [kills, clients, maxDelayMs, key] = [8, 4, 300, 'sk-kill-sqlite-4711']

test('a SQLite store contains all acknowledged writes after its server is killed', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'chatgen-kill-')), 'store.sqlite')
  const start = () => serve('--key', key, '--store', `sqlite:${file}`)
  const draw = seededDraw(1, 'kills')
  let ledger = emptyLedger()
  for (let kill = 0; kill < kills; kill += 1) {
    const server = await start()
    const target = { url: () => server.url, key }
    expect(await differences(target, ledger)).toEqual([])
    ledger = emptyLedger()
    const stop = new AbortController()
    const writing = Array.from({ length: clients }, () => writeUntil(stop.signal, target, ledger))
    while (ledger.uploads.size === 0) await sleep(1)
    await sleep(draw() * maxDelayMs)
    await server.stop('SIGKILL')
    stop.abort()
    await Promise.all(writing)
    expect(integrityOf(file)).toEqual(['ok'])
  }
  const last = await start()
  expect(await differences({ url: () => last.url, key }, ledger)).toEqual([])
  await last.stop()
}, 120_000)

/** Result of PRAGMA integrity_check: `ok`, or the problems. */
function integrityOf(file: string): readonly unknown[] {
  const database = new DatabaseSync(file)
  try {
    return database
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => row['integrity_check'])
  } finally {
    database.close()
  }
}
