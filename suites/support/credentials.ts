import { type RequirementId, type Surface, sentPath, swapLetterCase } from '../../contract/index.ts'
import {
  assume,
  claimRejected,
  type covers,
  coversAtDepth,
  type Exchange,
  expect,
  isDeclined,
  requireProfile,
  type Scenario,
  statusText,
  succeeded,
  type TargetProfile,
} from '../../harness/conformance/scenario/index.ts'
import { type Dimensions, rowsOf } from './mistakes.ts'

const areas = { openai: 'OAI', v2: 'V2', v3: 'V3' } as const

/** Missing and wrong credentials (section 5), at least one for each of the first four AUTH requirements of a surface. */
function badCredentials(surface: Surface, key: string) {
  const basic = Buffer.from(`user:${key}`).toString('base64')
  const swapped = swapLetterCase(key)
  const bad = (at: 1 | 2 | 3 | 4, what: string, authorization: string | null) => ({
    requirement: `${areas[surface]}-AUTH-0${at}` as const,
    what,
    /** Value of `Authorization`; null sends none. */
    authorization,
  })
  return [
    bad(1, 'no key', null),
    bad(2, 'a wrong key', `Bearer ${[...key].map(another).join('')}`),
    bad(3, 'another scheme', `Basic ${basic}`),
    bad(3, 'the key under another scheme', `Token ${key}`),
    bad(3, 'the key without a scheme', key),
    bad(1, 'the scheme alone', 'Bearer'),
    bad(4, 'the key without its last character', `Bearer ${key.slice(0, -1)}`),
    // What follows a comma may be read as another value of the header.
    bad(4, 'the key with two more characters', `Bearer ${key},x`),
    bad(
      4,
      'the key with another last character',
      `Bearer ${key.slice(0, -1)}${another(key.at(-1))}`,
    ),
    bad(2, 'the key with another first character', `Bearer ${another(key[0])}${key.slice(1)}`),
    ...(swapped === key ? [] : [bad(2, 'the key in the other letter case', `Bearer ${swapped}`)]),
  ]
}

/** Another character, with different leading bits in base64: the trailing bits of a token may be unused. */
function another(character = ''): string {
  return /[g-v]/.test(character) ? 'A' : 'q'
}

/** Parameters or fields that a request has in addition to those of the plain one. */
export type Members = Readonly<Record<string, unknown>>

/** Requests for the other models of a profile, as variants. */
export function forOtherModels(
  { models: { aliases, vision } }: TargetProfile,
  member: 'model' | 'model_id',
  ofImages: Members = {},
): Readonly<Record<string, Members>> {
  return {
    'for another model id': { [member]: aliases[0] ?? vision },
    'for the model of images': { [member]: vision, ...ofImages },
  }
}

interface Protected {
  readonly surface: Surface
  /** Accepted request that differs from the refused ones only in the key, and in the members of a variant. */
  readonly control: Exchange
  /** True if the control has the requested content; absent if the key is known to be accepted. */
  readonly isRight?: boolean | undefined
  /** Further members, by their description; streams are requested with each credential, others with some. */
  readonly variants?: Readonly<Record<string, Members>>
  /** Members that are combined with each other and with the variants at depth full. */
  readonly conditions?: Dimensions | undefined
  readonly send: (
    options: { readonly role: 'negative'; readonly authorization: string | null },
    members: Members,
  ) => Promise<Exchange>
  /** Any request that shows that the server is alive; sent after the others. */
  readonly ping: () => Promise<Exchange>
  /** Route, for messages; that of the request by default. */
  readonly route?: string
}

