import {
  answerText,
  bodyJson,
  coversAtDepth,
  describe,
  type Exchange,
  expect,
  isDeclined,
  isObject,
  plain,
  type Row,
  requirementsOf,
  type Scenario,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { createDeliveryLaw } from '../support/delivery.ts'
import { otherModels } from '../support/mistakes.ts'
import { buildRecall, claimNoForeignFacts, createRecallLaw } from '../support/recall.ts'
import { claimTimeOfNow } from '../support/test-data.ts'
import { combinedTexts, messagesOf, messageTextEdits, wholeTexts } from '../support/text-edits.ts'
import { callerOf } from './conditions/edits.ts'
import type { Body, Edits, Law, Trial } from './conditions/plan.ts'
import { requirementsOfLaws, tryConditions } from './conditions/trials.ts'
import { createStopLaw, endOf, requireLimited, saysItWasCut, stopOf } from './stop.ts'

const laws: readonly Law<Run>[] = [
  { requirements: ['OAI-CHAT-01'], law: isCompletion },
  { requirements: ['OAI-CHAT-13'], law: isRemembered },
  { requirements: ['OAI-CHAT-16'], law: hasNoForeignFacts },
  {
    requirements: ['OAI-STOP-01', 'OAI-STOP-02', 'OAI-STOP-03', 'OAI-STOP-05'],
    law: ({ stops }, trial) => stops.try(trial),
  },
  { requirements: ['OAI-MAXTOK-01', 'OAI-MAXTOK-02'], law: saysItWasCut },
  { requirements: ['OAI-STREAM-11'], law: (run, trial) => run.isDelivered(trial) },
]

const requirements = requirementsOfLaws('openai.chat', laws, requirementsOf('OAI-CHAT'))

/** Section 4.1: the laws of completions hold under all conditions. */
describe('compatible surface: laws of completions', () => {
  test(
    'a completion MUST keep its requirements under every condition',
    coversAtDepth(
      requirements,
      (rows, depth) => ({
        requests: 2 * rows + 10,
        generations: Math.ceil(rows * (depth === 'full' ? 1.95 : 1.5)) + 7,
      }),
      // Streams that came at once are asked for again.
      { again: 6 },
    ),
    async (scenario) => {
      const run = await startRun(scenario)
      const trials = await tryConditions(run, {
        operation: 'openai.chat',
        accepts: 'OAI-CHAT-01',
        steady: 'OAI-CHAT-01',
        isAnswer: (answer) => typeof answerText(answer) === 'string',
        shownByLaws: ['stop'],
        base: (row) => bodyFor(run, row),
        edits: editsOf(run),
        send: run.send,
        telling: {
          ...wholeTexts,
          messages: ['with a system message', 'with an assistant message', 'of several turns'],
          max_tokens: [plain, '64'],
          stop: [plain],
        },
        // Questions after another request stated a fact.
        always: [
          { messages: 'with a system message', model: 'alias' },
          { messages: 'with an assistant message', form: 'stream' },
          { ...combinedTexts, temperature: '0', model: 'vision' },
          { max_tokens: '7', caller: 'second', model: 'alias' },
          { stop: 'text' },
          { max_tokens: '7', form: 'stream with usage', model: 'vision' },
        ],
        laws,
      })
      await run.stops.end()
      const ids = trials.map(({ answer }) => jsonOf(answer)['id']).filter((id) => id !== undefined)
      const ofIds = expect(new Set(ids).size, 'different ids of completions')
      for (const { answer } of trials.slice(-1))
        run.claim('OAI-CHAT-14', () => ofIds.toBe(ids.length), answer)
      requireLimited(run, trials)
    },
  )
})

function isCompletion({ claim, session, recall }: Run, { row, body, answer }: Trial): void {
  const completion = jsonOf(answer)
  const { model } = completion
  if (row['model'] === 'alias' && model !== undefined)
    session.observe('OPEN-33', `${body['model']} is echoed as ${model}`, [answer])
  if (body['stream'] === true) return
  const createdMs = 1_000 * Number(completion['created'])
  // A time that is always the same says nothing about zones, and a request without a fact may be answered from a cache.
  const isFresh = textsOf(body).some((text) => text.includes(recall.fact))
  if (isFresh && Math.abs(createdMs - Date.parse(answer.startedAt)) < dayMs)
    claimTimeOfNow(claim, 'OAI-CHAT-04', answer, createdMs)
  // Other requirements cover its parts.
  const isShaped = 'choices' in completion || completion['object'] === 'chat.completion'
  claim('OAI-CHAT-01', () => expect(isShaped, 'the body is a completion').toBe(true), answer)
}

const dayMs = 86_400_000

async function isRemembered(run: Run, { row, body, answer }: Trial): Promise<void> {
  const conversation = textsOf(body)
  const isAsked = conversation.at(-1)?.includes(run.recall.ask) && answerText(answer)
  const isCut = row['max_tokens'] !== plain && endOf(answer).reason !== 'stop'
  if (row['messages'] === plain || !isAsked || isCut) return
  const { fact } = run.recall
  const instructions = messagesOf(body).filter(
    ({ role, content }) => role === 'system' && !String(content).includes(fact),
  )
  await run.knowsFact({
    requirement: 'OAI-CHAT-13',
    answer,
    fact,
    conversation,
    again: () => run.send(body, row),
    alone: (content) =>
      run.send({ ...body, messages: [...instructions, { role: 'user', content }] }, row),
    what: 'the answer to a question about an earlier message',
  })
}

/**
 * Facts of other requests. At depth full, a question without a fact directly follows a request that states one: after
 * some of the conversations the same one without its fact.
 */
async function hasNoForeignFacts(run: Run, { row, body, answer, edit }: Trial): Promise<void> {
  const { openai, session, prompts, recall, coverage } = run
  claimNoForeignFacts(run, 'OAI-CHAT-16', answer, [...sentIn(body), recall.fact])
  const isPlain = row['messages'] === plain
  if (!isPlain) run.conversations += 1
  if (coverage.depth !== 'full' || (!isPlain && run.conversations % 6 !== 0)) return
  if (isPlain) await run.send(openai.chatBody(recall.tell), {})
  run.recall = { ...recall, tell: prompts.otherBrief() }
  let question = edit(openai.chatBody(recall.ask))
  if (row['stop'] !== plain) {
    // Each kind of stop sequence in turn; one that cuts the answer before a foreign fact only hides it.
    const nonce = () => session.nonce()
    const kinds = [nonce(), '?', `${nonce()} end`, `Ende ${nonce()} é`]
    run.stopsOfQuestions += 1
    const sequence = kinds[run.stopsOfQuestions % kinds.length] ?? ''
    question = { ...question, stop: stopOf(row['stop'], sequence) }
  }
  claimNoForeignFacts(run, 'OAI-CHAT-16', await run.send(question, row), sentIn(question))
}

const sentIn = (body: Body) => [String(body['stop']), ...textsOf(body)]

type Run = Awaited<ReturnType<typeof startRun>>

async function startRun(scenario: Scenario) {
  const { openai, profile, prompts } = scenario
  const send = (body: Body, row: Row, options: object = {}) =>
    openai.chat(body, { role: 'act', ...callerOf(profile, row), ...options })
  const steady: Body = { temperature: 0, max_tokens: 160 }
  // A refusal of these fields says nothing about stop.
  const isSteady = !isDeclined(await send(openai.chatBody(prompts.brief(), steady), {}))
  return {
    ...scenario,
    send,
    knowsFact: createRecallLaw(scenario),
    isDelivered: createDeliveryLaw(scenario, 'OAI-STREAM-11', { body: openai.chatBody, send }),
    /** Parameters with which a repeated request gives the same answer. */
    steady: isSteady ? steady : {},
    stops: createStopLaw(scenario, send),
    /** Number of requests with stop sequences, and of questions without a fact among them. */
    stopped: 0,
    stopsOfQuestions: 0,
    /** Number of requests with earlier messages. */
    conversations: 0,
    /** The fact of the latest request. */
    recall: buildRecall(profile, ''),
  }
}

/** The request before its edits, with a new fact. */
function bodyFor(run: Run, row: Row): Body {
  const { openai, profile, session, prompts, steady, coverage } = run
  run.recall = buildRecall(profile, session.nonce())
  const enough = row['messages'] === plain ? [plain] : [plain, '64']
  const isAsked = enough.includes(String(row['max_tokens']))
  if (row['stop'] === plain) return openai.chatBody(isAsked ? run.recall.ask : prompts.longAnswer())
  run.stopped += 1
  const isOfContext = coverage.depth === 'full' && row['messages'] !== plain && isAsked
  const long = prompts.sentences(5, 'the sea looks in winter')
  const { max_tokens: _, ...endless } = steady
  const how = ['text', 'first of a list'].includes(row['stop'] ?? '') ? endless : steady
  return openai.chatBody(isOfContext && run.stopped % 3 === 0 ? run.recall.ask : long, how)
}

function editsOf(run: Run): Edits<'openai.chat'> {
  const { profile, session, prompts } = run
  const noted = ['assistant', 'OK.'] as const
  // The fact is not on the first line.
  const withFact = (first: string) => `${first}\n${run.recall.tell}`
  const fact = () => ['user', withFact(prompts.brief())] as const
  const rule = () => ['system', withFact(prompts.instruction('You are brief.'))] as const
  const stop = (form: string, sequence = session.nonce()) => ({ stop: stopOf(form, sequence) })
  return {
    ...messageTextEdits(run),
    messages: {
      'with a system message': earlier(() => [rule(), ['user', prompts.brief()], noted]),
      'with an assistant message': earlier(() => [fact(), noted]),
      'of several turns': earlier(() => [
        ['user', prompts.brief()],
        noted,
        fact(),
        noted,
        ['user', prompts.followUp()],
        noted,
      ]),
    },
    model: otherModels(profile, 'model'),
    stop: {
      text: stop('text'),
      'list of one': stop('list of one'),
      'first of a list': stop('first of a list'),
      'last of a list': stop('last of a list', '\n\n\n\n'),
    },
    form: {
      stream: { stream: true },
      'stream with usage': { stream: true, stream_options: { include_usage: true } },
    },
  }
}

/** Messages before the last one. */
function earlier(turns: () => readonly (readonly [role: string, content: string])[]) {
  return (body: Body) => ({
    ...body,
    messages: [...turns().map(([role, content]) => ({ role, content })), ...messagesOf(body)],
  })
}

function textsOf(body: Body): readonly string[] {
  return messagesOf(body).map(({ content }) => String(content))
}

function jsonOf(answer: Exchange): Body {
  const body = bodyJson(answer)
  return succeeded(answer) && isObject(body) ? body : {}
}
