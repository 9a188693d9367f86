import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { loadReport } from '../../../contract/report/load/report.ts'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { createdEntries, openEntries, readJournal } from '../../conformance/cleanup/journal.ts'
import { chatgen, chatsOn, emptyFolder, start } from '../test-support/chatgen.ts'

vi.setConfig({ testTimeout: 120_000 })

const patience = { timeout: 80_000, interval: 10 }

/** Chats of a load run on its target and their cleanup, with the real CLI. */

async function run(...args: readonly string[]) {
  const server = await startReferenceServer()
  onTestFinished(() => server.close())
  const [key = ''] = server.keys
  const env = { CHATGEN_API_KEY: key }
  const folder = emptyFolder()
  const results = join(folder, 'chatgen-results')
  return {
    ...start(['load', server.url, '--seed', 'same', ...args], env, folder),
    ...{ key, results, journal: join(results, 'journal.ndjson') },
    again: (more: readonly string[]) => chatgen(more, env, folder),
    chats: () => chatsOn(server.url, key),
  }
}

function createdIn(file: string): number {
  if (!existsSync(file) || !readFileSync(file, 'utf8').includes('\n')) return 0
  return createdEntries(readJournal(file)).length
}

describe('the chats of a load run', () => {
  test.each([
    ['prepared', ['--rate', '20', '--mix', 'v3-stream', '--duration', '60s'], 100],
    // A closed loop prepares 200, and creates others on demand.
    ['made on the way', ['--concurrency', '8', '--mix', 'v3-json', '--duration', '60s'], 200],
  ])('that was killed are found by its journal: %s', async (how, args, enough) => {
    const killed = await run(...args)
    await vi.waitFor(
      () => expect(createdIn(killed.journal)).toBeGreaterThanOrEqual(enough),
      patience,
    )
    const open = () => openEntries(readJournal(killed.journal)).length
    if (how === 'made on the way') {
      await vi.waitFor(() => expect(open()).toBeGreaterThan(320), patience)
    }
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(await killed.chats()).not.toEqual([])

    const { code, stdout } = await killed.again(['cleanup', killed.journal])
    expect(stdout).toContain('run chatgen-load-same against http://')
    expect(stdout).toContain('deleted or already gone')
    expect(code).toBe(0)
    expect(await killed.chats()).toEqual([])
    expect(readFileSync(killed.journal, 'utf8')).not.toContain(killed.key)
  })

  test.each([
    ['prepared', ['--rate', '20', '--mix', 'v3', '--duration', '1s']],
    ['made on the way', ['--concurrency', '8', '--mix', 'v3-json', '--duration', '3s']],
  ])('are gone with it and with its journal: %s', async (_, args) => {
    const whole = await run(...args)
    await whole.ended
    const report = loadReport.parse(
      JSON.parse(readFileSync(join(whole.results, 'report.json'), 'utf8')),
    )
    expect(report.notes).toEqual([])
    expect(readdirSync(whole.results).toSorted()).toEqual(['report.json', 'requests.ndjson'])
    expect(await whole.chats()).toEqual([])
  })

  test('are gone where it was interrupted while it made them', async () => {
    const interrupted = await run('--rate', '200', '--mix', 'v3-stream', '--duration', '60s')
    await vi.waitFor(() => expect(createdIn(interrupted.journal)).toBeGreaterThan(19), patience)
    interrupted.child.kill('SIGINT')
    expect((await interrupted.ended).code).toBe(130)
    expect(await interrupted.chats()).toEqual([])
    expect(existsSync(interrupted.journal)).toBe(false)
  })
})
