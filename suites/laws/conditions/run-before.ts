/** Runs that a later turn names as its parent, whatever happened to the chat, and runs whose stream was left. */
import {
  type Chat,
  type Exchange,
  expect,
  isDeclined,
  type Scenario,
} from '../../../harness/conformance/scenario/index.ts'
import { claimTurnKept, inputTexts } from '../../support/history.ts'
import { sayBesideOtherChat } from '../../support/raced-turns.ts'
import { type Recall, sayAlone } from '../../support/recall.ts'
import { buildTextFile } from '../../support/test-data.ts'
import { parentIn } from '../turn-history.ts'
import type { Run } from '../turn-laws.ts'
import { doBefore } from './edits.ts'
import type { Body } from './plan.ts'

type Change = 'upload' | 'title' | 'favorite' | 'unfavorite'

/** Changes of a chat before a fact is told, and again before the question; a title costs a generation. */
export const changesAt: Readonly<Record<Scenario['depth'], readonly (readonly Change[])[]>> = {
  quick: [['upload', 'favorite', 'unfavorite']],
  normal: [['upload', 'favorite', 'unfavorite']],
  full: [['favorite', 'unfavorite'], ['upload'], ['title']],
}

/** A turn beside one of another chat, and changes of its chat, is kept; a turn with it as parent knows its fact. */
export async function claimRunBefore(
  run: Run,
  { fact, tell, ask }: Recall,
  changes: readonly Change[],
  /** Another chat, whose history is short. */
  other?: Chat,
): Promise<void> {
  const { v3, texts, send, prompts, session } = run
  const chat = other ?? run.chat
  await changeChat(run, chat, changes)
  const parent_id = other ? undefined : run.parent
  const turn = v3.generateBody(chat, tell, { stream: true })
  const say = async (options: object) => {
    if (parent_id === undefined) return v3.generateOk(turn, options)
    const linked = await v3.generate({ ...turn, parent_id }, { role: 'arrange', ...options })
    // It is open whether an earlier run than the latest one may be a parent.
    return isDeclined(linked) ? v3.generateOk(turn) : linked
  }
  // The question was asked before, when the chat did not know the fact.
  const saying = await sayBesideOtherChat(run, chat, ask, say)
  const parent = parentIn(saying)
  if (parent === undefined || !(await claimTurnKept(run, chat, fact, saying))) return
  await changeChat(run, chat, changes)
  const body = (text: string) => v3.generateBody(chat, text, { parent_id: parent, stream: true })
  const nonce = session.nonce()
  const question = body(other ? `${prompts.note(nonce)} ${ask}` : ask)
  const answer = await send(question)
  if (other && !isDeclined(answer)) await claimTurnKept(run, chat, nonce, answer)
  await run.knowsFact({
    requirement: 'V3-CTX-01',
    answer,
    fact,
    conversation: [...(other ? [] : texts), tell, ask],
    again: () => send(question),
    alone: (text) => sayAlone(run, question, text, fact),
    what: 'the answer to a question about the run before',
  })
  // Last, as the chat may be busy with the run that its client left.
  await claimLeftOnce(run, chat, body(`${prompts.note(session.nonce())} ${prompts.longAnswer()}`))
}

async function changeChat(run: Run, chat: Chat, changes: readonly Change[]): Promise<void> {
  const { chats, attachments, profile, session } = run
  for (const change of changes) {
    if (change === 'title') await chats.generateName(chat.id, { role: 'probe' })
    if (change === 'unfavorite') await chats.removeFavorite(chat.id, { role: 'probe' })
    if (change === 'upload' && profile.capabilities.attachments)
      await attachments.upload(buildTextFile(session), chat.id, { role: 'probe' })
    await doBefore(run, chat.id, change)
  }
}

/** A long stream, which its client leaves before it is complete, and its repeat are one step. */
async function claimLeftOnce(run: Run, chat: Chat, body: Body): Promise<void> {
  const { v3, claim, session } = run
  const send = (options: object) => v3.generate(body, { key, role: 'probe', ...options })
  const key = session.uuid()
  const left = await send({ leaveAfterEvents: 1 })
  const repeats: Exchange[] = []
  // The run may go on without its client.
  for (let tries = 0; tries < maxTries && repeats.every(isDeclined); tries += 1) {
    if (tries > 0) await session.sleep(tries * waitMs)
    repeats.unshift(await send({ repeatOf: left.id }))
  }
  const { rows, pages } = await v3.historyAfterPause(chat)
  const steps = rows.filter((row) => inputTexts(row).join('') === body['input']).length
  const once = expect(steps, 'steps of a stream that its client abandoned, and of its repeat')
  claim('V3-IDEM-04', () => once.toBeLessThan(2), ...repeats, left, ...pages)
}

const maxTries = 5
const waitMs = 300
