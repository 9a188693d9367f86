import { dirname, resolve as resolvePath } from 'node:path'
import type { Command } from 'commander'
import { ConfigurationError } from '../../conformance/errors.ts'
import { networkOf, proxyUrl, type TargetProfile } from '../../conformance/profile/index.ts'
import { flag, list } from '../flags.ts'
import type { Io } from '../terminal/io.ts'
import { proxyFromEnvironment } from './proxy-environment.ts'

/** What every command takes that reaches a target over a network. */
export interface NetworkFlags {
  readonly ca?: string
  readonly insecure?: boolean
  readonly cert?: string
  readonly certKey?: string
  readonly http1?: boolean
  readonly http2?: boolean
  readonly resolve?: readonly string[]
}

export function addNetworkFlags(command: Command): Command {
  return command
    .addOption(flag('--http1', 'speak HTTP/1.1 only'))
    .addOption(flag('--http2', 'speak HTTP/2 only; without TLS with prior knowledge'))
    .addOption(flag('--ca <file>', 'certificate authorities to trust beside the known ones, PEM'))
    .addOption(flag('--insecure', 'do not verify the certificate of the target'))
    .addOption(flag('--cert <file>', 'client certificate, PEM'))
    .addOption(flag('--cert-key <file>', 'its private key, PEM'))
    .addOption(
      flag('--resolve <host:port:address>', 'connect to this address; may be repeated').argParser(
        list,
      ),
    )
}

/**
 * The profile with the network that takes effect: flag over profile over HTTPS_PROXY, HTTP_PROXY
 * and NO_PROXY. Files that a profile names stand beside it, those of a flag in the working folder.
 * @throws ConfigurationError where flags contradict each other, or a file is not what it should be.
 */
export function withNetwork(
  profile: TargetProfile,
  flags: NetworkFlags & { readonly target?: string },
  io: Pick<Io, 'env' | 'err'>,
): TargetProfile {
  const folder = flags.target === undefined ? '.' : dirname(flags.target)
  const network = {
    ...filesIn(folder, profile.network ?? {}),
    ...filesIn('.', networkOfFlags(flags)),
  }
  const ambient = proxyFromEnvironment(profile.baseUrl, io.env)
  if (network.proxy === undefined && ambient !== undefined) {
    network.proxy = proxyUrl(ambient.value, ambient.variable)
  }
  if (Object.keys(network).length === 0) return profile
  const whole = { ...profile, network }
  networkOf(whole)
  if (network.insecure) {
    io.err(
      'chatgen: --insecure: the certificate of the target is not verified; who stands on the way can read the key and change every answer',
    )
  }
  return whole
}

type ProfileNetwork = { -readonly [K in keyof Network]: Network[K] }
type Network = NonNullable<TargetProfile['network']>

function networkOfFlags(flags: NetworkFlags): ProfileNetwork {
  const { ca, insecure, cert, certKey, http1, http2, resolve } = flags
  if (http1 && http2) throw new ConfigurationError(['give --http1 or --http2, not both'])
  return {
    ...(http1 ? { httpVersion: 1 as const } : {}),
    ...(http2 ? { httpVersion: 2 as const } : {}),
    ...(ca === undefined ? {} : { ca }),
    ...(insecure === undefined ? {} : { insecure }),
    ...(cert === undefined ? {} : { cert }),
    ...(certKey === undefined ? {} : { certKey }),
    ...(resolve === undefined ? {} : { resolve: [...resolve] }),
  }
}

function filesIn(folder: string, network: Network): ProfileNetwork {
  const found: ProfileNetwork = { ...network }
  for (const name of ['ca', 'cert', 'certKey'] as const) {
    const file = network[name]
    if (file !== undefined) found[name] = resolvePath(folder, file)
  }
  return found
}
