import type { Command, Option } from 'commander'
import { prefixNames } from '../../../contract/addresses.ts'
import { addFlags, flag, list } from '../flags.ts'
import { milliseconds } from '../values.ts'
import { addNetworkFlags } from './network-flags.ts'

/** Adds the flags that name a target and say how to connect to it. */
export function addTargetFlags(command: Command): Command {
  return addConnectionFlags(command.addOption(targetFlag()))
}

/** Adds the flags of a connection: key, timeout and network. */
export function addConnectionFlags(command: Command): Command {
  return addNetworkFlags(
    addFlags(
      command,
      prefixFlag(),
      keyEnvFlag(),
      allowShortKeyFlag(),
      flag('--timeout <ms>', 'maximum time without data from the target').argParser(milliseconds),
    ),
  )
}

export function targetFlag(): Option {
  return flag('--target <file>', 'target profile, YAML or JSON')
}

/** Endpoints of one service, among which requests are spread. */
export function endpointFlag(): Option {
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
export function prefixFlag(): Option {
  return flag(
    '--prefix <name=path>',
    `path of a surface below the base URL, e.g. openai=/v1; repeatable, for ${prefixNames.join(', ')} (prefixes in the profile)`,
  ).argParser(list)
}

/** Environment variable of the API key. */
export function keyEnvFlag(): Option {
  return flag(
    '--key-env <name>',
    'environment variable with the API key; overrides the keys of the profile (default: CHATGEN_API_KEY, if the profile has no key)',
  )
}

export function allowShortKeyFlag(): Option {
  return flag(
    '--allow-short-key',
    'accept a key of fewer than 8 characters, which stands readable in reports',
  )
}
