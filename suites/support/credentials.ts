import { type RequirementId, swapLetterCase } from '../../contract/index.ts'

/** A way not to have the right key (section 5). */
export interface BadCredential {
  readonly row: RequirementId
  readonly what: string
  /** Value of `Authorization`; null sends none. */
  readonly authorization: string | null
}

/** One or more for each of the first four AUTH rows of a surface. */
export function badCredentials(surface: 'OAI' | 'V2' | 'V3', key: string): BadCredential[] {
  const basic = Buffer.from(`user:${key}`).toString('base64')
  return [
    { row: `${surface}-AUTH-01`, what: 'no key', authorization: null },
    { row: `${surface}-AUTH-02`, what: 'a wrong key', authorization: `Bearer ${strangerTo(key)}` },
    { row: `${surface}-AUTH-03`, what: 'another scheme', authorization: `Basic ${basic}` },
    {
      row: `${surface}-AUTH-03`,
      what: 'the key under another scheme',
      authorization: `Token ${key}`,
    },
    { row: `${surface}-AUTH-01`, what: 'the scheme alone', authorization: 'Bearer' },
    {
      row: `${surface}-AUTH-04`,
      what: 'the key without its last character',
      authorization: `Bearer ${key.slice(0, -1)}`,
    },
    {
      row: `${surface}-AUTH-04`,
      what: 'the key with one more character',
      authorization: `Bearer ${key}x`,
    },
  ]
}

/** The same with credentials that only a careless comparison lets through, for one route of a surface. */
export function allBadCredentials(surface: 'OAI' | 'V2' | 'V3', key: string): BadCredential[] {
  const swapped = swapLetterCase(key)
  const inOtherCase: BadCredential = {
    row: `${surface}-AUTH-02`,
    what: 'the key in the other letter case',
    authorization: `Bearer ${swapped}`,
  }
  return [
    ...badCredentials(surface, key),
    { row: `${surface}-AUTH-03`, what: 'the key without a scheme', authorization: key },
    ...(swapped === key ? [] : [inOtherCase]),
  ]
}

/** Key as long as the given one and unlike it from the first character on. */
function strangerTo(key: string): string {
  return [...key].map((character) => (character === 'q' ? 'z' : 'q')).join('')
}
