import { type RequirementId, succeeded } from '../../../contract/index.ts'
import {
  answerJson,
  contains,
  isUuid,
  leavesOf,
  statusText,
} from '../../conformance/scenario/read.ts'
import { stillGenerates } from '../checks/common.ts'
import { type Command, demand } from '../command.ts'

/** An answer without a stored chat (section 4.3): no list shows a new chat that holds its words. */
const oneShot: Command = {
  name: 'one-shot',
  weight: 1,
  generations: 1,
  draw: (_model, pick) => ({ variant: pick(2) === 0 ? 'json' : 'stream' }),
  applies: () => true,
  async run(world, { variant }) {
    const { chats, v3, session, knowledge } = world
    const stream = variant === 'stream'
    const before = await chats.list({}, { role: 'probe' })
    const mark = session.nonce()
    const body = world.oneShot.body(`Name a colour for ${mark}.`, { stream })
    const reply = world.act(await world.oneShot.send(body))
    const ability = `one-shot as ${variant}`
    if (!succeeded(reply)) {
      if (!knowledge.isAble(ability) || !(await stillGenerates(world, stream))) return
      const row: RequirementId = stream ? 'V3-ONE-02' : 'V3-ONE-01'
      demand(false, row, `a further one-shot was answered ${statusText(reply)}`, reply)
    }
    knowledge.prove(ability)
    const after = await chats.list({}, { role: 'probe' })
    const known = new Set(idsIn(answerJson(before)))
    const why = 'a one-shot was stored as a chat'
    demand(!contains(answerJson(after), mark), 'V3-ONE-09', why, reply, after)
    for (const id of idsIn(answerJson(after)).filter((one) => !known.has(one))) {
      const history = await v3.history(id)
      demand(!contains(answerJson(history), mark), 'V3-ONE-09', why, reply, history)
    }
  },
}

function idsIn(body: unknown): readonly string[] {
  return leavesOf(body).flatMap(({ value }) => (isUuid(value) ? [value] : []))
}

export const oneShotCommands: readonly Command[] = [oneShot]
