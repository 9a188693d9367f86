import { randomUUID } from 'node:crypto'
import { surfaces } from '../../../contract/index.ts'
import { createRedactor } from '../../client/index.ts'
import { createAuxiliaryClient } from '../cleanup/auxiliary-client.ts'
import { journalWriter, readJournal, startJournal } from '../cleanup/journal.ts'
import { NoAnswerError, removeChats } from '../cleanup/removal.ts'
import { interruptCleanupMs, suiteVersion } from '../defaults.ts'
import { asConfigurationError, DiscoverySpentError, TargetUnusableError } from '../errors.ts'
import { preflight } from '../preflight/preflight.ts'
import type { TargetProfile } from '../profile/index.ts'
import type { ClientIdentity } from '../run-setup.ts'
import { route } from '../session/requests/wire-request.ts'
import { secretsOf, surfaceCredentials } from '../session/secrets.ts'
import { type Detection, detect, withinBudget } from './detect.ts'
import { probeNames, type SelectedProbes } from './probe.ts'
import { profileText } from './profile-text.ts'

export interface InitOptions {
  /** Address and key; everything else is detected. */
  readonly profile: TargetProfile
  /** Variable that contains the key, written to the profile in place of the key. */
  readonly keyEnv: string
  readonly journalFile: string
  /** Tag of the requests and the created resources; by default a new one. */
  readonly tag?: string
  /** Surfaces and probes; all by default. */
  readonly selected?: SelectedProbes
  /** Maximum requests after the preflight: further probes are skipped, removals are not. */
  readonly maxRequests?: number
  readonly onStep?: (what: string) => void
  /** Aborted with the error to be thrown; created resources are removed all the same. */
  readonly signal?: AbortSignal
}

export type InitResult = Awaited<ReturnType<typeof initProfile>>

/**
 * Detects the features of a target with a few harmless requests, and writes its profile.
 * @throws ConfigurationError if the journal cannot be written, TargetUnusableError if the
 * target does not answer, has no surface that can be used, or refuses the key.
 */
export async function initProfile(options: InitOptions) {
  const { profile, keyEnv, journalFile, signal, onStep = () => {} } = options
  const { selected = everything, maxRequests } = options
  const { tag = `chatgen-${randomUUID().slice(0, 8)}` } = options
  const setup: ClientIdentity = { profile, tag, userAgent: `chatgen-conformance/${suiteVersion()}` }
  const { text: redact } = createRedactor(secretsOf(setup))
  const begin = () => startJournal(journalFile, setup)
  asConfigurationError(Error, begin, 'the profile cannot be written')

  onStep('which surfaces answer')
  const met = await preflight(setup, selected.surfaces, { signal })
  const { answers, completion } = met
  const exceededError = new DiscoverySpentError(
    `the discovery took more than ${maxRequests} requests`,
  )
  const unreachableError = (reason: string) =>
    new TargetUnusableError(
      'E_UNREACHABLE',
      `${redact(profile.baseUrl)} does not answer like this service: ${reason}`,
    )
  const client = createAuxiliaryClient(setup, {
    purpose: 'init',
    unreachableError,
    budget: maxRequests === undefined ? undefined : { requests: maxRequests, exceededError },
    signal,
  })
  const journal = journalWriter(journalFile, secretsOf(setup))
  const probeNames = selected.names
  const probing = { answers, completion, profile, client, journal, probeNames, tag, redact, onStep }
  let detection: Detection
  let removing = 0
  try {
    detection = await detect(probing)
    // A target that died during the last probes is not one without these features.
    const ask = () => withinBudget(client.send(route('openai.models')), () => undefined)
    const again = client.isUnanswered() ? await ask() : undefined
    if (again?.response === null) throw unreachableError('it stopped answering during the probes')
  } finally {
    await client.close()
    onStep('deleting what was created')
    removing = await removeCreated(setup, journalFile, signal)
  }
  const key = surfaceCredentials(profile).openai
  const { baseUrl } = profile
  const found = Object.values(detection.surfaces)
  if (!found.some(({ usable }) => usable)) {
    // A profile of a target on which nothing can be tested would only mislead.
    const lines = found.map(({ evidence }) => `\n  ${evidence}`)
    const none = `no surface of the service is available at ${baseUrl}`
    throw new TargetUnusableError('E_NO_SERVICE', none + lines.join(''))
  }
  const about = {
    baseUrl: key === undefined ? baseUrl : baseUrl.replaceAll(key, `\${${keyEnv}}`),
    keyEnv,
    keyGiven: key !== undefined,
    network: profile.network,
    ...(profile.prefixes && { prefixes: profile.prefixes }),
  }
  return {
    text: profileText(detection, about),
    detection,
    cost: {
      requests: met.requests + client.requests + removing,
      generations: client.generations + (completion === undefined ? 0 : 1),
    },
  }
}

const everything: SelectedProbes = { surfaces, names: new Set(probeNames) }

/** Returns the number of requests that it took. */
async function removeCreated(
  setup: ClientIdentity,
  journalFile: string,
  interruption: AbortSignal | undefined,
): Promise<number> {
  const outOfTime = new AbortController()
  const hurry = () => {
    const reason = new NoAnswerError('interrupted: no time was left to delete it')
    setTimeout(() => outOfTime.abort(reason), interruptCleanupMs).unref()
  }
  if (interruption?.aborted) hurry()
  else interruption?.addEventListener('abort', hurry, { once: true })
  const purpose = 'init-cleanup'
  const client = createAuxiliaryClient(setup, { purpose, signal: outOfTime.signal })
  try {
    await removeChats(readJournal(journalFile).chats, { client, setup, journalFile, maxPages })
    return client.requests
  } finally {
    interruption?.removeEventListener('abort', hurry)
    await client.close()
  }
}

const maxPages = 5
