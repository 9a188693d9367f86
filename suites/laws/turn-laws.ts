/** Laws of turns in one chat, which hold under all conditions. */
import {
  answerParts,
  answerText,
  assume,
  type Chat,
  contains,
  type Exchange,
  expect,
  expectAccepted,
  finalResponse,
  inputText,
  isDeclined,
  isObject,
  type Row,
  type ScenarioContext,
} from '../../harness/conformance/scenario/index.ts'
import { createDeliveryLaw } from '../support/delivery.ts'
import { buildRecall, createRecallLaw, knows } from '../support/recall.ts'
import { inputEdits, modelEdits, set, setKnown, textEdits, toolEdits, withImage } from './edits.ts'
import { type Body, describeRow, type Edits, plain, type Trial, tryConditions } from './trials.ts'
import {
  type Claiming,
  claimKeyNeeded,
  claimPages,
  claimRunBefore,
  claimTurns,
  inputsOf,
} from './turn-history.ts'

type Context = Pick<
  ScenarioContext,
  'v3' | 'chats' | 'claim' | 'profile' | 'session' | 'prompts' | 'coverage'
>

export async function claimTurnLaws(
  context: Context,
  caller: { readonly authorization?: string },
): Promise<void> {
  const { v3, claim, profile, session, prompts } = context
  const chat = await v3.createChat()
  const [nonce, ownFact, fact] = [session.nonce(), session.nonce(), session.nonce()]
  const { tell, ask } = buildRecall(profile, nonce)
  const opening = `${prompts.brief()}\n${tell}\n${prompts.note(session.nonce())}`
  const first = await v3.generateOk(v3.generateBody(chat, opening))
  // The fact is two links away, to distinguish a chain of one link from a complete one.
  const link = { parent_id: finalResponse(first)?.['id'] }
  const linked = await v3.generate(v3.generateBody(chat, prompts.brief(), link), { role: 'act' })
  claim('V3-GEN-11', () => expectAccepted(linked, 'a turn with parent_id'), linked, first)
  assume(!isDeclined(linked), 'a turn with parent_id is refused', linked)
  let parent = finalResponse(linked)?.['id']
  let textsOfParent: readonly string[] = []
  const conversation = [opening, prompts.brief()]
  const own = buildRecall(profile, ownFact)
  const knowsFact = createRecallLaw({ claim, session }, async (text) =>
    v3.generateOk(v3.generateBody(await v3.createChat(), text)),
  )
  const isDelivered = createDeliveryLaw({ claim, prompts }, 'V3-SSE-30', (text) =>
    v3.generate(v3.generateBody(chat, text, { stream: true })),
  )
  const keys = new Map<Exchange, string>()

  const send = async (body: Body) => {
    const key = session.uuid()
    const answer = await v3.generate(body, { key, role: 'act' })
    keys.set(answer, key)
    // A run that the history does not show is no parent: it is for the history.
    if (isDeclined(answer) && body['parent_id'] === parent) {
      const isShown = (rows: unknown) => textsOfParent.every((text) => contains(rows, text))
      const { rows } = await v3.waitForHistory(chat, isShown)
      if (!isShown(rows)) [parent, textsOfParent] = [finalResponse(linked)?.['id'], []]
    }
    return answer
  }
  const trials = await tryConditions(context, {
    operation: 'v3.generate',
    accepts: 'V3-GEN-01',
    base: (row) => v3.generateBody(chat, textOf(context, ask, row)),
    edits: editsOf(context, own.tell, () => parent),
    send,
    always: [
      { parent: 'given' },
      { parent: 'given', think: 'true' },
      { parent: 'given', form: 'stream' },
      { input: 'several items' },
      { input: 'several parts' },
    ],
    laws: [isRemembered, createLawOfFactsAndTools(context, [chat.name, opening]), goesOn, arrives],
  })
  await claimTurns({ v3, claim }, chat, trials, keys)
  await claimPages(context, chat, caller)
  const before = { fact, parent, ask, opening, tell: buildRecall(profile, fact).tell }
  await claimRunBefore({ v3, claim }, chat, before, { send, knowsFact })
  await claimApart({ v3, claim, session, prompts }, chat, ask)
  const [latest] = trials.toReversed()
  if (latest) await claimKeyNeeded({ v3, claim, session, prompts }, chat, latest, parent)

  async function isRemembered({ row, body, answer }: Trial): Promise<void> {
    const isWhole = row['max_tokens'] === plain && answerParts(answer).length > 0
    const isOwn = row['input'] === 'several items' || row['input'] === 'several parts'
    const isAsked = inputsOf(body).at(-1)?.includes(ask) ?? false
    if (!isWhole || !isAsked) return
    if (!isOwn && row['parent'] === plain) {
      session.observe('OPEN-36', knows(answer, [nonce, ownFact]) ? 'yes' : 'no', [answer])
      return
    }
    await knowsFact({
      requirement: isOwn ? 'V3-GEN-16' : 'V3-CTX-01',
      answer,
      fact: isOwn ? ownFact : [nonce, ownFact],
      conversation: isOwn ? [own.tell, ask] : [...conversation, ...inputsOf(body)],
      again: () => send(body),
      what: `the answer to a question (${describeRow(row)})`,
    })
  }

  async function arrives({ row, answer, edit }: Trial): Promise<void> {
    if (row['form'] === plain || row['max_tokens'] !== plain) return
    await isDelivered(answer, describeRow(row), (text, more) =>
      v3.generate({ ...edit(v3.generateBody(chat, text)), ...more }),
    )
  }

  function goesOn({ row, body, answer }: Trial): void {
    const id = finalResponse(answer)?.['id']
    if (typeof id !== 'string' || row['parent'] === plain || hasOtherId(answer, id)) return
    parent = id
    textsOfParent = inputsOf(body)
    conversation.push(...inputsOf(body), answerParts(answer).join(''))
  }
}

