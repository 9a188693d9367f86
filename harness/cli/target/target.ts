import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { targetFixture } from '../../../fixtures/targets.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import {
  endpointsOf,
  loadProfile,
  membersOf,
  type TargetProfile,
} from '../../conformance/profile/index.ts'
import { secretsOf, userInfoSecrets, withoutUserInfo } from '../../conformance/session/secrets.ts'
import type { Io } from '../terminal/io.ts'
import { baseUrlOf } from './address.ts'
import { type KeyFlags, keysOf } from './key.ts'
import { type NetworkFlags, withNetwork } from './network-flags.ts'

export interface TargetFlags extends KeyFlags, NetworkFlags {
  readonly reference?: boolean
  readonly target?: string
  readonly timeout?: number
  /** Further endpoints of the same service. */
  readonly url?: readonly string[]
}

/** Slow enough to tell a stream from a buffered response, fast enough for a quick run. */
const referencePace = 'ttft=2ms,gap=1ms'

/**
 * Calls `use` with the target of the command line; stops the bundled server afterwards if it was started.
 * @throws ConfigurationError if there is no target, or more than one
 */
export async function withTarget<T>(
  url: string | undefined,
  flags: TargetFlags,
  io: Io,
  use: (profile: TargetProfile) => Promise<T>,
): Promise<T> {
  if (!flags.reference) {
    const profile = withTimeout(namedTarget(url, flags, io), flags)
    io.redact(secretsOf({ profile }))
    return use(withPlainAddress(profile, io))
  }
  refuseOtherTargets(url, flags)
  const { parsePace, startReferenceServer } = await import('../../../reference-server/index.ts')
  const server = await startReferenceServer({
    pace: parsePace(referencePace),
    keys: [randomKey(), randomKey()],
  })
  try {
    const [apiKey, otherKey] = server.keys
    const overrides = { baseUrl: server.url, apiKey, otherKey }
    const profile = loadProfile(targetFixture('reference'), {}, overrides)
    io.redact(secretsOf({ profile }))
    return await use(withTimeout(profile, flags))
  } finally {
    await server.close()
  }
}

/** Prevents a verdict on the bundled server from being mistaken for one on the named target. */
function refuseOtherTargets(url: string | undefined, flags: TargetFlags): void {
  const { target } = flags
  const isUrl = url !== undefined || (flags.url ?? []).length > 0
  const other = isUrl ? 'a URL' : target !== undefined ? '--target (CHATGEN_TARGET)' : null
  if (other === null) return
  throw new ConfigurationError([
    `--reference (CHATGEN_REFERENCE) tests only the bundled server: pass ${other} or --reference, not both`,
  ])
}

function namedTarget(url: string | undefined, flags: TargetFlags, io: Io): TargetProfile {
  const urls = [...(url === undefined ? [] : [url]), ...(flags.url ?? [])]
  // Before any message can quote it.
  for (const one of urls) io.redact(userInfoSecrets('base url password', one))
  const { target: file } = flags
  if (urls.length === 0 && file === undefined) {
    throw new ConfigurationError([
      'no target given: pass the URL of a deployment, or --target FILE',
    ])
  }
  const [baseUrl, ...others] = urls.map(baseUrlOf)
  const address =
    baseUrl === undefined
      ? {}
      : { baseUrl, ...(others.length === 0 ? {} : { baseUrls: [baseUrl, ...others] }) }
  const source = file === undefined ? { name: 'command line', text: '' } : readProfile(file)
  const { overrides, defaults } = keysOf(flags, membersOf(source), io)
  const profile = loadProfile(source, io.env, { ...address, ...overrides }, defaults)
  return withNetwork(profile, flags, io)
}

/** Removes user name and password, which are not sent, from the base URL, so that no report shows them. */
function withPlainAddress(profile: TargetProfile, io: Pick<Io, 'err'>): TargetProfile {
  const plain = endpointsOf(profile).map((endpoint) => withoutUserInfo(endpoint.baseUrl))
  const baseUrl = withoutUserInfo(profile.baseUrl)
  if (endpointsOf(profile).every((endpoint, at) => endpoint.baseUrl === plain[at])) return profile
  io.err(
    'chatgen: the user name and password in the base URL are not sent, because Authorization carries the API key. Set credentials of a gateway in "headers" of the target profile',
  )
  return { ...profile, baseUrl, ...(profile.baseUrls === undefined ? {} : { baseUrls: plain }) }
}

function randomKey(): string {
  return `sk-${randomBytes(24).toString('base64url')}`
}

function withTimeout(profile: TargetProfile, { timeout }: TargetFlags): TargetProfile {
  if (timeout === undefined) return profile
  return { ...profile, limits: { ...profile.limits, timeoutMs: timeout } }
}

function readProfile(file: string): { name: string; text: string } {
  try {
    return { name: file, text: readFileSync(file, 'utf8') }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError([`cannot read the target profile: ${reason}`])
  }
}
