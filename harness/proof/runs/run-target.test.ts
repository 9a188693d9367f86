import { describe, expect, test } from 'vitest'
import { combinationNamed, dialects } from '../../../reference-server/deviations/index.ts'
import { combinationCount } from './attempts.ts'
import { profileWith } from './run-target.ts'

const environment = { CHATGEN_API_KEY: 'sk-one', CHATGEN_OTHER_KEY: 'sk-two' }
const described = (changes: Readonly<Record<string, unknown>>) =>
  profileWith(changes, environment, 'http://127.0.0.1:1')

describe('the profile of a dialect', () => {
  test('changes one field and keeps those beside it', () => {
    const { requests } = described({ requests: { createChat: { folder: 'inbox' }, runs: null } })
    expect(requests.createChat).toEqual({ folder: 'inbox' })
    expect(requests.runs).toBeUndefined()
    expect(requests.upload).toEqual(described({}).requests.upload)
  })

  test('is valid for each dialect and each combination', () => {
    const combinations = Array.from({ length: combinationCount }, (_, at) =>
      combinationNamed(`combination-${at + 1}`),
    )
    const changes = [...dialects, ...combinations].map((one) => JSON.stringify(one?.profile ?? {}))
    expect(changes.length).toBeGreaterThan(combinationCount)
    for (const change of new Set(changes)) {
      expect(() => described(JSON.parse(change)), change).not.toThrow()
    }
  })
})
