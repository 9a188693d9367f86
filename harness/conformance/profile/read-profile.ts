import { ConfigurationError } from '../errors.ts'
import { checkDocument, type Path, readDocument, type Source } from './document.ts'
import { type TargetProfile, targetProfile } from './schema.ts'
import { mapTexts } from './schema-requests.ts'

type Members = Readonly<Record<string, unknown>>

/**
 * Reads a profile from YAML or JSON. `overrides` take precedence over the file (flag over profile), the file
 * over `defaults`; variables are looked up for the used fields of the file.
 * @throws ConfigurationError that names file, line and field of every problem.
 */
export function loadProfile(
  source: Source,
  environment: Readonly<Record<string, string | undefined>>,
  overrides: Members = {},
  defaults: Members = {},
): TargetProfile {
  const { value, place } = readDocument(source, 'a profile')
  const problems: string[] = []
  const lookUp: LookUp = (path, name) => {
    const found = Object.hasOwn(environment, name) ? environment[name] : undefined
    if (found === undefined || found === '') {
      problems.push(`${place(path)}: ${path.join('.')}: the variable ${name} is not set`)
    }
    return found ?? ''
  }
  const overridden = new Set(Object.keys(overrides))
  // The addresses of the command line replace all of those in the file.
  if (overridden.has('baseUrl')) overridden.add('baseUrls')
  const expanded = Object.entries(value)
    .filter(([name]) => !overridden.has(name))
    .map(([name, entry]) => [name, expand(entry, [name], lookUp)])
  if (problems.length > 0) throw new ConfigurationError(problems)
  const members = { ...defaults, ...Object.fromEntries(expanded), ...overrides }
  const profile = checkDocument(targetProfile, withFirstEndpoint(members, place), place)
  return withoutSingleEndpoint(profile, place)
}

/** The fields of a profile as written, without variables resolved. */
export function membersOf(source: Source): Members {
  return readDocument(source, 'a profile').value
}

/** Replaces `${NAME}` in every text. */
function expand(value: unknown, path: Path, lookUp: LookUp): unknown {
  const filled = (text: string, at: Path) =>
    text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => lookUp(at, name))
  return mapTexts(value, filled, path)
}

type LookUp = (path: Path, name: string) => string

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

type Place = (path: Path) => string

/**
 * Completes `baseUrl`, which is the first of `baseUrls`.
 * @throws ConfigurationError if a profile has both
 */
function withFirstEndpoint(members: Members, place: Place): Members {
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
function withoutSingleEndpoint(profile: TargetProfile, place: Place): TargetProfile {
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
