import {
  answerJson,
  assume,
  assumeRead,
  contains,
  covers,
  describe,
  describeShape,
  type Exchange,
  expect,
  expectAccepted,
  type JsonLeaf,
  type KnowledgePrefix,
  leavesOf,
  type Scenario,
  statusText,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { secondCaller } from '../support/credentials.ts'
import { buildTextFile } from '../support/test-data.ts'

/** Sections 2.7 and 4.3: knowledge bases. The profile defines the paths below the prefix. */
describe('knowledge bases', () => {
  test(
    'the knowledge bases MUST be listed',
    covers(['KB-01'], { requests: 1 }),
    async ({ knowledge, claim, profile, session }) => {
      const list = await knowledge.readBases()
      const [first] = list.pages
      const isNamed = contains(list.body, profile.knowledge?.baseId ?? '')
      assumeRead(list, isNamed)
      const isListed = () => {
        expectAccepted(list, 'the list of bases')
        expect(isNamed, 'the list names the base of the profile').toBe(true)
      }
      claim('KB-01', isListed, list)
      if (succeeded(first)) session.observe('OPEN-04', describeShape(first), [first])
    },
  )

  test(
    'a search MUST find the content of documents',
    covers(['KB-03'], { requests: 1 }),
    async ({ knowledge, claim, profile, session }) => {
      const found = await knowledge.send('search')
      const isFound = contains(answerJson(found), profile.knowledge?.expect ?? '')
      claim('KB-03', () => {
        expectAccepted(found, 'a search')
        expect(isFound, 'the search finds the fact that knowledge.expect names').toBe(true)
      })
      session.observe('OPEN-15', `search: ${statusText(found)} ${describeShape(found)}`, [found])
    },
  )

  test(
    '/api/knowledge and /api/v3/knowledge MUST give equal responses',
    covers(['KB-04'], { requests: 50 }),
    async ({ knowledge, claim, session, profile, scenario }) => {
      const routes = ['list', 'search'] as const
      const { baseId = '', expect: fact = '' } = profile.knowledge ?? {}
      const tells = (answer: Exchange, name: 'list' | 'search' | null) =>
        name === null
          ? factsOf(answer).length > 0
          : contains(answerJson(answer), name === 'list' ? baseId : fact)
      const configured = routes.filter((name) => profile.knowledge?.routes?.[name])
      for (const name of configured.length > 0 ? configured : [null]) {
        const both = await readBoth(scenario, (prefix) => knowledge.send(name, { prefix }))
        const [v3, plain] = both
        const isTold = [v3, plain].some((answer) => succeeded(answer) && tells(answer, name))
        const untold =
          name === null
            ? 'no path below the prefix is known: set knowledge.routes'
            : `neither prefix shows what the profile says of its ${name}`
        assume(isTold, untold, v3, plain)
        claimAlike(scenario, name, both)
        const second = secondCaller(profile)
        if (second === undefined) continue
        const ofSecond = await readBoth(scenario, (prefix) =>
          knowledge.send(name, { prefix, ...second }),
        )
        claimAlike(scenario, name, ofSecond)
      }
      if (!configured.includes('search')) return
      // The text of an error may name its path.
      await session.waitForOthers()
      const values = { baseId: session.uuid() }
      const unknown = { values, role: 'probe' } as const
      const v3 = await knowledge.send('search', unknown)
      const plain = await knowledge.send('search', { ...unknown, prefix: '/api/knowledge' })
      const status = expect(plain.response?.status, 'status of a search in an unknown base')
      claim('KB-04', () => status.toBe(v3.response?.status), plain, v3)
    },
  )

  test(
    'a document that is uploaded MUST be found, under both prefixes',
    covers(['KB-02', 'KB-04'], { requests: 30, uploads: 2 }),
    async ({ knowledge, chats, claim, session, prompts, scenario }) => {
      const upload = async (prefix: KnowledgePrefix) => {
        const nonce = session.nonce()
        const file = buildTextFile(session, nonce)
        const values = { name: file.name, nonce }
        const uploaded = await knowledge.send('upload', { prefix, file, values })
        if (!succeeded(uploaded)) return { nonce, uploaded, isFound: false, evidence: [uploaded] }
        const { question } = prompts.document(nonce)
        const found = await chats.poll(
          () => knowledge.send('search', { values: { question } }),
          (body) => contains(body, nonce),
        )
        const isFound = contains(answerJson(found), nonce)
        return { nonce, uploaded, isFound, evidence: [uploaded, found] }
      }
      const v3 = await upload('/api/v3/knowledge')
      const takes = () => {
        expectAccepted(v3.uploaded, 'an upload')
        expect(v3.isFound, 'a search finds the document').toBe(true)
      }
      const isTaken = claim('KB-02', takes, ...v3.evidence)
      const plain = await upload('/api/knowledge')
      assume(isTaken, 'a document that is uploaded is not found', ...v3.evidence)
      const isAlike = () => {
        const { status } = v3.uploaded.response ?? {}
        expect(plain.uploaded.response?.status, 'status of the upload').toBe(status)
        expect(plain.isFound, 'a search finds the document').toBe(true)
        const answers = [v3.uploaded, plain.uploaded] as const
        const lost = [...membersLost(...answers), ...membersLost(answers[1], answers[0])]
        expect(lost, 'members that the answer to the upload lacks').toEqual([])
      }
      claim('KB-04', isAlike, ...plain.evidence, v3.uploaded)
      // A question about both documents has several results.
      const { question } = prompts.document(`${v3.nonce} ${plain.nonce}`)
      const found = await readBoth(scenario, (prefix) =>
        knowledge.send('search', { prefix, values: { question } }),
      )
      claimAlike(scenario, 'a search for two documents', found)
    },
  )
})

function claimAlike({ claim }: Scenario, name: string | null, [v3, plain, changing]: Both): void {
  const isAlike = () => {
    const { status } = v3.response ?? {}
    expect(plain.response?.status, `status of ${name ?? 'the prefix'}`).toBe(status)
    const facts = expect(factsOf(plain, changing), 'the answer below /api/knowledge')
    facts.toEqual(factsOf(v3, changing))
  }
  claim('KB-04', isAlike, plain, v3)
}

/**
 * Reads both prefixes. Other scenarios upload at the same time, and one of them may find a document later than the
 * other, so a difference counts only if both responses are unchanged for as long as a change may take, except for
 * members that are others each time and numbers that have changed.
 */
async function readBoth(
  { session }: Scenario,
  read: (prefix: KnowledgePrefix) => Promise<Exchange>,
): Promise<Both> {
  let before: readonly [Exchange, Exchange] | undefined
  const numbers: string[] = []
  for (let tries = 1; ; tries += 1) {
    // In changing order, as two replicas that answer in turn may be of different versions.
    const early = tries % 2 === 0 ? await read('/api/knowledge') : undefined
    const v3 = await read('/api/v3/knowledge')
    const plain = early ?? (await read('/api/knowledge'))
    const [earlier, other] = before ?? [v3, plain]
    numbers.push(...changedNumbers(earlier, v3), ...changedNumbers(other, plain))
    const changing = [...namesOfChanges(earlier, v3), ...numbers]
    const same = (a: Exchange, b: Exchange) =>
      String(factsOf(a, changing)) === String(factsOf(b, changing))
    const isSettled = before !== undefined && same(before[0], v3) && same(before[1], plain)
    if (same(v3, plain) || isSettled) return [v3, plain, changing]
    assume(tries < maxReads, 'the bases change while they are compared', v3, plain)
    before = [v3, plain]
    await session.sleep(session.settling.ms)
  }
}

/** The answers below both prefixes, and the members that are others each time. */
type Both = readonly [v3: Exchange, plain: Exchange, changing: readonly string[]]

const maxReads = 6

/** Names of numbers with a new value, such as a score, which depends on what else a base contains. */
function changedNumbers(before: Exchange, after: Exchange): readonly string[] {
  const old = new Set(leavesOf(answerJson(before)).map((leaf) => `${nameOf(leaf)}: ${leaf.value}`))
  return leavesOf(answerJson(after))
    .filter((leaf) => typeof leaf.value === 'number' && !old.has(`${nameOf(leaf)}: ${leaf.value}`))
    .map(nameOf)
}

const nameOf = ({ path }: JsonLeaf) => path.at(-1) ?? ''

/** Names of members that have none of their values again, such as an id of the request. */
function namesOfChanges(before: Exchange, after: Exchange): readonly string[] {
  const old = Map.groupBy(leavesOf(answerJson(before)), nameOf)
  const isKept = (leaf: JsonLeaf) =>
    old.get(nameOf(leaf))?.some(({ value }) => value === leaf.value)
  const found = Map.groupBy(leavesOf(answerJson(after)), nameOf)
  return [...found].flatMap(([name, leaves]) => (leaves.some(isKept) ? [] : [name]))
}

/**
 * Texts and numbers that one answer has and the other lacks, unless that has other members: a name may be that of the
 * file. A list may be empty.
 */
function membersLost(full: Exchange, part: Exchange): readonly string[] {
  const [all, rest] = [leavesOf(answerJson(full)), leavesOf(answerJson(part) ?? {})]
  const [paths, kept] = [new Set(all.map(placeOf)), new Set(rest.map(placeOf))]
  if ([...kept].some((place) => !paths.has(place))) return []
  const isShown = ({ path, value }: JsonLeaf) =>
    ['string', 'number'].includes(typeof value) && !path.some((step) => /^\d+$/.test(step))
  const lost = all.filter((leaf) => isShown(leaf) && !kept.has(placeOf(leaf)))
  return lost.map(placeOf)
}

const placeOf = ({ path }: JsonLeaf) => path.join('/')

/** The values of an answer without links and times, which may differ. */
function factsOf(exchange: Exchange, changing: readonly string[] = []): string[] {
  return leavesOf(answerJson(exchange))
    .filter((leaf) => !changing.includes(nameOf(leaf)))
    .filter(
      ({ value }) => !(typeof value === 'string' && /^(https?:|\/|\d{4}-\d\d-\d\dT)/.test(value)),
    )
    .filter(({ path }) => !/time|_at$|_ms$|took|duration/i.test(path.at(-1) ?? ''))
    .map(({ path, value }) => `${path.join('/')}: ${JSON.stringify(value)}`)
    .sort()
}
