import { readFileSync } from 'node:fs'
import type { ConformanceReport } from '../../../../contract/report/conformance.ts'
import type { Patch } from '../../../../reference-server/services.ts'
import { loadProfile, type TargetProfile } from '../../../conformance/profile/index.ts'
import { check } from '../../../conformance/test-support/check.ts'
import type { Engine } from '../../../conformance/vitest/engine.ts'
import type { ProofTarget } from '../../runs/run-target.ts'
import { startFront } from './front.ts'
import { type SecondServer, startSecondServer } from './server.ts'

/** A whole run against a new second server; `isBare` checks with a URL and a key alone. */
export async function judgeSecondServer(
  engine: Engine,
  { isBare = false, ...place }: { readonly isBare?: boolean; readonly outDir?: string } = {},
): Promise<ConformanceReport> {
  const server = await startSecondServer()
  try {
    const profile = isBare ? bareProfile(server) : wholeProfile(server)
    return await check(profile, { seed: 'second', jobs: 4, engine, ...place })
  } finally {
    await server.close()
  }
}

/** A second server that violates nothing, behind a proxy that applies a fault to the wire, if there is one. */
export async function openSecondServer(front?: Patch): Promise<ProofTarget> {
  const server = await startSecondServer()
  const proxy = front === undefined ? undefined : await startFront(server.url, front)
  return {
    profile: wholeProfile({ ...server, url: proxy?.url ?? server.url }),
    close: async () => {
      await proxy?.close()
      await server.close()
    },
  }
}

export function wholeProfile(
  { url, keys }: Pick<SecondServer, 'url' | 'keys'>,
  more: Readonly<Record<string, unknown>> = {},
): TargetProfile {
  const text = readFileSync(new URL('target.yaml', import.meta.url), 'utf8')
  const environment = { SECOND_KEY: keys[0], SECOND_OTHER_KEY: keys[1] }
  return loadProfile({ name: 'target.yaml', text }, environment, { baseUrl: url, ...more })
}

function bareProfile({ url, keys }: SecondServer): TargetProfile {
  return loadProfile(
    { name: 'bare', text: '' },
    {},
    { baseUrl: url, apiKey: keys[0], limits: { settleMs: 500 } },
  )
}
