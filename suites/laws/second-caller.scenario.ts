import {
  coversAtDepth,
  describe,
  describeRow,
  type Exchange,
  expectAccepted,
  plain,
  type Scenario,
  statusText,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { type Caller, secondCaller } from '../support/credentials.ts'
import { doBefore } from './conditions/edits.ts'

const requirements = ['V3-CHAT-04', 'V3-HIST-01', 'V3-HIST-10', 'V3-ATT-12', 'V3-ATT-13'] as const

/** Section 5: another key may have fewer rights, but what it has read of its own chat it may read again. */
describe('v3: laws of another caller', () => {
  test(
    'a chat MUST stay readable for another caller under every condition',
    coversAtDepth(requirements, (_, depth) =>
      depth === 'quick' ? {} : { requests: 120, chats: 1 },
    ),
    async ({ v3, chats, claim, session, profile, depth, scenario }) => {
      const caller = secondCaller(profile)
      if (caller === undefined || depth === 'quick') return
      const created = await v3.postChat(session.name(), {}, { role: 'probe', ...caller })
      const id = v3.newChatId(created)
      // Its key is a guess until it was accepted once.
      if (id === undefined) return
      v3.deleteOnCleanup(id, caller)
      const attempts = await readOften(scenario, id, caller)
      for (const area of ['V3-CHAT', 'V3-HIST', 'V3-ATT']) {
        const all = attempts.filter((one) => one.requirement.startsWith(area))
        const accepted = all.find(({ answer }) => succeeded(answer))
        if (accepted === undefined) continue
        // The first read that is refused again and again, though the chat is visible by now.
        let found = { ...accepted, answers: [accepted.answer] }
        for (const one of all.filter(({ answer }) => isRefusal(answer))) {
          const again = await chats.poll(one.repeat, (_, read) => succeeded(read))
          if (!isRefusal(again)) continue
          found = { ...one, answers: [again, one.answer, accepted.answer] }
          break
        }
        const { requirement, what, answers } = found
        const [last = accepted.answer] = answers
        claim(requirement, () => expectAccepted(last, what), ...answers)
      }
    },
  )
})

/** Reads a chat in each way, directly after what each condition requires. */
async function readOften(scenario: Scenario, id: string, caller: Caller) {
  const { v3, chats, session } = scenario
  const options = { role: 'probe', ...caller } as const
  const search = session.nonce()
  const attempts = []
  for (const after of [undefined, 'refusal', 'rename', 'favorite']) {
    const ofHistory = after === undefined ? 'V3-HIST-01' : 'V3-HIST-10'
    const reads = [
      ['V3-CHAT-04', {}, () => chats.get(id, options)],
      [ofHistory, {}, () => v3.history(id, {}, options)],
      ['V3-HIST-10', { limit: '10' }, () => v3.history(id, { limit: 10 }, options)],
      ['V3-HIST-10', { limit: '20' }, () => v3.history(id, { limit: 20 }, options)],
      ['V3-ATT-12', {}, () => chats.attachments(id, {}, options)],
      ['V3-ATT-13', { search }, () => chats.attachments(id, { search }, options)],
    ] as const
    if (after !== 'refusal') await doBefore(scenario, id, after, caller)
    for (const [requirement, row, read] of reads) {
      const repeat = async () => {
        if (after === 'refusal') await doBefore(scenario, id, after, caller)
        return read()
      }
      const under = describeRow({ ...row, after: after ?? plain })
      const what = `a read by another caller, who has read the same chat (${under})`
      const answer = await repeat()
      attempts.push({ requirement, what, repeat, answer })
    }
  }
  return attempts
}

/** Neither a rate limit nor an answer of a gateway says that the chat may not be read. */
function isRefusal(answer: Exchange): boolean {
  const passing = ['408', '429', '502', '503', '504']
  return answer.response !== null && !succeeded(answer) && !passing.includes(statusText(answer))
}
