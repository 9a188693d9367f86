import { markOf, type Secret, shortestEncoded, shortestSecret } from './forms.ts'

/**
 * The value of `Authorization` with a mark in place of a secret that is too short to be looked for in
 * text: here it is compared with the credential itself. What follows the secret stays.
 */
export function markCredential(value: string, secrets: readonly Secret[]): string {
  const [, scheme = '', credential = ''] = /^([^ ]+ +)?(.*)$/.exec(value) ?? []
  const short = secrets
    .filter((secret) => secret.value !== '' && secret.value.length < shortestEncoded)
    .toSorted((a, b) => b.value.length - a.value.length)
  for (const { name, value: secret } of short) {
    const mark = markOf(name)
    if (secret.length < shortestSecret && credential.startsWith(secret)) {
      return `${scheme}${mark}${credential.slice(secret.length)}`
    }
    const marked = /^basic +$/i.test(scheme) ? inBasic(credential, secret, mark) : undefined
    if (marked !== undefined) return scheme + marked
  }
  return value
}

/** The mark in place of the base64 digits that hold bits of the password alone (RFC 7617). */
function inBasic(credential: string, secret: string, mark: string): string | undefined {
  const read = Buffer.from(credential, 'base64').toString('latin1')
  if (!read.endsWith(`:${secret}`)) return undefined
  const end = Math.floor((read.length * 8) / 6)
  const start = Math.ceil(((read.length - secret.length) * 8) / 6)
  return credential.slice(0, start) + mark + credential.slice(end)
}
