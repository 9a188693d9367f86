import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hostileReport } from '../../../reports/test-support/hostile.ts'
import { reportToJson } from '../../../reports/text/digest.ts'
import { reportOf, resultOf } from '../../conformance/test-support/reports.ts'
import { emptyFolder } from '../test-support/chatgen.ts'
import { resultAt, withParts } from './results.ts'
import { type Runner, Session } from './session.ts'

const older = reportToJson(hostileReport('plain').report)
const newer = older.replace(/"startedAt": *"[^"]*"/, '"startedAt": "2026-02-03T04:05:06.000Z"')

function sessionWith(runner: Runner) {
  const folder = emptyFolder()
  const part = join(folder, 'part-1')
  mkdirSync(part, { recursive: true })
  for (const one of [folder, part]) writeFileSync(join(one, 'report.json'), older)
  const result = resultAt('check', folder)
  result.parts = [{ name: 'part-1', ...hostileReport('plain') }]
  return { session: new Session([result], runner), part, folder }
}

const version = { args: ['--version'], env: process.env, isPrinted: false }

/** Resolves when the run has ended. */
async function runAll(session: Session): Promise<void> {
  expect(session.start('all')).toBe(true)
  await expect.poll(() => session.running).toBeNull()
}

test('parts stay if a run of everything replaced no report', async () => {
  const { session, part } = sessionWith(() => version)
  await runAll(session)
  expect(session.results[0]?.parts).toHaveLength(1)
  expect(existsSync(part)).toBe(true)
})

test('parts are removed when a run of everything replaced the report', async () => {
  const { session, part, folder } = sessionWith((run) => {
    writeFileSync(join(run.folder, 'report.json'), newer)
    return version
  })
  await runAll(session)
  expect(session.results[0]?.parts).toEqual([])
  expect(existsSync(part)).toBe(false)
  expect(existsSync(join(folder, 'report.json'))).toBe(true)
})

test('a strict check is violated as long as a warning that is no part stays', () => {
  const [one, other] = (['V3-SSE-07', 'V3-SSE-30'] as const).map((id) =>
    resultOf(id, { verdict: 'warn' }),
  )
  const checked = (...requirements: (typeof one)[]) => {
    const report = reportOf(
      requirements.flatMap((own) => own ?? []),
      { strict: true },
    )
    return { report, exchanges: new Map() }
  }
  const part = { name: 'part-1', ...checked(one && { ...one, verdict: 'pass' }) }
  expect(withParts(checked(one, other), [part]).report.outcome).toBe('violated')
  expect(withParts(checked(one), [part]).report.outcome).toBe('incomplete')
})
