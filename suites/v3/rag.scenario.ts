import {
  assume,
  type Chat,
  covers,
  coversAtDepth,
  describe,
  type Exchange,
  expect,
  expectAccepted,
  expectResponse,
  finalResponse,
  inputText,
  isDeclined,
  requireProfile,
  type Scenario,
  succeeded,
  type TargetProfile,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { claimOutputKept } from '../support/history.ts'
import { each, otherModels } from '../support/mistakes.ts'
import { askUntil } from '../support/recall.ts'
import {
  askInChat,
  besidesRag,
  claimNotSearched,
  claimSearched,
  findVisibleSearch,
  hasSearched,
  maybeToolCall,
  noVisibleSearch,
  requireBase,
  rowsAtFull,
} from '../support/retrieval.ts'

/** Section 4.4: retrieval before an answer, visible as a search step or as a fact in the answer. */
describe('v3: retrieval', () => {
  test(
    'rag: true MUST search the base of the assistant',
    coversAtDepth(['RAG-01', 'V3-SSE-28', 'V3-ASST-01', 'V3-HIST-06'], costOf(20, 1, 5, 1), {
      again: 4,
    }),
    async ({ claim, profile, scenario }) => {
      const base = requireBase(profile)
      const rows = besidesRag(dimensionsOf(profile), scenario)
      // The next scenario asks the second of them as a later turn.
      for (const [under, members] of rows.toSpliced(1, 1)) {
        const more = { assistant_id: base.assistant, ...members }
        const search = () => askInChat(scenario, base, { ...more, rag: true })
        const first = await search()
        if (under === '') {
          // A refusal is due to the assistant or to its search: the same request without rag shows which.
          const { reply: taken } = succeeded(first.reply)
            ? first
            : await askInChat(scenario, base, more)
          const response = () => expectResponse(taken, 'a generation with assistant_id')
          const isTaken = claim('V3-ASST-01', response, taken)
          assume(isTaken, 'the assistant is refused', first.reply, taken)
        } else if (isDeclined(first.reply)) continue
        const reply = first.searched ? first : await askUntil(({ searched }) => searched, search, 2)
        if (reply.isCut) continue
        claimSearched(scenario, 'RAG-01', reply, under)
        await claimOutputKept(scenario, reply.chat, reply.reply)
      }
    },
  )

  test(
    'a generation with rag as false, agent or absent MUST NOT search before its answer',
    coversAtDepth(
      ['RAG-01', 'RAG-02', 'RAG-03', 'RAG-04', 'RAG-05', 'V3-SSE-28', 'V3-HIST-06'],
      costOf(46, 8, 9, 3),
      { again: 3 },
    ),
    async ({ claim, profile, depth, scenario }) => {
      const base = requireBase(profile)
      const ask = (rag: unknown, more: Readonly<Record<string, unknown>>, place?: Chat) =>
        askInChat(scenario, base, { assistant_id: base.assistant, rag, ...more }, 'act', place)
      const visible = await findVisibleSearch(ask, base.tool)
      const { control, more } = visible
      assume(control.searched, noVisibleSearch, ...control.evidence)
      const values = [
        ['RAG-02', false],
        ['RAG-03', 'agent'],
        ['RAG-05', undefined],
      ] as const
      const rows = besidesRag(dimensionsOf(profile), scenario)
      const requests = rows.flatMap((row) => values.map((value) => [...value, ...row] as const))
      const chats = new Map<unknown, Chat>()
      /** The last reply of each chat in which no turn has searched. */
      const last = new Map<Chat, Exchange>()
      for (const [requirement, rag, under, members] of requests) {
        // Every second question is a second turn, in a chat without a search.
        const place = chats.get(rag)
        const reply = await ask(rag, { ...more, ...members }, place)
        if (place || reply.searched) chats.delete(rag)
        else chats.set(rag, reply.chat)
        if (reply.searched) last.delete(reply.chat)
        else if (!isDeclined(reply.reply)) last.set(reply.chat, reply.reply)
        const how = rag === undefined ? 'without rag' : `with rag: ${rag}`
        if (isDeclined(reply.reply)) {
          if (under !== '') continue
          // The same with rag: true was accepted.
          const taken = () => expectAccepted(reply.reply, `a generation ${how}`)
          claim(requirement, taken, reply.reply, ...control.evidence)
          continue
        }
        const what = `the server searched ${how}${under}`
        claimNotSearched(scenario, requirement, reply, visible, what)
      }
      const [, [under, members] = ['', {}]] = rows
      const searching = [
        ['RAG-01', true],
        ['RAG-04', depth === 'full' ? profile.rag?.object : undefined],
      ] as const
      for (const [requirement, rag] of searching) {
        if (rag === undefined) continue
        // Without a visible step, only the answer tells, and turns without the fact may lead the model astray.
        const [place, before] = (control.isShown && [...last].at(-1)) || []
        if (place) last.delete(place)
        // A step that is shown does not depend on the model.
        const { vision } = otherModels(profile, 'model_id')
        const link = before && { parent_id: finalResponse(before)?.['id'], ...vision }
        const search = () => ask(rag, { ...members, ...link }, place)
        const reply = await askUntil(({ searched }) => searched, search, 2)
        if (isDeclined(reply.reply) || reply.isCut) return
        claimSearched(scenario, requirement, reply, `${under}${link ? ' in a later turn' : ''}`)
        await claimOutputKept(scenario, reply.chat, reply.reply)
      }
    },
  )

  test(
    'a one-shot without rag MUST NOT search before its answer, and with rag: true it MUST',
    coversAtDepth(['RAG-01', 'RAG-02', 'RAG-03', 'RAG-04', 'RAG-06'], costOf(9, 6, 0, 2), {
      again: 3,
    }),
    async ({ oneShot, claim, profile, depth, scenario }) => {
      const base = requireBase(profile)
      const ask = async (rag: unknown, more: Readonly<Record<string, unknown>>) => {
        const body = oneShot.body(base.question, { assistant_id: base.assistant, rag, ...more })
        // The document lists no exclude_tools for a one-shot: a server may refuse it.
        const isListed = Object.keys(more).every((name) => name === 'stream')
        const isControl = isListed && (rag === true || rag === undefined)
        const reply = await oneShot[isControl ? 'sendOk' : 'send'](body, { role: 'act' })
        return { reply, evidence: [reply], searched: succeeded(reply) && hasSearched(reply, base) }
      }
      const visible = await findVisibleSearch(ask, base.tool)
      const { control, more, mayBeOwn } = visible
      assume(control.searched, noVisibleSearch, ...control.evidence)
      const { model, input, stream } = dimensionsOf(profile)
      const searching = depth === 'full' ? true : (profile.rag?.object ?? true)
      const accepted = new Set<unknown>([undefined])
      for (const [under, members] of besidesRag({ model, input, stream }, scenario)) {
        const reply = await ask(undefined, { ...more, ...members })
        if (isDeclined(reply.reply)) continue
        const evidence = [...reply.evidence, ...control.evidence]
        assume(!(reply.searched && mayBeOwn), maybeToolCall, ...evidence)
        const what = `the server searched without rag${under}`
        claim('RAG-06', () => expect(reply.searched, what).toBe(false), ...evidence)
        if (under === '') continue
        const search = () => ask(searching, { ...more, ...members })
        const found = await askUntil(({ searched }) => searched, search)
        if (isDeclined(found.reply)) continue
        accepted.add(searching)
        claimSearched(scenario, searching === true ? 'RAG-01' : 'RAG-04', found, under)
      }
      // One-shot accepts every value that a chat generation accepts.
      for (const [requirement, rag, further] of [
        ['RAG-02', false, {}],
        ['RAG-03', 'agent', { stream: true }],
        ['RAG-04', profile.rag?.object, {}],
      ] as const) {
        if (accepted.has(rag)) continue
        const first = await ask(rag, { ...more, ...further })
        // A stream may be refused for another reason.
        const found = isDeclined(first.reply) ? await ask(rag, more) : first
        const what = `a one-shot with rag: ${JSON.stringify(rag)}`
        const taken = () => expectAccepted(found.reply, what)
        if (isDeclined(found.reply)) claim(requirement, taken, found.reply, ...control.evidence)
        else if (requirement !== 'RAG-04' && !mayBeOwn)
          claimNotSearched(scenario, requirement, found, visible, `the server searched: ${what}`)
      }
    },
  )

  test(
    'rag as an object MUST search as true does',
    covers(['RAG-04', 'RAG-08'], { requests: 22, generations: 4, chats: 4 }),
    async ({ v3, claim, profile, scenario }) => {
      const base = requireBase(profile)
      const object = profile.rag?.object
      requireProfile(object, 'rag.object')
      const { search_type: usual = 'hybrid' } = object
      const more = { assistant_id: base.assistant }
      for (const members of [
        { rag: object, stream: false },
        { rag: { ...object, search_type: usual }, stream: true },
      ]) {
        const reply = await askInChat(scenario, base, { ...more, ...members })
        claimSearched(scenario, 'RAG-04', reply, '')
      }
      // The document does not specify the effect of each parameter on a search, so none can be tested by itself.
      const types = ['hybrid', 'dense', 'sparse']
      for (const search_type of types.filter((type) => type !== usual)) {
        const fields = { ...more, rag: { ...object, search_type } }
        const turn = v3.generateBody(await v3.createChat(), base.question, fields)
        const typed = await v3.generate(turn)
        const isTaken = () => expectResponse(typed, `a rag object with search_type ${search_type}`)
        claim('RAG-08', isTaken, typed)
      }
    },
  )
})

/** Cost of a scenario, and of what each row of depth full and its second search add. */
function costOf(requests: number, generations: number, chats: number, perRow: number) {
  return (_: number, depth: Scenario['depth']) => {
    const further = depth === 'full' ? perRow * rowsAtFull + 1 : 0
    return {
      requests: requests + 4 * further,
      generations: generations + further,
      chats: chats + Math.sign(chats) * further,
    }
  }
}

/** Fields of a generation that have nothing to do with its search. */
function dimensionsOf(profile: TargetProfile) {
  // The model for images may be a weaker one.
  const { alias } = otherModels(profile, 'model_id')
  return {
    model: { alias },
    input: { items: { input: [inputText(requireBase(profile).question)] } },
    think: each('think', true),
    temperature: each('temperature', 0.3),
    top_p: each('top_p', 0.5),
    presence_penalty: each('presence_penalty', 0.1),
    // Enough for the answer, if the model does not reason for long.
    max_tokens: each('max_tokens', 1_024),
    stream: each('stream', false, true),
  }
}
