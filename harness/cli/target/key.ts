import { ConfigurationError } from '../../conformance/errors.ts'
import type { Io } from '../terminal/io.ts'

export interface KeyFlags {
  /** Undefined where neither the flag nor CHATGEN_KEY_ENV names a variable. */
  readonly keyEnv?: string
}

/** Where the key comes from if nothing names another variable. */
export const ambientKey = 'CHATGEN_API_KEY'

/** Members of a target profile that hold a key of the caller. */
const keyMembers = ['apiKey', 'compatKey', 'nativeToken'] as const

interface Keys {
  /** Wins over the profile. */
  readonly overrides: Readonly<Record<string, unknown>>
  /** Gives way to the profile. */
  readonly defaults: Readonly<Record<string, unknown>>
}

/**
 * The keys of the environment: a variable that is named explicitly wins over the keys of the profile,
 * and standard error says so; the ambient one is a default.
 * @param profile members of the profile as written
 * @throws ConfigurationError where the named variable is not set
 */
export function keysOf(
  { keyEnv }: KeyFlags,
  profile: Readonly<Record<string, unknown>>,
  io: Pick<Io, 'env' | 'err'>,
): Keys {
  const own = keyMembers.filter((name) => profile[name] !== undefined)
  if (keyEnv === undefined) return { overrides: {}, defaults: ambient(own, io) }
  const key = io.env[keyEnv]
  if (key === undefined || key === '') {
    const what = keyEnv === '' ? 'names no variable' : `the variable ${keyEnv} is not set`
    throw new ConfigurationError([`--key-env (CHATGEN_KEY_ENV): ${what}`])
  }
  if (own.length > 0) {
    io.err(
      `chatgen: using the key in ${keyEnv} (--key-env) in place of ${own.join(', ')} of the profile`,
    )
  }
  return { overrides: { apiKey: key, compatKey: undefined, nativeToken: undefined }, defaults: {} }
}

function ambient(own: readonly string[], { env }: Pick<Io, 'env'>): Keys['defaults'] {
  const key = env[ambientKey]
  // A profile that names keys names all of them: an ambient key is not sent beside them.
  if (key === undefined || key === '' || own.length > 0) return {}
  return { apiKey: key }
}
