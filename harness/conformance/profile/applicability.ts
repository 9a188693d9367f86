import { areaOf, type RequirementId, requirements } from '../../../contract/index.ts'
import type { TargetProfile } from './index.ts'

/** Reason why a row is not judged in a run, before a single request is sent. */
export interface SkipReason {
  readonly verdict: 'not-applicable' | 'unproven'
  readonly message: string
}

/**
 * Reason why the profile excludes a row: a member declared false is not applicable, one that is
 * not declared is unproven, and the message names the member that would prove it.
 */
export function skipReason(id: RequirementId, profile: TargetProfile): SkipReason | undefined {
  const { capability, member } = requirements[id]
  if (profile.auth === 'none' && (areaOf(id).endsWith('-AUTH') || member === 'otherKey')) {
    return { verdict: 'not-applicable', message: 'the target profile has auth: none' }
  }
  if (capability) {
    const declared = profile.capabilities[capability]
    if (declared === false) {
      return {
        verdict: 'not-applicable',
        message: `the target profile has capabilities.${capability}: false`,
      }
    }
    if (declared === undefined) {
      return {
        verdict: 'unproven',
        message: `set capabilities.${capability} in the target profile to test this`,
      }
    }
  }
  if (member === 'deterministic') {
    return profile.deterministic
      ? undefined
      : {
          verdict: 'not-applicable',
          message: 'the profile lacks deterministic: true',
        }
  }
  if (member && !has(profile, member.split('.'))) {
    return { verdict: 'unproven', message: `set ${member} in the target profile to test this` }
  }
  return undefined
}

/** The members that the profile lacks, each with the rows that wait for it; none for a whole profile. */
export function missingMembers(
  ids: readonly RequirementId[],
  profile: TargetProfile,
): ReadonlyMap<string, readonly RequirementId[]> {
  const waiting = ids.filter((id) => skipReason(id, profile)?.verdict === 'unproven')
  return Map.groupBy(waiting, (id) => missingFor(id, profile))
}

function missingFor(id: RequirementId, profile: TargetProfile): string {
  const { capability, member = '' } = requirements[id]
  const isDeclared = capability === undefined || profile.capabilities[capability] !== undefined
  return isDeclared ? member : `capabilities.${capability}`
}

function has(value: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path
  if (key === undefined) return value !== undefined
  if (typeof value !== 'object' || value === null) return false
  return has(Object.getOwnPropertyDescriptor(value, key)?.value, rest)
}

/** Condition for a scenario to be part of a run. */
export interface Condition {
  readonly rows: readonly RequirementId[]
  /** It needs a target that chooses its HTTP version. */
  readonly isNegotiated?: boolean
  /** It needs a target with several endpoints. */
  readonly isAcrossEndpoints?: boolean
  /** It is ordinary traffic, which only incognito runs have. */
  readonly isOrdinary?: boolean
}

/** Tests if a scenario runs for these rows, before any request is sent. */
export function isPlanned(
  { rows, isNegotiated = false, isAcrossEndpoints = false, isOrdinary = false }: Condition,
  judged: readonly RequirementId[],
  { baseUrl, baseUrls, network }: TargetProfile,
  isIncognito = false,
): boolean {
  if (isOrdinary && !isIncognito) return false
  if (isAcrossEndpoints && baseUrls === undefined) return false
  const negotiates = baseUrl.startsWith('https:') && network?.httpVersion === undefined
  return (!isNegotiated || negotiates) && rows.some((id) => judged.includes(id))
}
