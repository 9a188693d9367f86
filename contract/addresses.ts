import type { WireRequest } from './exchange.ts'

/** Parts of the service below a prefix of their own, as the document places them (sections 4 and 9). */
export const documentedPrefixes = {
  openai: '/api/openai',
  v2: '/api/v2',
  v3: '/api/v3',
  knowledge: '/api/knowledge',
} as const

export type PrefixName = keyof typeof documentedPrefixes

/** Prefixes of a deployment that differ from the document: a path without a slash at its end, or empty. */
export type Prefixes = Readonly<Partial<Record<PrefixName, string | undefined>>>

/** Address of a deployment. */
export interface Address {
  readonly baseUrl: string
  readonly prefixes?: Prefixes | undefined
}

/** The prefixes by which a deployment may call a part of the service: that of the document and its own. */
export function namesOf(
  { prefixes = {} }: Pick<Address, 'prefixes'>,
  name: PrefixName,
): readonly string[] {
  return [documentedPrefixes[name], ...(prefixes[name] ? [prefixes[name]] : [])]
}

/** The URL of a path of the document, such as `/api/v3/chat`; other paths stand below the base URL as they are. */
export function urlOf(address: Address, path: string): string {
  return `${address.baseUrl}${deployedPath(address, path)}`
}

/**
 * The URL of a request and, if it is not that of the document, the path that the document gives to its
 * route: judges know routes by it.
 */
export function destinationOf(
  address: Address,
  path: string,
): Pick<WireRequest, 'url' | 'documentedPath'> {
  const deployed = deployedPath(address, path)
  return {
    url: `${address.baseUrl}${deployed}`,
    ...(deployed === path ? {} : { documentedPath: path }),
  }
}

function deployedPath({ prefixes = {} }: Address, path: string): string {
  const name = prefixNames.find((each) => isBelow(path, documentedPrefixes[each]))
  const prefix = name === undefined ? undefined : prefixes[name]
  if (name === undefined || prefix === undefined) return path
  return `${prefix}${path.slice(documentedPrefixes[name].length)}`
}

export const prefixNames = Object.keys(documentedPrefixes) as PrefixName[]

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`) || path.startsWith(`${prefix}?`)
}
