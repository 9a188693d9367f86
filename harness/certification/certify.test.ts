import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { profileOf, temporaryFolder } from '../conformance/test-support/check.ts'
import { certify } from './certify.ts'
import { limitOfRaces } from './rules.ts'

const profileAt = (requestsPerSecond: number) =>
  profileOf({ baseUrl: 'http://127.0.0.1:1', limits: { requestsPerSecond } })

test('a rate limit that prevents requests at once is refused before anything is sent', async () => {
  const outDir = join(temporaryFolder(), 'bundle')
  const certification = certify({
    profile: profileAt(1),
    surfaces: 'v3',
    product: { vendor: 'A', name: 'B', version: '1', contact: 'a@example.org' },
    challenge: 'proof-challenge-8d1f20c4',
    key: generateKeyPairSync('ed25519').privateKey,
    outDir,
    write: () => {},
  })
  await expect(certification).rejects.toThrow(
    'limits.requestsPerSecond: 1 prevents the 2 requests at once that V3-IDEM-05 needs; set it to 2 or more',
  )
  expect(existsSync(outDir)).toBe(false)
})

test('it is none for surfaces without such a requirement, nor is a rate that allows a race', () => {
  expect(limitOfRaces(profileAt(1), 'openai')).toBe(undefined)
  expect(limitOfRaces(profileAt(2), 'full')).toBe(undefined)
})
