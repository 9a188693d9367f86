import {
  type Compared,
  covers,
  describe,
  findDifferences,
  overBothVersions,
  test,
  whereNegotiated,
} from '../../harness/conformance/scenario/index.ts'

/** Section 1 names addresses and no version of HTTP: differences between two of them are observed. */
describe('HTTP versions', () => {
  test(
    'a target that negotiates HTTP/2 also answers over HTTP/1.1',
    whereNegotiated(covers(['OAI-STREAM-01', 'V3-SSE-01'], { requests: 6, generations: 2 })),
    async ({ openai, oneShot, chats, keys, session, prompts }) => {
      const question = prompts.sentences(3, 'bread is made')
      const compatible = [
        ['GET /models', (options) => openai.models(options)],
        [
          'a streamed completion',
          (options) => openai.chat(openai.chatBody(question, { stream: true }), options),
        ],
        ['GET /models without a key', (options) => openai.models({ ...options, ...withoutKey })],
      ] satisfies Question[]
      const native = [
        [
          'a streamed one-shot',
          (options) => oneShot.send(oneShot.body(question, { stream: true }), options),
        ],
        ['GET /chat without a key', (options) => chats.list({}, { ...options, ...withoutKey })],
      ] satisfies Question[]
      const isCompatible = session.isJudged('OAI-STREAM-01')
      const key = isCompatible ? keys.openai : keys.v3

      const alike: { what: string; answers: Compared }[] = []
      for (const [what, send] of isCompatible ? compatible : native) {
        if (what.endsWith('without a key') && key === undefined) continue
        const answers = await overBothVersions(send)
        if (answers === undefined) break
        const { http2, http1 } = answers
        const differences = findDifferences(answers)
        for (const difference of differences) {
          session.observe('OPEN-44', `${what}: ${difference}`, [http2, http1])
        }
        if (differences.length === 0) alike.push({ what, answers })
        // A target that is unreachable with this version is not asked again.
        if (http1.response === null) break
      }
      if (alike.length === 0) return
      const both = alike.flatMap(({ answers }) => [answers.http2, answers.http1])
      const routes = alike.map(({ what }) => what).join(', ')
      session.observe('OPEN-44', `alike: ${routes}`, both)
    },
  )
})

type Send = Parameters<typeof overBothVersions>[0]
type Question = readonly [what: string, send: Send]

const withoutKey = { role: 'negative', authorization: null } as const
