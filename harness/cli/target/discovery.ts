import { join } from 'node:path'
import { count } from '../../../reports/text/format.ts'
import { DiscoverySpentError } from '../../conformance/errors.ts'
import type { InitOptions, InitResult } from '../../conformance/init/init.ts'
import { loadProfile, type TargetProfile } from '../../conformance/profile/index.ts'
import { type Selection, surfacesOfProfile } from '../../conformance/profile/selection.ts'
import { surfaceCredentials } from '../../conformance/session/credentials.ts'
import { reportLeftovers } from '../check/leftovers.ts'
import type { Io } from '../terminal/io.ts'
import { ambientKey } from './key.ts'

/** Request budget of a discovery, which takes about twenty without retries. */
const maxDiscoveryRequests = 60

export interface DiscoveryOptions {
  readonly selection: Selection
  /** Results folder of the run, which exists. */
  readonly out: string
  readonly quiet: boolean
  readonly maxRequests: number | undefined
  /** Seed of the run. */
  readonly seed: string | undefined
}

export interface Discovered {
  readonly profile: TargetProfile
  readonly requests: number
}

/**
 * Probes a target of which only the URL is known, as `chatgen init` does, and completes its profile.
 * `deterministic` is not taken over: two equal answers are no promise.
 * @throws TargetUnusableError if the service does not answer; the reason of the signal if it is aborted
 */
export async function discover(
  profile: TargetProfile,
  { selection, out, quiet, maxRequests = Number.POSITIVE_INFINITY, seed }: DiscoveryOptions,
  io: Io,
): Promise<Discovered> {
  const report = (text: string) => {
    if (!quiet) io.err(`discovery: ${text}`)
  }
  if (maxRequests < 2 * maxDiscoveryRequests) {
    report(`skipped, because of --max-requests ${maxRequests}`)
    return { profile, requests: 0 }
  }
  const { initProfile } = await import('../../conformance/init/init.ts')
  const journalFile = join(out, 'discovery.journal.ndjson')
  const options: InitOptions = {
    profile,
    keyEnv: ambientKey,
    journalFile,
    signal: io.signal,
    surfaces: surfacesOfProfile(selection.profile),
    maxRequests: maxDiscoveryRequests,
    ...(seed === undefined ? {} : { tag: `chatgen-${seed}` }),
  }
  try {
    const found = await initProfile(options)
    const { requests, generations } = found.cost
    report(
      `${count(requests, 'request')}, ${count(generations, 'generation')}; detected ${detectedNames(found)}`,
    )
    return { profile: mergeDetected(profile, found), requests }
  } catch (error) {
    if (!(error instanceof DiscoverySpentError)) throw error
    report(`stopped after ${maxDiscoveryRequests} requests; its results are discarded`)
    return { profile, requests: maxDiscoveryRequests }
  } finally {
    reportLeftovers(journalFile, io)
  }
}

function mergeDetected(given: TargetProfile, { text }: InitResult): TargetProfile {
  const environment = { [ambientKey]: surfaceCredentials(given).openai }
  const found = loadProfile({ name: 'detected profile', text }, environment)
  const { models, capabilities, v2Chat, shapes, requests } = found
  return {
    ...given,
    models,
    capabilities,
    shapes,
    requests,
    ...(v2Chat === undefined ? {} : { v2Chat }),
  }
}

function detectedNames({
  detection: { surfaces, deterministic: _, ...probes },
}: InitResult): string {
  const usable = Object.entries(surfaces).filter(([, { usable }]) => usable)
  const found = Object.entries(probes).filter(([, { value }]) => value !== undefined)
  return [...usable, ...found].map(([name]) => name).join(', ')
}
