import { ConfigurationError } from '../../conformance/errors.ts'
import type { TargetProfile } from '../../conformance/profile/index.ts'
import { key } from '../../conformance/profile/schema.ts'
import type { Io } from '../terminal/io.ts'
import type { TargetFlags } from './target-flags.ts'

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

/** Default environment variable of the API key. */
export const ambientKey = 'CHATGEN_API_KEY'

/** Fields of a target profile that contain a key of the caller. */
const keyMembers = ['apiKey', 'compatKey', 'nativeToken'] as const

interface Keys {
  /** Takes precedence over the profile. */
  readonly overrides: Readonly<Record<string, unknown>>
  /** Used if the profile has no key. */
  readonly defaults: Readonly<Record<string, unknown>>
}

/**
 * Reads keys from the environment. A variable that is named explicitly overrides the keys of the profile,
 * with a note on standard error; CHATGEN_API_KEY is a default.
 * @param profile fields of the profile as written
 * @throws ConfigurationError if the named variable is not set
 */
export function keysOf(
  { keyEnv }: Pick<TargetFlags, 'keyEnv'>,
  profile: Readonly<Record<string, unknown>>,
  io: Pick<Io, 'env' | 'err'>,
): Keys {
  const own = keyMembers.filter((name) => profile[name] !== undefined)
  if (keyEnv === undefined) return { overrides: {}, defaults: ambient(own, io) }
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

function ambient(own: readonly string[], io: Pick<Io, 'env'>): Keys['defaults'] {
  // A profile that names keys names all of them: an ambient key is not added.
  const apiKey = own.length > 0 ? undefined : keyIn(ambientKey, io)
  return apiKey === undefined ? {} : { apiKey }
}

/** The key in a variable; undefined if it is empty. @throws ConfigurationError that names the variable */
function keyIn(name: string, { env }: Pick<Io, 'env'>): string | undefined {
  const text = Object.hasOwn(env, name) ? env[name] : undefined
  if (text === undefined || text === '') return undefined
  const [issue] = key.safeParse(text).error?.issues ?? []
  if (issue === undefined) return text
  throw new ConfigurationError([`the environment variable ${name} ${issue.message}`])
}
