import type { Command } from 'commander'
import { prefixNames } from '../../../contract/operations.ts'
import { type FlagsOf, flag, list } from '../flags.ts'
import { milliseconds } from '../values.ts'
import type { ContainerFlags } from './container-flags.ts'
import { networkFlags } from './network-flags.ts'

/** Flags that name a target and say how to connect to it. */
export function targetFlags() {
  return [targetFlag(), ...connectionFlags()]
}

/** Flags of a connection: key, timeout and network. */
export function connectionFlags() {
  return [
    prefixFlag(),
    keyEnvFlag(),
    allowShortKeyFlag(),
    flag('--timeout <ms>', 'maximum time without data from the target').argParser(milliseconds),
    ...networkFlags(),
  ]
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

export function targetFlag() {
  return flag('--target <file>', 'target profile, YAML or JSON')
}

/** Endpoints of one service, among which requests are spread. */
export function endpointFlag() {
  return flag(
    '--url <url>',
    'base URL; repeatable, for several endpoints of one service (baseUrls in the profile)',
  ).argParser(list)
}

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

/** Paths of surfaces that differ from the interface document. */
export function prefixFlag() {
  return flag(
    '--prefix <name=path>',
    `path of a surface below the base URL, e.g. openai=/v1; repeatable, for ${prefixNames.join(', ')} (prefixes in the profile)`,
  ).argParser(list)
}

/** Environment variable of the API key. */
export function keyEnvFlag() {
  return flag(
    '--key-env <name>',
    'environment variable with the API key; overrides the keys of the profile (default: CHATGEN_API_KEY, if the profile has no key)',
  )
}

export function allowShortKeyFlag() {
  return flag(
    '--allow-short-key',
    'accept a key of fewer than 8 characters, which stands readable in reports',
  )
}
