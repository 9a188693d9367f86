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
