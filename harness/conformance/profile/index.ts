import type { JsonObject } from '../../../contract/index.ts'
import { ConfigurationError } from '../errors.ts'
import { checkDocument, type Path, readDocument, type Source } from './document.ts'
import { type TargetProfile, targetProfile } from './schema.ts'
import { mapTexts } from './schema-requests.ts'

export { networkOf, proxyUrl } from './network.ts'
export type { TargetProfile }

/**
 * Reads a profile from YAML or JSON. `overrides` take precedence over the file (flag over profile), the file
 * over `defaults`; variables are looked up for the used fields of the file.
 * @throws ConfigurationError that names file, line and field of every problem.
 */
export function loadProfile(
  source: Source,
  environment: Readonly<Record<string, string | undefined>>,
  overrides: JsonObject = {},
  defaults: JsonObject = {},
): TargetProfile {
  const { value, place } = readDocument(source, 'a profile')
  const problems: string[] = []
  const fromVariables: { name: string; value: string }[] = []
  const lookUp = (path: Path, name: string) => {
    const found = Object.hasOwn(environment, name) ? environment[name] : undefined
    if (found === undefined || found === '') {
      problems.push(`${place(path)}: ${path.join('.')}: the variable ${name} is not set`)
    }
    const [part, field] = path.slice(-2).map((step) => String(step).toLowerCase())
    if (part === 'headers' || part === 'query')
      fromVariables.push({ name: `${part.replace(/s$/, '')} ${field}`, value: found ?? '' })
    return found ?? ''
  }
  const fill = (text: string, path: Path) =>
    text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => lookUp(path, name))
  const overridden = new Set(Object.keys(overrides))
  // The addresses of the command line replace all of those in the file.
  if (overridden.has('baseUrl')) overridden.add('baseUrls')
  const expanded = Object.entries(value)
    .filter(([name]) => !overridden.has(name))
    .map(([name, entry]) => [name, mapTexts(entry, fill, [name])])
  if (problems.length > 0) throw new ConfigurationError(problems)
  const members = { ...defaults, ...Object.fromEntries(expanded), ...overrides }
  const checked = checkDocument(targetProfile, withFirstEndpoint(members, place), place)
  const profile = fromVariables.length === 0 ? checked : { ...checked, fromVariables }
  return profile.baseUrls?.length === 1 ? profileOfEndpoint(profile, profile) : profile
}

/** The capabilities that a profile declares as present or absent. */
export function declaredCapabilities({
  capabilities,
}: TargetProfile): Readonly<Record<string, boolean>> {
  return Object.fromEntries(
    Object.entries(capabilities).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  )
}

/** The fields of a profile as written, without variables resolved. */
export function membersOf(source: Source): JsonObject {
  return readDocument(source, 'a profile').value
}

/** One of the addresses under which a service answers. */
export interface Endpoint {
  /** `A`, `B`, … in the order of the profile. */
  readonly name: string
  readonly baseUrl: string
}

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

export function profileOfEndpoint(
  profile: TargetProfile,
  { baseUrl }: Pick<Endpoint, 'baseUrl'>,
): TargetProfile {
  const { baseUrls: _, ...rest } = profile
  return { ...rest, baseUrl }
}

/**
 * Completes `baseUrl`, which is the first of `baseUrls`.
 * @throws ConfigurationError if a profile has both
 */
function withFirstEndpoint(members: JsonObject, place: (path: Path) => string): JsonObject {
  const { baseUrl, baseUrls } = members
  if (!Array.isArray(baseUrls) || baseUrls.length === 0) return members
  if (baseUrl === undefined) return { ...members, baseUrl: baseUrls[0] }
  if (baseUrl === baseUrls[0]) return members
  throw new ConfigurationError([
    `${place(['baseUrls'])}: baseUrls: excludes baseUrl: list all endpoints in baseUrls`,
  ])
}