/** Sends a request with each of these credentials: 401 on the compatible surface, no success on the others. */
export async function expectKeyNeeded(
  scenario: Scenario,
  { surface, control, isRight, variants = {}, conditions, send, ping, route }: Protected,
) {
  const { claim, session, keys, depth } = scenario
  if (isRight !== undefined) {
    const status = control.response?.status ?? 0
    // A success without content may not have checked the key at all.
    const isDecided = isRight || status === 401 || status === 403
    assume(isDecided, `the request with the key got no valid answer (${status})`, control)
    const received = expect(status, 'status of a request with the right key')
    claim(`${areas[surface]}-AUTH-05`, () => received.toBeLessThan(400), control)
  }
  const key = keys[surface]
  requireProfile(key, 'apiKey')
  const credentials = badCredentials(surface, key)
  // No key, another scheme, and a key that differs at its end.
  const likely = credentials.filter(({ what }) => /^no key|under another|another last/.test(what))
  const what = `${control.request.method} ${sentPath(control)}, the accepted control,`
  assume(succeeded(control), `${what} was refused with ${statusText(control)}`, control)
  const sent = []
  const dimensions = { ...dimensionsOf(variants), ...conditions }
  const combined = rowsOf(dimensions, undefined, scenario, depth === 'full' ? maxRows : 0)
  const rows = new Map(combined.map(([name, { members = {} }]) => [name, members]))
  for (const [name, members] of [...plainOnes, ...Object.entries(variants), ...rows]) {
    const isWhole = rows.has(name) || Object.keys(members).every((member) => member === 'stream')
    for (const credential of isWhole ? credentials : likely) {
      const what = name === '' ? credential.what : `${credential.what} (${name})`
      const options = { role: 'negative', authorization: credential.authorization } as const
      const refused = await send(options, members)
      sent.push({ ...credential, what, refused })
    }
  }
  const after = await ping()
  const next = `a valid request after those without a key was refused with ${statusText(after)}`
  assume(succeeded(after), next, after)
  const path = route ?? `${control.request.method} ${new URL(control.request.url).pathname}`
  const isCompatible = surface === 'openai'
  const expected = isCompatible
    ? { status: 401 }
    : { noServerError: `${areas[surface]}-AUTH-06` as const }
  for (const { requirement, what, refused } of sent) {
    claimRejected(claim, refused, path, { requirement, control, what, ...expected })
    if (surface === 'v3' && isDeclined(refused))
      session.observe('OPEN-16', `${path} with ${what}: ${statusText(refused)}`, [refused])
  }
  return sent
}

const plainOnes: readonly (readonly [string, Members])[] = [['', {}]]

/** Rows of combined members, each of which is sent with eleven credentials. */
const maxRows = 12

/** Options of a scenario with credentials, whose cost is that without combined members. */
export function coversKeys(
  requirements: readonly RequirementId[],
  cost: Parameters<typeof covers>[1],
) {
  return coversAtDepth(requirements, (_, depth) => ({
    ...cost,
    requests: (cost.requests ?? 0) + (depth === 'full' ? 11 * maxRows : 0),
  }))
}

/** Variants with the same members exclude each other. */
function dimensionsOf(variants: Readonly<Record<string, Members>>): Dimensions {
  const groups = Map.groupBy(Object.entries(variants), ([, members]) => Object.keys(members).join())
  return Object.fromEntries([...groups].map(([name, of]) => [name, Object.fromEntries(of)]))
}

/** Key of a caller other than that of the profile. */
export type Caller = { readonly authorization?: string }

/** The second caller; undefined if the profile has no key of one. */
export function secondCaller({ otherKey }: TargetProfile): Required<Caller> | undefined {
  return otherKey === undefined ? undefined : { authorization: `Bearer ${otherKey}` }
}

/** A v2 chat of another caller; undefined if the profile does not say how it gets one, or its key lacks the right to it. */
export async function v2ChatOf(
  { v2, profile, session, prompts }: Scenario,
  caller: Required<Caller> | undefined,
): Promise<string | undefined> {
  const { v2Chat = { ids: [] } } = profile
  if (caller === undefined || 'ids' in v2Chat) return undefined
  const chat = await v2.chat(session.name(), caller).catch(() => undefined)
  if (chat === undefined) return undefined
  const body = v2.messageBody(chat, prompts.followUp())
  return succeeded(await v2.message(body, { role: 'probe', ...caller })) ? chat : undefined
}
