import { ConfigurationError } from '../errors.ts'
import type { Path } from './document.ts'
import type { TargetProfile } from './schema.ts'

/** One of the addresses under which a service answers. */
export interface Endpoint {
  /** `A`, `B`, … in the order of the profile. */
  readonly name: string
  readonly baseUrl: string
}

/** Number of endpoints that have a letter. */
const maxEndpoints = 26

/** The endpoints of a target; most have one. */
export function endpointsOf({
  baseUrl,
  baseUrls = [baseUrl],
}: Pick<TargetProfile, 'baseUrl' | 'baseUrls'>): readonly Endpoint[] {
  return baseUrls.map((address, at) => ({
    name: String.fromCharCode('A'.charCodeAt(0) + at),
    baseUrl: address,
  }))
}

/** The profile of one endpoint alone. */
export function profileOfEndpoint(profile: TargetProfile, { baseUrl }: Endpoint): TargetProfile {
  const { baseUrls: _, ...rest } = profile
  return { ...rest, baseUrl }
}

type Members = Readonly<Record<string, unknown>>
type Place = (path: Path) => string

/**
 * Completes `baseUrl`, which is the first of `baseUrls`.
 * @throws ConfigurationError if a profile has both
 */
export function withFirstEndpoint(members: Members, place: Place): Members {
  const { baseUrl, baseUrls } = members
  if (!Array.isArray(baseUrls) || baseUrls.length === 0) return members
  if (baseUrl === undefined) return { ...members, baseUrl: baseUrls[0] }
  if (baseUrl === baseUrls[0]) return members
  throw new ConfigurationError([
    `${place(['baseUrls'])}: baseUrls: excludes baseUrl, list all endpoints in baseUrls`,
  ])
}

/**
 * Removes `baseUrls` from the profile of a target with one endpoint.
 * @throws ConfigurationError if an endpoint is listed twice, or there are too many
 */
export function withoutSingleEndpoint(profile: TargetProfile, place: Place): TargetProfile {
  const { baseUrls = [] } = profile
  const repeated = baseUrls.findIndex((address, at) => baseUrls.indexOf(address) < at)
  if (repeated >= 0) {
    throw new ConfigurationError([
      `${place(['baseUrls', repeated])}: baseUrls.${repeated}: the same endpoint is listed twice`,
    ])
  }
  if (baseUrls.length > maxEndpoints) {
    throw new ConfigurationError([
      `${place(['baseUrls'])}: baseUrls: at most ${maxEndpoints} endpoints`,
    ])
  }
  const [first] = baseUrls
  return baseUrls.length === 1 && first !== undefined
    ? profileOfEndpoint(profile, { name: 'A', baseUrl: first })
    : profile
}
