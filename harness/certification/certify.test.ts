import { generateKeyPairSync } from 'node:crypto'
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Verdict } from '../../contract/report/conformance.ts'
import { profileOf, temporaryFolder } from '../conformance/test-support/check.ts'
import { reportOf, resultOf } from '../conformance/test-support/reports.ts'
import { writeInBundle } from './bundle.ts'
import { certify } from './certify.ts'
import { judgeRounds, refusedSettings } from './rules.ts'

const profileAt = (requestsPerSecond: number, headers = {}) =>
  profileOf({ baseUrl: 'http://127.0.0.1:1', headers, limits: { requestsPerSecond } })

test.each([
  [
    profileAt(1),
    'limits.requestsPerSecond: 1 prevents the 2 requests at once that V3-IDEM-05 needs; set it to 2 or more',
  ],
  [
    profileAt(9, { 'X-Tester': '1' }),
    'headers: X-Tester would distinguish the requests from those of users',
  ],
])(
  'certify rejects a setting that hides a violation before any request',
  async (profile, reason) => {
    const outDir = join(temporaryFolder(), 'bundle')
    const certification = certify({
      profile,
      surfaces: 'v3',
      product: { vendor: 'A', name: 'B', version: '1', contact: 'a@example.org' },
      challenge: 'proof-challenge-8d1f20c4',
      key: generateKeyPairSync('ed25519').privateKey,
      outDir,
      write: () => {},
    })
    await expect(certification).rejects.toThrow(reason)
    expect(existsSync(outDir)).toBe(false)
  },
)

test('refusedSettings is empty for other surfaces and for a rate that allows races', () => {
  expect(refusedSettings(profileAt(1), 'openai')).toEqual([])
  expect(refusedSettings(profileAt(2), 'full')).toEqual([])
})

test.each<[string, readonly Verdict[], object]>([
  ['warned in one round', ['warn', 'pass', 'pass'], { passed: [], warned: ['V3-SSE-07'] }],
  ['undecided in one', ['pass', 'unproven', 'pass'], { passed: [], undecided: ['V3-SSE-07'] }],
  ['warned or undecided in each', ['unproven', 'warn', 'unproven'], { undecided: [] }],
  ['passed in all', ['pass', 'pass', 'pass'], { passed: ['V3-SSE-07'] }],
])('an expected requirement that is %s has its worst result', (_, verdicts, lists) => {
  const reports = verdicts.map((verdict) => reportOf([resultOf('V3-SSE-07', { verdict })]))
  expect(judgeRounds(reports)).toMatchObject({ ...lists, refusals: [] })
})

test('writeInBundle rejects a full disk with advice and removes the file', () => {
  const folder = temporaryFolder()
  symlinkSync('/dev/full', join(folder, 'certificate'))
  const write = () => writeInBundle(folder, 'certificate', 'signed')
  expect(write).toThrow(/certificate: ENOSPC.*Free space/)
  expect(existsSync(join(folder, 'certificate'))).toBe(false)
})
