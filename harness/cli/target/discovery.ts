import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type RequirementId, surfaces } from '../../../contract/index.ts'
import { count } from '../../../reports/text/format.ts'
import { readJournal } from '../../conformance/cleanup/journal.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import type { InitOptions, InitResult } from '../../conformance/init/init.ts'
import { probesFor, type SelectedProbes } from '../../conformance/init/probe.ts'
import { loadProfile, type TargetProfile } from '../../conformance/profile/index.ts'
import { surfaceCredentials } from '../../conformance/session/secrets.ts'
import type { Io } from '../terminal/io.ts'
import { ambientKey } from './target-flags.ts'

/** Request budget of a discovery, which takes about twenty without retries. */
const maxDiscoveryRequests = 60

interface DiscoveryOptions {
  readonly requirements: readonly RequirementId[]
  /** Results folder of the run, which exists. */
  readonly out: string
  readonly quiet: boolean
  readonly maxRequests: number | undefined
  /** Requests that finding the address took. */
  readonly requestsBefore: number
  readonly seed: string | undefined
}

/**
 * Requests that a bare URL takes before the run: up to four to find its compatible surface, a preflight of
 * four and a few for its models, and the preflight of the run.
 */
const minBareUrlRequests = 20

/** @throws ConfigurationError if a bare URL cannot be probed within the budget; nothing was sent */
export function refuseSmallBudget(maxRequests = Number.POSITIVE_INFINITY): void {
  if (maxRequests >= minBareUrlRequests) return
  throw new ConfigurationError([
    `--max-requests ${maxRequests} is too low for a bare URL, whose address and models take up to ${minBareUrlRequests} requests to find: raise it, or write a profile with chatgen init and pass it with --target`,
  ])
}

/**
 * Probes a target of which only the URL is known, as `chatgen init` does, and completes its profile
 * with what the requirements need. A small `maxRequests` limits probes to models, without which every
 * generation would name a model that the target may lack.
 * @returns the profile, and the number of requests so far, those before the discovery included
 * @throws TargetUnusableError if the service does not answer; the reason of the signal if it is aborted
 */
export async function discover(profile: TargetProfile, options: DiscoveryOptions, io: Io) {
  const { requirements, out, quiet, seed, requestsBefore } = options
  const { maxRequests = Number.POSITIVE_INFINITY } = options
  const report = (text: string) => {
    if (!quiet) io.err(`discovery: ${text}`)
  }
  const needed = probesFor(requirements)
  const isSmall = maxRequests < 2 * maxDiscoveryRequests
  if (isSmall) report(`models only, because of --max-requests ${maxRequests}`)
  const selected: SelectedProbes = isSmall ? { ...needed, names: new Set(['models']) } : needed
  const { initProfile } = await import('../../conformance/init/init.ts')
  const journalFile = join(out, 'discovery.journal.ndjson')
  const init: InitOptions = {
    profile,
    keyEnv: ambientKey,
    journalFile,
    signal: io.signal,
    selected,
    maxRequests: Math.min(maxDiscoveryRequests, maxRequests - requestsBefore - surfaces.length),
    ...(seed === undefined ? {} : { tag: `chatgen-${seed}` }),
  }
  try {
    const found = await initProfile(init)
    const { requests, generations } = found.cost
    report(
      `${count(requests, 'request')}, ${count(generations, 'generation')}; detected ${detectedNames(found)}`,
    )
    if (requests >= maxDiscoveryRequests) report(`stopped after ${maxDiscoveryRequests} requests`)
    return { profile: mergeDetected(profile, found), requests: requestsBefore + requests }
  } finally {
    reportLeftovers(journalFile, io)
  }
}

function mergeDetected(given: TargetProfile, { text }: InitResult): TargetProfile {
  const environment = { [ambientKey]: surfaceCredentials(given).openai }
  const found = loadProfile({ name: 'detected profile', text }, environment)
  const { models, capabilities, v2Chat, shapes, requests } = found
  return { ...given, models, capabilities, shapes, requests, ...(v2Chat && { v2Chat }) }
}

function detectedNames({ detection: { surfaces, ...probes } }: InitResult): string {
  const usable = Object.entries(surfaces).filter(([, { usable }]) => usable)
  const found = Object.entries(probes).filter(([, { value }]) => value !== undefined)
  return [...usable, ...found].map(([name]) => name).join(', ')
}

/** Reports the leftovers of a discovery; its journal is kept as long as it lists any. */
export function reportLeftovers(journalFile: string, io: Io): void {
  if (!existsSync(journalFile)) return
  const { chats, others } = readJournal(journalFile)
  const leftovers = [...chats, ...others]
  if (leftovers.length === 0) {
    rmSync(journalFile)
    return
  }
  const next = chats.length > 0 ? `chatgen cleanup ${journalFile}` : `listed in ${journalFile}`
  io.err(`Left on the target: ${countedKinds(leftovers)} (${next})`)
}

/** `2 chats, 1 attachment`. */
export function countedKinds(entries: readonly { readonly kind: string }[]): string {
  return [...Map.groupBy(entries, ({ kind }) => kind)]
    .map(([kind, all]) => count(all.length, kind))
    .join(', ')
}