/** The law that an answer uses only allowed tools and contains only facts of its own chat. */
function createLawOfFactsAndTools({ claim, session }: Context, opening: readonly string[]) {
  const texts = [...opening]
  return (trial: Trial): void => {
    usesAllowedTools(claim, trial)
    const { row, body, answer } = trial
    texts.push(...inputsOf(body))
    // The results of a search may come from anywhere.
    if (row['rag'] !== plain) return
    const facts = session.noncesIn(answerText(answer) ?? '')
    const foreign = facts.filter((fact) => !texts.some((text) => text.includes(fact)))
    if (facts.length === 0) return
    claim('V3-CTX-02', () => expect(foreign, 'facts of other chats').toEqual([]), answer)
  }
}

function textOf({ profile, prompts, session }: Context, ask: string, row: Row): string {
  const note = prompts.note(session.nonce())
  if (row['tools'] !== plain && profile.tools?.ask) return `${note} ${profile.tools.ask}`
  return `${note} ${row['max_tokens'] === plain ? ask : prompts.longAnswer()}`
}

function editsOf(
  { profile, prompts, session }: Context,
  note: string,
  parent: () => unknown,
): Edits<'v3.generate'> {
  const { rag, assistants } = profile
  const assistant = assistants?.withoutKnowledge
  return {
    ...textEdits('input', { prompts, session }),
    model: modelEdits(profile, 'model_id'),
    input: {
      ...inputEdits(note, { prompts }),
      image: profile.capabilities.images === true ? withImage(profile.models.vision) : undefined,
    },
    parent: { given: (body) => ({ ...body, parent_id: parent() }) },
    think: { true: set({ think: true }), false: set({ think: false }) },
    rag: {
      false: set({ rag: false }),
      agent: set({ rag: 'agent' }),
      true: assistant === undefined ? undefined : set({ rag: true, assistant_id: assistant }),
      object:
        rag?.object === undefined || assistant === undefined
          ? undefined
          : set({ rag: rag.object, assistant_id: assistant }),
    },
    tools: toolEdits(profile),
    assistant_id: { UUID: setKnown('assistant_id', assistant) },
    max_tokens: {
      '1': set({ max_tokens: 1 }),
      '24': set({ max_tokens: 24 }),
      '40': set({ max_tokens: 40 }),
    },
    temperature: { '0.3': set({ temperature: 0.3 }), '1': set({ temperature: 1 }) },
    top_p: { '0.5': set({ top_p: 0.5 }) },
    presence_penalty: { '0.5': set({ presence_penalty: 0.5 }) },
    form: { stream: set({ stream: true }) },
  }
}

/** Tests if a stream begins with the id of another response: which one a later turn may name is open. */
function hasOtherId({ events }: Exchange, id: string): boolean {
  const created = events.find(({ name }) => name === 'response.created')
  return created !== undefined && !created.data.includes(JSON.stringify(id))
}

function usesAllowedTools(claim: Context['claim'], { body, answer }: Trial): void {
  const { include_tools: included, exclude_tools: excluded } = body
  const calls = callsOf(answer)
  if (Array.isArray(excluded)) {
    const used = calls.filter((name) => excluded.includes(name))
    claim('V3-TOOLS-02', () => expect(used, 'excluded tools that were used').toEqual([]), answer)
  }
  if (Array.isArray(included)) {
    const others = calls.filter((name) => !included.includes(name))
    claim('V3-TOOLS-03', () => expect(others, 'tools outside the list').toEqual([]), answer)
  }
}

/** A fresh chat knows no facts of another one, and their histories are separate. */
async function claimApart(
  { v3, claim, session, prompts }: Claiming & Pick<ScenarioContext, 'session' | 'prompts'>,
  chat: Chat,
  ask: string,
): Promise<void> {
  const other = await v3.createChat()
  const reference = session.nonce()
  // The same question as in the other chat.
  const input = [inputText(prompts.note(reference)), inputText(ask)]
  const reply = await v3.generateOk(v3.generateBody(other, input), { role: 'act' })
  const text = answerText(reply) ?? ''
  // A server that confuses chats may return the fact of another scenario.
  const foreign = session
    .noncesIn(text)
    .filter((fact) => fact !== reference && !other.name.includes(fact))
  const what = 'facts of other chats in a fresh one'
  claim('V3-CTX-02', () => expect([...new Set(foreign)], what).toEqual([]), reply)
  const { rows, pages } = await v3.walk(chat)
  const isMixed = contains(rows, reference)
  const mixes = 'the history shows a row of another chat'
  claim('V3-HIST-16', () => expect(isMixed, mixes).toBe(false), reply, ...pages)
}

/** Names of the functions that a response calls. */
function callsOf(answer: Exchange): unknown[] {
  const output = finalResponse(answer)?.['output']
  const items = Array.isArray(output) ? output.filter(isObject) : []
  return items.filter(({ type }) => type === 'function_call').map(({ name }) => name)
}
