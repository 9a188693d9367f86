import { ConfigurationError } from '../errors.ts'
import { checkDocument, type Path, readDocument, type Source } from './document.ts'
import { type TargetProfile, targetProfile } from './schema.ts'

/**
 * Reads a profile from YAML or JSON. `overrides` win over the file (flag over profile).
 * @throws ConfigurationError that names file, line and field of every problem.
 */
export function loadProfile(
  source: Source,
  environment: Readonly<Record<string, string | undefined>>,
  overrides: Readonly<Record<string, unknown>> = {},
): TargetProfile {
  const { value, place } = readDocument(source, 'a profile')
  const problems: string[] = []
  const expanded = expand({ ...value, ...overrides }, [], (path, name) => {
    const found = environment[name]
    if (found === undefined || found === '') {
      problems.push(`${place(path)}: ${path.join('.')}: the variable ${name} is not set`)
    }
    return found ?? ''
  })
  if (problems.length > 0) throw new ConfigurationError(problems)
  return checkDocument(targetProfile, expanded, place)
}

/** Replaces `${NAME}` in every text. */
function expand(value: unknown, path: Path, lookUp: (path: Path, name: string) => string): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) =>
      lookUp(path, name),
    )
  }
  if (Array.isArray(value)) return value.map((entry, at) => expand(entry, [...path, at], lookUp))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key, expand(entry, [...path, key], lookUp)]),
    )
  }
  return value
}
