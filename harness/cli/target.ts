import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { targetFixture } from '../../fixtures/targets.ts'
import { ConfigurationError } from '../conformance/errors.ts'
import { loadProfile, type TargetProfile } from '../conformance/profile/index.ts'
import type { Io } from './io.ts'
import { type NetworkFlags, withNetwork } from './network-flags.ts'

export interface TargetFlags extends NetworkFlags {
  readonly reference?: boolean
  readonly target?: string
  readonly keyEnv: string
  readonly timeout?: number
}

/** Slow enough that a stream can be told from an answer in one piece, fast enough to wait for. */
const referencePace = 'ttft=2ms,gap=1ms'

/**
 * Uses the target that the command line names; a server that is started for it ends with the use.
 * @throws ConfigurationError where it names none, or more than one.
 */
export async function withTarget<T>(
  url: string | undefined,
  flags: TargetFlags,
  io: Io,
  use: (profile: TargetProfile) => Promise<T>,
): Promise<T> {
  if (!flags.reference) return use(withTimeout(namedTarget(url, flags, io), flags))
  if (url !== undefined) throw new ConfigurationError(['give a URL or --reference, not both'])
  const { parsePace, startReferenceServer } = await import('../../reference-server/index.ts')
  const server = await startReferenceServer({
    pace: parsePace(referencePace),
    keys: [throwAwayKey(), throwAwayKey()],
  })
  try {
    const [apiKey, otherKey] = server.keys
    const overrides = { baseUrl: server.url, apiKey, otherKey }
    return await use(withTimeout(loadProfile(targetFixture('reference'), {}, overrides), flags))
  } finally {
    await server.close()
  }
}

function namedTarget(url: string | undefined, flags: TargetFlags, io: Io): TargetProfile {
  if (url === undefined && flags.target === undefined) {
    throw new ConfigurationError(['say what to check: a URL, --target FILE or --reference'])
  }
  const key = io.env[flags.keyEnv]
  if (key === undefined && flags.keyEnv !== 'CHATGEN_API_KEY') {
    throw new ConfigurationError([`--key-env: the variable ${flags.keyEnv} is not set`])
  }
  const source =
    flags.target === undefined ? { name: 'command line', text: '' } : readProfile(flags.target)
  const overrides = {
    ...(url === undefined ? {} : { baseUrl: baseUrlOf(url) }),
    ...(key === undefined || key === '' ? {} : { apiKey: key }),
  }
  return withNetwork(loadProfile(source, io.env, overrides), flags, io)
}

function throwAwayKey(): string {
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
    throw new ConfigurationError([`the target profile cannot be read: ${reason}`])
  }
}

function baseUrlOf(url: string): string {
  if (!/^https?:\/\//i.test(url)) {
    throw new ConfigurationError([`${url} is no address: it must begin with http:// or https://`])
  }
  return url
}
