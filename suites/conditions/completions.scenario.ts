import {
  answerText,
  covers,
  describe,
  expect,
  type TargetProfile,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { modelAliases } from '../support/test-data.ts'
import { sendRows } from './rows.ts'
import { messagesOf, messageTexts, set } from './values.ts'

/** Section 4.1: what holds for a completion holds under each pair of conditions. */
describe('compatible surface: conditions', () => {
  test(
    'a completion keeps its requirements under every condition',
    covers(
      [
        ...(['OAI-CHAT-01', 'OAI-CHAT-12', 'OAI-MODELS-02', 'OAI-TEMP-01', 'OAI-TOPP-01'] as const),
        ...(['OAI-MAXTOK-01', 'OAI-STOP-01', 'OAI-STOP-02', 'OAI-STREAM-01'] as const),
      ],
      { requests: 1 },
    ),
    async ({ openai, claim, profile, session, prompts, depth }) => {
      await sendRows(
        { claim, session, depth },
        dimensionsOf(profile),
        (edit) =>
          openai.chat(edit(openai.chatBody(prompts.brief(session.nonce()))), { role: 'act' }),
        (answer) => {
          const text = answerText(answer)
          claim(
            'OAI-CHAT-01',
            () => expect(text, 'the text of the answer').toBeTypeOf('string'),
            answer,
          )
        },
      )
    },
  )
})

function dimensionsOf(profile: TargetProfile) {
  const aliases = modelAliases(profile).map(
    (id) => [id, set('OAI-MODELS-02', { model: id })] as const,
  )
  return {
    text: messageTexts('OAI-CHAT-01'),
    messages: {
      'with a system message': before('OAI-CHAT-12', ['system', 'You are brief.']),
      'with an assistant message': before(
        'OAI-CHAT-01',
        ['user', 'Hello.'],
        ['assistant', 'Hello!'],
      ),
      'of four turns': before(
        'OAI-CHAT-01',
        ...(['Hello.', 'And now?', 'And then?'] as const).flatMap((text): [string, string][] => [
          ['user', text],
          ['assistant', 'Go on.'],
        ]),
      ),
    },
    model: Object.fromEntries(aliases),
    max_tokens: {
      '64': set('OAI-MAXTOK-01', { max_tokens: 64 }),
      '7': set('OAI-MAXTOK-01', { max_tokens: 7 }),
    },
    temperature: {
      '0': set('OAI-TEMP-01', { temperature: 0 }),
      '2': set('OAI-TEMP-01', { temperature: 2, max_tokens: 64 }),
    },
    top_p: { '0.5': set('OAI-TOPP-01', { top_p: 0.5 }) },
    stop: {
      text: set('OAI-STOP-01', { stop: 'zqxjkv' }),
      list: set('OAI-STOP-02', { stop: ['zqxjkv', 'größer', '\n\n\n\n'] }),
    },
    form: {
      stream: set('OAI-STREAM-01', { stream: true, stream_options: { include_usage: true } }),
    },
  } as const
}

/** Messages before the last one. */
function before<R extends 'OAI-CHAT-01' | 'OAI-CHAT-12'>(
  requirement: R,
  ...turns: readonly (readonly [role: string, content: string])[]
) {
  return {
    requirement,
    edit: (body: Readonly<Record<string, unknown>>) => ({
      ...body,
      messages: [...turns.map(([role, content]) => ({ role, content })), ...messagesOf(body)],
    }),
  }
}
