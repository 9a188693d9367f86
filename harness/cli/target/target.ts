import { randomBytes } from 'node:crypto'
import { targetFixture } from '../../../fixtures/files.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { environmentWithout } from '../../conformance/process.ts'
import {
  endpointsOf,
  loadProfile,
  membersOf,
  type TargetProfile,
} from '../../conformance/profile/index.ts'
import { secretsOf, userInfoSecrets, withoutUserInfo } from '../../conformance/session/secrets.ts'
import type { RunningContainer } from '../../containers/start.ts'
import { chatgenBin } from '../../library/chatgen-process.ts'
import { childServer } from '../../load/child-server.ts'
import type { Io } from '../terminal/io.ts'
import { inputText } from '../values.ts'
import { containerOf, withContainer } from './container-flags.ts'
import { withNetwork } from './network-flags.ts'
import { baseUrlOf, keysOf, prefixesOf, refuseShortKeys, type TargetFlags } from './target-flags.ts'

/** Slow enough to distinguish a stream from a buffered response, fast enough for a quick run. */
const referencePace = 'ttft=2ms,gap=0.5ms'

/**
 * Calls `use` with the target of the command line, and the container it runs in, if it was started for
 * that, and the number of requests that finding its address took. Stops the container or the bundled server
 * afterwards.
 * @param meanwhile called while the bundled server starts, to load what `use` needs
 * @throws ConfigurationError if there is no target, or more than one
 */
export async function withTarget<T>(
  url: string | undefined,
  flags: TargetFlags,
  io: Io,
  use: (
    profile: TargetProfile,
    container: RunningContainer | null,
    requestsBefore: number,
  ) => Promise<T>,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<T> {
  const source = containerOf(flags, io.env)
  const useAt = async (address: string | undefined, container: RunningContainer | null) => {
    const { profile, requests } = await located(profileOf(address, flags, io), flags, io)
    return use(profile, container, requests)
  }
  if (source !== undefined) {
    refuseOtherTargets(url, flags, source.from.kind)
    return withContainer(source, io, (container) => useAt(container.baseUrl, container))
  }
  if (!flags.reference) return useAt(url, null)
  refuseOtherTargets(url, flags, 'reference')
  const [server] = await Promise.all([bundledServer(['--pace', referencePace]), meanwhile()])
  try {
    const overrides = { baseUrl: server.url, apiKey: server.key, otherKey: server.otherKey }
    const profile = loadProfile(targetFixture(), {}, overrides)
    io.redact(secretsOf({ profile }))
    return await use(withTimeout(profile, flags), null, 0)
  } finally {
    await server.stop()
  }
}

/** Ends the server when a parent that is killed closes its end of the pipe. */
const endsWithParent = 'process.stdin.on("close", () => process.exit()).resume()'

/** Starts `chatgen serve` in a separate process, with two generated keys, so that it and its judge share no CPU core. */
export async function bundledServer(flags: readonly string[] = []) {
  const randomKey = () => `sk-${randomBytes(24).toString('base64url')}`
  const [key, otherKey] = [randomKey(), randomKey()]
  const withParent = ['--import', `data:text/javascript,${encodeURIComponent(endsWithParent)}`]
  const argv = [...withParent, chatgenBin, 'serve', '--port', '0', ...flags]
  const env = { ...environmentWithout(ownVariables), CHATGEN_KEY: `${key},${otherKey}` }
  return { ...(await childServer(argv, { env })), key, otherKey }
}

/** Variables such as CHATGEN_FAULT, which are meant for this command, not for another process. */
export const ownVariables = /^CHATGEN_/

/** The profile of a bare URL, completed with the place of its compatible surface, and the requests sent for that. */
async function located(
  profile: TargetProfile,
  { target, dryRun = false, beforeSending }: TargetFlags,
  io: Io,
) {
  if (target !== undefined || dryRun || profile.prefixes !== undefined)
    return { profile, requests: 0 }
  beforeSending?.()
  const { locateCompatible, locatedText } = await import(
    '../../conformance/preflight/suggest-address.ts'
  )
  const { prefix, requests } = await locateCompatible(profile, io.signal)
  if (prefix === undefined) return { profile, requests }
  const found = { ...profile, prefixes: { openai: prefix } }
  io.err(`chatgen: ${locatedText(found)}`)
  return { profile: found, requests }
}

function profileOf(url: string | undefined, flags: TargetFlags, io: Io): TargetProfile {
  const profile = withTimeout(namedTarget(url, flags, io), flags)
  io.redact(secretsOf({ profile }))
  refuseShortKeys(profile, flags)
  return withPlainAddress(profile, io)
}

/** Prevents a verdict on a target that chatgen starts from being mistaken for one on the named target. */
function refuseOtherTargets(
  url: string | undefined,
  { url: urls = [], target, reference = false }: TargetFlags,
  started: keyof typeof tested,
): void {
  const others = {
    'a URL': url !== undefined || urls.length > 0,
    // The profile of a container describes the service in it.
    '--target (CHATGEN_TARGET)': target !== undefined && started === 'reference',
    '--reference (CHATGEN_REFERENCE)': reference && started !== 'reference',
  }
  const other = Object.entries(others).find(([, isGiven]) => isGiven)
  if (other === undefined) return
  const { [started]: what } = tested
  throw new ConfigurationError([
    `--${started} (CHATGEN_${started.toUpperCase()}) tests ${what}: pass ${other[0]} or --${started}, not both`,
  ])
}

const tested = {
  reference: 'only the bundled server',
  image: 'a container of the image',
  compose: 'a service of the file',
} as const

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
  const source =
    file === undefined
      ? { name: 'command line', text: '' }
      : { name: file, text: inputText(file, 'cannot read the target profile') }
  const members = membersOf(source)
  const { overrides, defaults } = keysOf(flags, members, io)
  const given = { ...address, ...prefixesOf(flags, members), ...overrides }
  const profile = loadProfile(source, io.env, given, defaults)
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

/** Says that a command uses only the first of several endpoints. */
export function noteFirstEndpoint(profile: TargetProfile, io: Pick<Io, 'err'>): void {
  const { length } = endpointsOf(profile)
  if (length > 1) io.err(`chatgen: uses only the first of ${length} endpoints, ${profile.baseUrl}`)
}

function withTimeout(profile: TargetProfile, { timeout }: TargetFlags): TargetProfile {
  if (timeout === undefined) return profile
  return { ...profile, limits: { ...profile.limits, timeoutMs: timeout } }
}
