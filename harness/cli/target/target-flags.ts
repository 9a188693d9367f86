import type { Command } from 'commander'
import { isObject, type Prefixes, prefixNames } from '../../../contract/index.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import type { TargetProfile } from '../../conformance/profile/index.ts'
import { key } from '../../conformance/profile/schema.ts'
import { type FlagsOf, flagTable } from '../flags.ts'
import type { Io } from '../terminal/io.ts'
import type { ContainerFlags } from './container-flags.ts'
import { networkFlags } from './network-flags.ts'

/** Flags that name a target and say how to connect to it. */
export function targetFlags() {
  return [...targetFlag(), ...connectionFlags()]
}

export function connectionFlags() {
  const timeout = flagTable('--timeout <ms>  maximum time without data from the target')
  return [...accessFlags(), ...timeout, ...networkFlags()]
}

/** Flags of a target; a command has some of them. */
export interface TargetFlags extends FlagsOf<typeof targetFlags>, ContainerFlags {
  readonly reference?: boolean
  /** Further endpoints of the same service. */
  readonly url?: readonly string[]
  /** True: nothing may be sent. */
  readonly dryRun?: boolean
  /** Called before the first request. @throws ConfigurationError for an output that cannot be written */
  readonly beforeSending?: () => void
}

export const targetFlag = () => flagTable('--target <file>  target profile, YAML or JSON')

/** Endpoints of one service, among which requests are spread. */
export const endpointFlag = () =>
  flagTable(
    '--url <url>:list  base URL; repeatable, for several endpoints of one service (baseUrls in the profile)',
  )

/**
 * The endpoints of the flags; a URL on the command line overrides those of CHATGEN_URL.
 * @param url the argument of the command
 */
export function endpointsOfFlags(
  command: Command,
  url: string | undefined,
  urls: readonly string[] | undefined,
): readonly string[] {
  const isAmbient = command.getOptionValueSource('url') === 'env'
  return url !== undefined && isAmbient ? [] : (urls ?? [])
}

/** Flags of paths and keys. */
export function accessFlags() {
  return flagTable(`
    --prefix <name=path>:list  path of a surface below the base URL, e.g. openai=/v1;
      repeatable, for ${prefixNames.join(', ')} (prefixes in the profile)
    --key-env <name>  environment variable with the API key; overrides the keys of the profile
      (default: CHATGEN_API_KEY, if the profile has no key)
    --allow-short-key  accept a key of fewer than 8 characters, which reports then show`)
}

/**
 * Parses the base URL of a target on the command line.
 * @throws ConfigurationError with a suggestion if the scheme is missing
 */
export function baseUrlOf(url: string): string {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url
  const suggestion = withScheme(url)
  throw new ConfigurationError([
    suggestion === undefined
      ? 'invalid URL: expected http:// or https://, e.g. https://chat.example.org'
      : `invalid URL: did you mean ${suggestion}?`,
  ])
}

/**
 * The prefixes of the command line, which add to those of the profile.
 * @throws ConfigurationError if one is not `name=path`, or given twice
 */
