import { describe, expect, test } from 'vitest'
import { detectingServers, firstMilliseconds } from '../../../reference-server/deviations/index.ts'
import { check, sharedEngine } from '../../conformance/test-support/check.ts'
import { startDeviant } from '../runs/run-target.ts'
import { certifyTarget, openDetecting } from './certified.ts'

/** `npm run certify:truth` certifies all of them, and every dialect. */
const sample = detectingServers.filter(({ name }) =>
  ['by-wording', 'by-refused-requests'].includes(name),
)
const challenge = 'proof-challenge-8d1f20c4'

describe('a server that detects tests', () => {
  test.each(sample)(
    'is refused a certificate if it detects them $name',
    async (server) => {
      const { result } = await certifyTarget(
        { open: () => openDetecting(server), surfaces: 'openai', engine: sharedEngine },
        challenge,
      )
      expect(result.failed).toEqual(['OAI-CHAT-02'])
      expect(result.refusals.map(({ kind }) => kind)).not.toEqual([])
    },
    240_000,
  )

  test('by wording passes a check without certification', async () => {
    const [server] = sample.filter(({ name }) => name === 'by-wording')
    const target = await openDetecting(server ?? firstMilliseconds(0))
    try {
      const report = await check(target.profile, { only: ['OAI-CHAT-02'] })
      expect(report.requirements.map(({ verdict }) => verdict)).toEqual(['pass'])
    } finally {
      await target.close()
    }
  }, 60_000)

  test('for a limited time is refused if the rounds take longer', async () => {
    const { result } = await certifyTarget(
      {
        open: () => openDetecting(firstMilliseconds(3_000)),
        surfaces: 'openai',
        engine: sharedEngine,
        overMs: 5_000,
      },
      challenge,
    )
    expect(result.failed).toEqual(['OAI-CHAT-02'])
  }, 240_000)
})

/** Request ids of a run differ from its keys: if they were equal, such a server would pass. */
test('a round detects a server that uses request ids as Idempotency-Key', async () => {
  const target = await startDeviant((services) => ({
    ...services,
    incoming: (call) => ({ ...call, headers: { 'idempotency-key': call.id, ...call.headers } }),
  }))
  try {
    const options = { only: ['V3-IDEM-01'], incognito: true, seed: challenge }
    const report = await check(target.profile, options)
    expect(report.requirements.map(({ verdict }) => verdict)).toEqual(['fail'])
  } finally {
    await target.close()
  }
}, 60_000)
