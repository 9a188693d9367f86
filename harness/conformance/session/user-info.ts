import type { Secret } from '../../client/index.ts'

/** `bob:secret` of `http://bob:secret@host`; also where the rest is no address. */
const userInfo = /^(\s*(?:[a-z][a-z0-9+.-]*:)?\/\/)?([^/?#]*)@/i

/** What an address says before its `@`, as it stands and with its percent codes resolved. */
export function userInfoSecrets(name: string, url: string): Secret[] {
  const [, , written = ''] = userInfo.exec(url) ?? []
  if (written === '') return []
  const read = decoded(written)
  const passwords = [written, read].map((text) => text.slice(text.indexOf(':') + 1))
  return [
    ...[...new Set([written, read])].flatMap((text) => [
      // With its end, even a short one is found nowhere by chance.
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
