import { type Surface, swapLetterCase } from '../../../contract/index.ts'
import { isUnmistakable, type Secret } from '../../client/index.ts'
import { endpointsOf, type TargetProfile } from '../profile/index.ts'
import type { RunSetup } from '../run-setup.ts'

/**
 * All values of a profile that must not appear in files and output. Includes keys that are almost right, as
 * they reveal the right one.
 */
export function secretsOf({ profile }: Pick<RunSetup, 'profile'>): Secret[] {
  const credentials = surfaceCredentials(profile)
  // Keys may all begin with a company's name.
  const secret = { apiKey: undefined, compatKey: undefined, nativeToken: undefined }
  const inHeaders = { headers: undefined, fromVariables: undefined }
  const others = { ...profile, ...secret, ...inHeaders, otherKey: undefined }
  const ordinary = JSON.stringify(others)
  const plain = JSON.stringify([endpointsOf(profile), profile.models, profile.assistants])
  const keys: [string, string | undefined][] = [
    ['api key', credentials.openai],
    ['native token', credentials.v3 === credentials.openai ? undefined : credentials.v3],
    ['other key', profile.otherKey],
  ]
  return [
    ...keys.flatMap(([name, value]) => {
      if (value === undefined) return []
      return [
        { name, value, ordinary },
        { name: `${name} without its first character`, value: value.slice(1) },
        { name: `${name} without its last character`, value: value.slice(0, -1) },
        { name: `${name} in the other letter case`, value: swapLetterCase(value) },
      ]
    }),
    ...headerSecrets(profile.headers),
    // Other variables are the name of a host, a model or a tenant, or a switch.
    ...(profile.fromVariables ?? []).filter(
      ({ value }) => isUnmistakable(value) && !plain.includes(value),
    ),
    ...endpointsOf(profile).flatMap(({ baseUrl }) => userInfoSecrets('base url password', baseUrl)),
    ...userInfoSecrets('proxy password', profile.network?.proxy ?? ''),
  ]
}

const credentialName =
  /api-?key|assertion|auth|bypass|cookie|credential|jwt|passw|secret|session|signature|token|keys?$/i
/** Values of switches, which occur in any response. */
const switches = ['true', 'false', 'null', 'none']

/** A gateway may require its own credential, with or without a scheme before it. */
function headerSecrets(headers: Readonly<Record<string, string>>): Secret[] {
  return Object.entries(headers)
    .filter(([name, value]) => credentialName.test(name) && !switches.includes(value))
    .flatMap(([header, value]) => {
      const name = `header ${header.toLowerCase()}`
      const [, credential] = /^[A-Za-z]+ +(\S.*)$/.exec(value) ?? []
      const values = credential === undefined ? [value] : [value, credential]
      return values.map((secret) => ({ name, value: secret }))
    })
}

/** `bob:secret` of `http://bob:secret@host`; also if the rest is not an address. */
const userInfo = /^(\s*(?:[a-z][a-z0-9+.-]*:)?\/\/)?([^/?#]*)@/i

/** Userinfo of an address, as written and with its percent codes resolved. */
export function userInfoSecrets(name: string, url: string): Secret[] {
  const [, , written = ''] = userInfo.exec(url) ?? []
  if (written === '') return []
  const read = decoded(written)
  const passwords = [written, read].map((text) => text.slice(text.indexOf(':') + 1))
  return [
    ...[...new Set([written, read])].flatMap((text) => [
      // Including the `@`, even a short one does not match by chance.
      { name, value: `${text}@`, everywhere: true },
      { name, value: text },
    ]),
    ...[...new Set(passwords)].map((value) => ({ name, value })),
  ]
}

export function withoutUserInfo(url: string): string {
  return url.replace(userInfo, '$1')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The bearer token of each surface; undefined if the profile has none, or the target takes none. */
export function surfaceCredentials(
  profile: Pick<TargetProfile, 'apiKey' | 'compatKey' | 'nativeToken' | 'auth'>,
): Readonly<Record<Surface, string | undefined>> {
  if (profile.auth === 'none') return { openai: undefined, v2: undefined, v3: undefined }
  const native = profile.nativeToken ?? profile.apiKey
  return { openai: profile.compatKey ?? profile.apiKey, v2: native, v3: native }
}
