/**
 * Kills a server on a SQLite file with SIGKILL at random moments while clients write to it, and compares
 * the file with what the server acknowledged, after each kill.
 *
 *   node scripts/store/kill-sqlite.ts [--kills 200] [--seed 1] [--clients 4]
 *
 * Ends with 1 if the file does not open, fails PRAGMA integrity_check, or lacks what was acknowledged.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededDraw } from '../../reference-server/runtime/random.ts'
import { serve } from '../foreign/programs.ts'
import { optionsOf } from '../options.ts'
import { differences, emptyLedger, type Ledger, writeUntil } from './acknowledged.ts'

const values = optionsOf(import.meta, { kills: 200, seed: 1, clients: 4 })
const key = 'sk-kill-sqlite-4711'
const maxDelayMs = 300
const draw = seededDraw(values.seed, 'kills')
const folder = mkdtempSync(join(tmpdir(), 'chatgen-kill-'))
const file = join(folder, 'store.sqlite')
const sum = { kills: 0, chats: 0, deleted: 0, answers: 0, cut: 0, uploads: 0 }
let failed = 0

try {
  let ledger = emptyLedger()
  while (sum.kills < values.kills) ledger = await oneLife(ledger)
  const last = await start()
  report(await differences({ url: () => last.url, key }, ledger))
  await last.stop()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(
  `${sum.kills} kills: ${sum.chats} chats, ${sum.deleted} deletions, ${sum.answers} answers and ${sum.uploads} files acknowledged, ${sum.cut} turns cut; ${failed} kills with a loss`,
)
process.exitCode = failed > 0 ? 1 : 0

/** Starts a server, checks what the previous one acknowledged, writes to it, and kills it. */
async function oneLife(before: Ledger): Promise<Ledger> {
  const server = await start()
  const target = { url: () => server.url, key }
  report(await differences(target, before))
  const ledger = emptyLedger()
  const stop = new AbortController()
  const clients = Array.from({ length: values.clients }, () =>
    writeUntil(stop.signal, target, ledger),
  )
  while (ledger.uploads.size === 0) await sleep(1)
  await sleep(draw() * maxDelayMs)
  await server.stop('SIGKILL')
  stop.abort()
  await Promise.all(clients)
  sum.kills += 1
  count(ledger)
  report(integrityProblems(file))
  return ledger
}

function report(problems: readonly string[]): void {
  if (problems.length === 0) return
  failed += 1
  console.log(`kill ${sum.kills}: ${problems.slice(0, 5).join('\n  ')}`)
}

function start() {
  return serve('--key', key, '--store', `sqlite:${file}`)
}

function count({ chats, deleted, turns, uploads }: Ledger): void {
  sum.chats += chats.size
  sum.deleted += deleted.size
  sum.uploads += uploads.size
  for (const { answer } of turns) {
    if (answer === undefined) sum.cut += 1
    else sum.answers += 1
  }
}

/** Everything but `ok` in the result of PRAGMA integrity_check. */
export function integrityProblems(file: string): readonly string[] {
  const database = new DatabaseSync(file)
  try {
    const rows = database.prepare('PRAGMA integrity_check').all()
    return rows.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok')
  } finally {
    database.close()
  }
}
