import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { conformanceReport } from '../../../contract/report/conformance.ts'
import { readJournal } from '../../conformance/cleanup/journal.ts'
import { chatgen, emptyFolder, start } from '../test-support/chatgen.ts'
import { key, startModelsServer } from '../test-support/models-server.ts'
import { endsAtSecondPress } from '../test-support/second-press.ts'

/** Interrupts of a run against a target that stops answering, by the real bin. */

const withKey = { CHATGEN_API_KEY: key }
/** Rows that need no profile: a URL is checked without finding anything out first. */
const rows = ['--only', 'OAI-CHAT-*', '--only', 'V3-CHAT-*']
/** Requests that detect the target. */
const requestCount = 3
/** The time-out of a request is a minute. */
const patienceMs = 20_000

async function silentRun(args: readonly string[] = []) {
  const folder = emptyFolder()
  const waits = Promise.withResolvers<void>()
  const server = await startModelsServer({
    silentAfter: requestCount,
    onRequest: (count) => count > requestCount && waits.resolve(),
  })
  const run = start(['check', server.url, ...rows, '--out', 'results', ...args], withKey, folder)
  await waits.promise
  return { run, server, folder, results: join(folder, 'results') }
}

describe('a run whose target is silent', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('is ended by %s, with a report', async (signal) => {
    const { run, server, results } = await silentRun()
    await using _ = server
    const before = Date.now()
    run.child.kill(signal)
    const { code, stdout } = await run.ended
    expect(Date.now() - before).toBeLessThan(patienceMs)
    expect(code).toBe(130)
    expect(stdout).toContain('interrupted: partial results')
    const report = conformanceReport.parse(
      JSON.parse(readFileSync(join(results, 'report.json'), 'utf8')),
    )
    expect(report).toMatchObject({ interrupted: true, outcome: 'incomplete', faults: [] })
    const undecided = report.requirements.filter(({ verdict }) => verdict !== 'pass')
    expect(undecided.length).toBeGreaterThan(0)
    for (const { message } of undecided) expect(message).toContain('interrupted')
  })

  test('is ended at once by a second SIGINT, and can still be tidied up after', async () => {
    const { run, server, folder, results } = await silentRun()
    await using _ = server
    await endsAtSecondPress(run)
    expect(readJournal(join(results, 'journal.ndjson')).head.tag).toMatch(/^chatgen-/)
    const again = await chatgen(['rejudge', 'results', '--quiet'], {}, folder)
    expect(again.stdout).toMatch(/^INCOMPLETE/)
  })

  test('is ended while it asks who is there', async () => {
    const met = Promise.withResolvers<void>()
    await using server = await startModelsServer({ silentAfter: 0, onRequest: () => met.resolve() })
    const run = start(['check', server.url, ...rows], withKey)
    await met.promise
    const before = Date.now()
    run.child.kill('SIGINT')
    const { code, stderr } = await run.ended
    expect(Date.now() - before).toBeLessThan(patienceMs)
    expect(stderr).toBe('chatgen: interrupted before the first scenario\n')
    expect(code).toBe(130)
  })
})
