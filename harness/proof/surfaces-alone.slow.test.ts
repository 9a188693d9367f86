import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { targetFixture } from '../../fixtures/targets.ts'
import { type Patch, startReferenceServer } from '../../reference-server/index.ts'
import { loadProfile } from '../conformance/profile/index.ts'
import { runConformance } from '../conformance/run.ts'

/** Each profile alone, against a server that has only its surface. */

const prefixes = {
  openai: ['/api/openai/'],
  v2: ['/api/v2/'],
  v3: ['/api/v3/', '/api/knowledge'],
} as const

test.each(Object.keys(prefixes) as (keyof typeof prefixes)[])(
  'profile %s conforms where there is no other surface',
  async (surface) => {
    const server = await startReferenceServer({
      keys: ['sk-alone-first-1', 'sk-alone-second-2'],
      pace: { ttftMs: 2, gapMs: 1, jitter: 0 },
      patch: only(prefixes[surface]),
    })
    const environment = { CHATGEN_API_KEY: server.keys[0], CHATGEN_OTHER_KEY: server.keys[1] }
    const overrides = { baseUrl: server.url }
    try {
      const report = await runConformance({
        profile: loadProfile(targetFixture('reference'), environment, overrides),
        selection: { profile: surface, only: [], skip: [] },
        outDir: mkdtempSync(join(tmpdir(), 'chatgen-alone-')),
      })
      const undecided = report.requirements.filter(
        ({ level, verdict }) => level === 'required' && verdict !== 'pass',
      )
      expect(undecided.map(({ id, verdict, message }) => `${id} ${verdict}: ${message}`)).toEqual(
        [],
      )
      expect(report.outcome).toBe('conforms')
    } finally {
      await server.close()
    }
  },
  120_000,
)

/** Every path outside the prefixes is unknown. */
function only(kept: readonly string[]): Patch {
  return (parts) => ({
    ...parts,
    outgoing: (call, reply) =>
      kept.some((prefix) => call.path.startsWith(prefix))
        ? parts.outgoing(call, reply)
        : { status: 404, body: { error: { message: 'unknown' } } },
  })
}
