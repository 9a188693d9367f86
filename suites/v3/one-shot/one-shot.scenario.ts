import {
  answerJson,
  assume,
  contains,
  covers,
  describe,
  type Exchange,
  expect,
  inputText,
  isDeclined,
  isUuid,
  leavesOf,
  type ScenarioContext,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { buildRecall, createRecallLaw, knows, type Recall } from '../../support/recall.ts'
import { guessedRuns } from '../../support/test-data.ts'

/** Section 4.3: POST /message/one-shot, an answer without a stored chat. */
describe('v3: one-shot', () => {
  test(
    'a one-shot MUST NOT store a chat, and SHOULD read every item',
    covers(['V3-ONE-09', 'V3-GEN-16'], { requests: 44, generations: 2, chats: 1 }, 6),
    async ({ oneShot, v3, chats, claim, session, profile, prompts }) => {
      const chat = await v3.createChat()
      const before = await chats.walk({}, [chat])
      assume(before.pagesWith(chat.id).length > 0, 'the list does not show a chat that exists')
      const recall = buildRecall(profile, session.nonce())
      const { fact: nonce, tell, ask } = recall
      const whole = await oneShot.sendOk(oneShot.body(`${tell} ${ask}`))
      const stream = await askInItems({ oneShot, claim, session, prompts, profile }, recall)
      const found = await chats.readList({ search: nonce })
      const after = await chats.walkOnce({}, [chat])
      // A new chat whose name has none of the words is detected by its history.
      const idsBefore = new Set(idsIn(before.body))
      const histories: Exchange[] = [await v3.history(chat)]
      for (const id of idsIn(after.body).filter((one) => !idsBefore.has(one))) {
        histories.push(await v3.history(id))
      }
      const isNotStored = () => {
        for (const list of [found, after]) {
          expect(
            contains(list.body, nonce),
            'the list shows a chat with the words of the one-shot',
          ).toBe(false)
        }
        const kept = histories.filter((history) => contains(answerJson(history), nonce))
        expect(kept.length, 'chats whose history contains the one-shot').toBe(0)
      }
      claim(
        'V3-ONE-09',
        isNotStored,
        found,
        after,
        whole,
        stream,
        ...histories.filter((history) => contains(answerJson(history), nonce)),
      )
    },
  )

  test(
    'response of one-shot to both tool lists',
    covers(['V3-ONE-01'], { requests: 1, generations: 1 }),
    async ({ oneShot, session, prompts }) => {
      const lists = { exclude_tools: ['get_weather'], include_tools: ['get_time'] }
      const probe = await oneShot.send(oneShot.body(prompts.brief(), lists), { role: 'probe' })
      session.observe(
        'OPEN-37',
        isDeclined(probe) ? `refused with ${probe.response?.status}` : 'accepted',
        [probe],
      )
    },
  )
})

/** The UUIDs in an answer, without duplicates. */
function idsIn(body: unknown): string[] {
  const texts = leavesOf(body).map(({ value }) => value)
  return [...new Set(texts.filter(isUuid))]
}

/** Tells a fact in an item before that of its question; returns the stream of the answer. */
async function askInItems(
  context: Pick<ScenarioContext, 'oneShot' | 'claim' | 'session' | 'prompts' | 'profile'>,
  { fact, tell, ask }: Recall,
): Promise<Exchange> {
  const { oneShot, profile, session } = context
  const body = oneShot.body([inputText(tell), inputText(ask)], { stream: true })
  const runs = (profile.requests.runs ?? guessedRuns(profile, session)).filter(
    (run) => !JSON.stringify(run).includes('{nonce}'),
  )
  // Their shape may be a guess, which an answer that knows the fact has not misread.
  const withRuns = await oneShot.send({ ...body, runs }, { role: 'probe' })
  if (knows(withRuns, [fact])) return withRuns
  const answer = await oneShot.sendOk(body)
  await createRecallLaw(context)({
    requirement: 'V3-GEN-16',
    answer,
    fact,
    conversation: [tell, ask],
    again: () => oneShot.send(body),
    alone: (text) => oneShot.send(oneShot.body(text, { stream: true })),
    what: 'the answer to a question about an earlier item',
  })
  return answer
}
