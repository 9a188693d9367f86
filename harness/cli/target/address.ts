import { isObject, type Prefixes, prefixNames } from '../../../contract/index.ts'
import { ConfigurationError } from '../../conformance/errors.ts'

/**
 * Parses the base URL of a target on the command line.
 * @throws ConfigurationError with a suggestion if the scheme is missing
 */
export function baseUrlOf(url: string): string {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url
  const suggestion = withScheme(url)
  throw new ConfigurationError([
    suggestion === undefined
      ? 'invalid URL: expected http:// or https://, e.g. https://chat.example.org'
      : `invalid URL: did you mean ${suggestion}?`,
  ])
}

/**
 * The prefixes of the command line, which add to those of the profile.
 * @throws ConfigurationError if one is not `name=path`, or given twice
 */
export function prefixesOf(
  { prefix = [] }: { readonly prefix?: readonly string[] },
  profile: Readonly<Record<string, unknown>>,
): { readonly prefixes?: Readonly<Record<string, unknown>> } {
  if (prefix.length === 0) return {}
  const entries = prefix.map((text) => {
    const [, name = '', path = ''] = /^([^=]+)=(\/[^?#\s]*)?$/.exec(text) ?? []
    if (prefixNames.some((each) => each === name)) return [name, path] as const
    throw new ConfigurationError([
      `--prefix (CHATGEN_PREFIX): ${text} is not NAME=/PATH with one of the names ${prefixNames.join(', ')}`,
    ])
  })
  const repeated = entries.find(([name], at) => entries.findIndex(([other]) => other === name) < at)
  if (repeated !== undefined) {
    throw new ConfigurationError([`--prefix (CHATGEN_PREFIX): ${repeated[0]} is given twice`])
  }
  const { prefixes } = profile
  return { prefixes: { ...(isObject(prefixes) ? prefixes : {}), ...Object.fromEntries(entries) } }
}

/** The flag values of prefixes. */
export function prefixArguments(prefixes: Prefixes = {}): { readonly prefix?: readonly string[] } {
  const prefix = Object.entries(prefixes).map(([name, path]) => `${name}=${path}`)
  return prefix.length === 0 ? {} : { prefix }
}

/** Adds the missing scheme to a URL, and removes a password, because the result is printed. */
function withScheme(text: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /\s/.test(text)) return undefined
  const bare = text.replace(/^\/+/, '')
  if (!URL.canParse(`http://${bare}`)) return undefined
  const { hostname, port, pathname, host } = new URL(`http://${bare}`)
  if (hostname === '' || (port === '' && !/\.|^localhost$|:/.test(hostname))) return undefined
  const scheme = port !== '' || isLocal(hostname) ? 'http' : 'https'
  return `${scheme}://${host}${pathname.replace(/\/+$/, '')}`
}

function isLocal(hostname: string): boolean {
  return /^(localhost|127\.|10\.|192\.168\.|\[)/.test(hostname)
}
