import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConformanceReport } from '../../../../contract/report/conformance.ts'
import type { Patch } from '../../../../reference-server/services.ts'
import { exchangesName } from '../../../conformance/defaults.ts'
import { loadProfile, type TargetProfile } from '../../../conformance/profile/index.ts'
import type { ProfileName } from '../../../conformance/profile/selection.ts'
import { runConformance } from '../../../conformance/run.ts'
import type { Depth } from '../../../conformance/run-setup.ts'
import type { Engine } from '../../../conformance/vitest/engine.ts'
import type { ProofTarget } from '../../runs/target.ts'
import { startFront } from './front.ts'
import type { Rules } from './rules.ts'
import { type SecondServer, startSecondServer } from './server.ts'

/** A whole run against a new second server; `engine` stays warm between runs. */
export async function judgeSecondServer(
  changes: Partial<Rules>,
  {
    engine,
    only = [],
    profile = 'full',
    depth,
    jobs = 8,
    bare = false,
    front,
    read,
  }: JudgeOptions = {},
): Promise<ConformanceReport> {
  const server = await startSecondServer(changes)
  const proxy = front === undefined ? undefined : await startFront(server.url, front)
  const reached = { ...server, url: proxy?.url ?? server.url }
  const outDir = mkdtempSync(join(tmpdir(), 'chatgen-second-'))
  try {
    const report = await runConformance({
      profile: bare ? bareProfile(reached) : wholeProfile(reached),
      selection: { profile, only, skip: [] },
      outDir,
      seed: 'second',
      jobs,
      anyAnswer: true,
      ...(engine === undefined ? {} : { engine }),
      ...(depth === undefined ? {} : { depth }),
    })
    read?.(join(outDir, exchangesName))
    return report
  } finally {
    await proxy?.close()
    await server.close()
    rmSync(outDir, { recursive: true, force: true })
  }
}

export interface JudgeOptions {
  readonly engine?: Engine
  readonly only?: readonly string[]
  readonly profile?: ProfileName
  readonly depth?: Depth
  /** Scenarios in flight. */
  readonly jobs?: number
  /** True to check with a URL and a key alone. */
  readonly bare?: boolean
  /** A fault of the wire, applied by a proxy in front of the server. */
  readonly front?: Patch
  /** Reads the recorded exchanges. */
  readonly read?: (exchangesFile: string) => void
}

/** A second server that violates nothing. */
export async function openSecondServer(): Promise<ProofTarget> {
  const server = await startSecondServer({})
  return { profile: wholeProfile(server), close: () => server.close() }
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
  return loadProfile({ name: 'bare', text: '' }, {}, { baseUrl: url, apiKey: keys[0] })
}