export function prefixesOf(
  { prefix = [] }: { readonly prefix?: readonly string[] },
  profile: Readonly<Record<string, unknown>>,
): { readonly prefixes?: Readonly<Record<string, unknown>> } {
  if (prefix.length === 0) return {}
  const entries = prefix.map((text) => {
    const [, name = '', path = ''] = /^([^=]+)=(\/[^?#\s]*)?$/.exec(text) ?? []
    if (prefixNames.some((each) => each === name)) return [name, path] as const
    throw new ConfigurationError([
      `--prefix (CHATGEN_PREFIX): ${text} is not NAME=/PATH with one of the names ${prefixNames.join(', ')}`,
    ])
  })
  const repeated = entries.find(([name], at) => entries.findIndex(([other]) => other === name) < at)
  if (repeated !== undefined) {
    throw new ConfigurationError([`--prefix (CHATGEN_PREFIX): ${repeated[0]} is given twice`])
  }
  const { prefixes } = profile
  return { prefixes: { ...(isObject(prefixes) ? prefixes : {}), ...Object.fromEntries(entries) } }
}

export function prefixArguments(prefixes: Prefixes = {}): { readonly prefix?: readonly string[] } {
  const prefix = Object.entries(prefixes).map(([name, path]) => `${name}=${path}`)
  return prefix.length === 0 ? {} : { prefix }
}

/** Adds the missing scheme to a URL, and removes a password, because the result is printed. */
function withScheme(text: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /\s/.test(text)) return undefined
  const bare = text.replace(/^\/+/, '')
  if (!URL.canParse(`http://${bare}`)) return undefined
  const { hostname, port, pathname, host } = new URL(`http://${bare}`)
  if (hostname === '' || (port === '' && !/\.|^localhost$|:/.test(hostname))) return undefined
  const isLocal = /^(localhost|127\.|10\.|192\.168\.|\[)/.test(hostname)
  const scheme = port !== '' || isLocal ? 'http' : 'https'
  return `${scheme}://${host}${pathname.replace(/\/+$/, '')}`
}

/** Characters of the shortest key that can be found in a report without redacting ordinary text. */
const shortestKey = 8

/**
 * Refuses keys that would be readable in reports and in stored exchanges.
 * @throws ConfigurationError that names the field and the length, never the key
 */
export function refuseShortKeys(
  profile: Pick<TargetProfile, (typeof keyMembers)[number] | 'otherKey'>,
  { allowShortKey = false }: Pick<TargetFlags, 'allowShortKey'>,
): void {
  if (allowShortKey) return
  const problems = [...keyMembers, 'otherKey' as const].flatMap((name) => {
    const length = profile[name]?.length ?? shortestKey
    if (length >= shortestKey) return []
    return [
      `${name} has fewer than ${shortestKey} characters, too few to redact it in reports: use a longer key, or pass --allow-short-key (CHATGEN_ALLOW_SHORT_KEY=true) and keep the reports private`,
    ]
  })
  if (problems.length > 0) throw new ConfigurationError(problems)
}

export const ambientKey = 'CHATGEN_API_KEY'

/** Fields of a target profile that contain a key of the caller. */
const keyMembers = ['apiKey', 'compatKey', 'nativeToken'] as const

/**
 * Reads keys from the environment: `overrides` take precedence over the profile, `defaults` are used if it has
 * no key. A variable that is named explicitly overrides the keys of the profile, with a note on standard error;
 * CHATGEN_API_KEY is a default.
 * @param profile fields of the profile as written
 * @throws ConfigurationError if the named variable is not set
 */
export function keysOf(
  { keyEnv }: Pick<TargetFlags, 'keyEnv'>,
  profile: Readonly<Record<string, unknown>>,
  io: Pick<Io, 'env' | 'err'>,
) {
  const own = keyMembers.filter((name) => profile[name] !== undefined)
  if (keyEnv === undefined) {
    // A profile that names keys names all of them: an ambient key is not added.
    const apiKey = own.length > 0 ? undefined : keyIn(ambientKey, io)
    return { overrides: {}, defaults: apiKey === undefined ? {} : { apiKey } }
  }
  const apiKey = keyIn(keyEnv, io)
  if (apiKey === undefined) {
    throw new ConfigurationError([
      `--key-env (CHATGEN_KEY_ENV): the environment variable ${keyEnv} is not set`,
    ])
  }
  if (own.length > 0) {
    io.err(`chatgen: the key in ${keyEnv} (--key-env) overrides ${own.join(', ')} of the profile`)
  }
  return { overrides: { apiKey, compatKey: undefined, nativeToken: undefined }, defaults: {} }
}

/** The key in a variable; undefined if it is empty. @throws ConfigurationError that names the variable */
function keyIn(name: string, { env }: Pick<Io, 'env'>): string | undefined {
  const text = Object.hasOwn(env, name) ? env[name] : undefined
  if (text === undefined || text === '') return undefined
  const [issue] = key.safeParse(text).error?.issues ?? []
  if (issue === undefined) return text
  throw new ConfigurationError([`the environment variable ${name} ${issue.message}`])
}
