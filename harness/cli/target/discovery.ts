import { join } from 'node:path'
import { wrap } from '../../../reports/text/escape.ts'
import { count } from '../../../reports/text/format.ts'
import { DiscoverySpentError } from '../../conformance/errors.ts'
import type { InitOptions, InitResult } from '../../conformance/init/init.ts'
import { loadProfile, type TargetProfile } from '../../conformance/profile/index.ts'
import { type Selection, surfacesOfProfile } from '../../conformance/profile/selection.ts'
import { surfaceCredentials } from '../../conformance/session/credentials.ts'
import { settleJournal } from '../check/left-behind.ts'
import type { Io } from '../terminal/io.ts'
import { ambientKey } from './key.ts'

/** Requests that a discovery may take in all; it takes about twenty where nothing is tried again. */
const mostRequests = 60

export interface DiscoveryOptions {
  readonly selection: Selection
  /** Folder for the results of the run, which is there. */
  readonly out: string
  readonly quiet: boolean
  readonly maxRequests: number | undefined
  /** Of the run. */
  readonly seed: string | undefined
}

export interface Discovered {
  readonly profile: TargetProfile
  readonly requests: number
}

/**
 * What `chatgen init` finds out about a target of which only the address is known, as its profile. That
 * it is deterministic is not taken over: two equal answers are no promise.
 * @throws TargetUnusableError where no service answers; the reason of the signal once that is aborted.
 */
export async function discover(
  profile: TargetProfile,
  { selection, out, quiet, maxRequests = Number.POSITIVE_INFINITY, seed }: DiscoveryOptions,
  io: Io,
): Promise<Discovered> {
  const say = (text: string) => {
    if (!quiet) io.err(wrap(`discovery: ${text}`, io.width).join('\n'))
  }
  if (maxRequests < 2 * mostRequests) {
    say(`left out, for --max-requests ${maxRequests} leaves it no room`)
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
    maxRequests: mostRequests,
    ...(seed === undefined ? {} : { tag: `chatgen-${seed}` }),
  }
  try {
    const found = await initProfile(options)
    const { requests, generations } = found.cost
    say(
      `${count(requests, 'request')}, ${count(generations, 'generation')}; found ${namesOf(found)}`,
    )
    return { profile: together(profile, found), requests }
  } catch (error) {
    if (!(error instanceof DiscoverySpentError)) throw error
    say(`stopped after ${mostRequests} requests; nothing of it is used`)
    return { profile, requests: mostRequests }
  } finally {
    settleJournal(journalFile, io)
  }
}

function together(given: TargetProfile, { text }: InitResult): TargetProfile {
  const environment = { [ambientKey]: surfaceCredentials(given).openai }
  const found = loadProfile({ name: 'what was found out', text }, environment)
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

function namesOf({ detection: { surfaces, deterministic: _, ...probes } }: InitResult): string {
  const usable = Object.entries(surfaces).filter(([, { usable }]) => usable)
  const found = Object.entries(probes).filter(([, { value }]) => value !== undefined)
  return [...usable, ...found].map(([name]) => name).join(', ')
}
