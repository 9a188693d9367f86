import { ConfigurationError } from '../../conformance/errors.ts'

/**
 * The base address of a target, as the command line has it.
 * @throws ConfigurationError that proposes the URL that was meant
 */
export function baseUrlOf(url: string): string {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url
  const meant = urlMeant(url)
  throw new ConfigurationError([
    meant === undefined
      ? 'not a URL of http or https, such as https://chat.example.org'
      : `not a URL: did you mean ${meant}?`,
  ])
}

/** What somebody left the scheme out of; without a password, for it is printed. */
function urlMeant(text: string): string | undefined {
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
