import type { WireRequest } from './exchange.ts'

/** Parts of the service with their path prefixes in the document (sections 4 and 9). */
export const documentedPrefixes = {
  openai: '/api/openai',
  v2: '/api/v2',
  v3: '/api/v3',
  knowledge: '/api/knowledge',
} as const

export type PrefixName = keyof typeof documentedPrefixes

/** Prefixes of a deployment that differ from the document: paths without a trailing slash, or empty. */
export type Prefixes = Readonly<Partial<Record<PrefixName, string | undefined>>>

/** Address of a deployment. */
export interface Address {
  readonly baseUrl: string
  readonly prefixes?: Prefixes | undefined
}

/** Prefixes under which a deployment may serve a part of the service: the documented one and its own. */
export function namesOf(
  { prefixes = {} }: Pick<Address, 'prefixes'>,
  name: PrefixName,
): readonly string[] {
  return [documentedPrefixes[name], ...(prefixes[name] ? [prefixes[name]] : [])]
}

/** URL of a documented path such as `/api/v3/chat`; other paths are appended to the base URL unchanged. */
export function urlOf(address: Address, path: string): string {
  return `${address.baseUrl}${deployedPath(address, path)}`
}

/**
 * The URL of a request and, if the deployment serves it under another prefix, its path in the document, by
 * which judges identify the route.
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
