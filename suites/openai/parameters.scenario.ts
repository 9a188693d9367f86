import {
  covers,
  coversAtDepth,
  describe,
  describeShape,
  expectRejected,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { secondCaller } from '../support/credentials.ts'
import { expectAllRefused, ofAnotherType, otherModels, refusalCost } from '../support/mistakes.ts'

/** Sections 4.1, 7 and 8: the parameters of a completion and their limits. */
describe('compatible surface: parameters', () => {
  const completionMistakes = [
    // Strings that a careless server converts to the right type.
    ...ofAnotherType(
      'OAI-ERR-02',
      ['model', 7, ['model']],
      ['messages', 'hello', { role: 'user', content: 'hello' }],
      ['temperature', '1'],
      ['max_tokens', '16'],
      ['top_p', '1', true],
      ['stream', 'false', 0],
      ['stop', 5, true],
      ['messages', ['hello']],
      ['messages', [{ role: 7, content: 'Name a color.' }]],
      ['messages', [{ role: 'user', content: 7 }], [{ role: 'user', content: true }]],
      ['messages', aroundMistake({ role: 'user', content: 7 })],
      ['messages', aroundMistake({ role: 7, content: 'Name a color.' })],
      ['temperature', true],
      ['max_tokens', true],
      ['stop', ['\n\n\n', 5]],
    ),
    ...ofAnotherType('OAI-TEMP-02', ['temperature', -0.1], ['temperature', 2.1]),
  ]

  test(
    'a completion with a field of another type or out of its range MUST be refused',
    coversAtDepth(['OAI-ERR-02', 'OAI-TEMP-02'], (rows, depth) => ({
      requests: refusalCost(completionMistakes.length, 2)(rows, depth) + 2,
      generations: 2,
    })),
    async ({ openai, profile, prompts, scenario }) => {
      const values = { temperature: 1, max_tokens: 16, top_p: 1, stream: false, stop: ['\n\n\n'] }
      const right = openai.chatBody(prompts.brief(), values)
      const control = await openai.chat(right, { role: 'control' })
      const messagesAfter = (role: 'system' | 'assistant') => [
        { role, content: prompts.instruction('You are brief.') },
        { role: 'user', content: prompts.brief() },
      ]
      const members = { stream: true }
      const streamed = await openai.chat({ ...right, ...members }, { role: 'control' })
      await expectAllRefused(scenario, {
        mistakes: completionMistakes,
        forms: { '': { control }, stream: { control: streamed, members } },
        conditions: {
          model: otherModels(profile, 'model'),
          'other parameters': {
            none: { temperature: undefined, top_p: undefined, stop: undefined },
          },
          messages: {
            'with a system message': { messages: messagesAfter('system') },
            'with an assistant message': { messages: messagesAfter('assistant') },
          },
          form: { stream: { stream: true } },
        },
        caller: secondCaller(profile),
        send: (edit, options) => openai.chat(edit(right), options),
        ping: openai.ping,
        status: 400,
      })
    },
  )

  test(
    'a body that is not JSON MUST be refused',
    covers(['OAI-ERR-01'], { requests: 9, generations: 1 }),
    async ({ openai, claim, prompts }) => {
      const body = openai.chatBody(prompts.brief(), { max_tokens: 16 })
      const control = await openai.chat(body, { role: 'control' })
      // The accepted body, including fields that this server requires.
      const right = new TextDecoder().decode(control.request.body ?? undefined)
      const streamed = right.replace('{', '{"stream":true,')
      const negatives = [
        ['a truncated body', right.slice(0, -2)],
        // Text after the end of the value is left out: usual decoders stop before it.
        ['a truncated body with stream: true', streamed.slice(0, -2)],
        ['a body with a stray comma', right.replace('{', '{,')],
        ['an empty body', ''],
      ].map(([what = '', text = '']) => ({
        requirement: 'OAI-ERR-01' as const,
        control,
        what,
        send: () => openai.raw(text, { role: 'negative' }),
        status: 400,
      }))
      await expectRejected(claim, openai.ping, ...negatives)
    },
  )

  test(
    'responses to out-of-range values',
    covers(['OAI-ERR-02'], { requests: 3, generations: 1 }),
    async ({ openai, session, prompts }) => {
      const doubtful = {
        'an unknown model': openai.chatBody(prompts.brief(), { model: session.nonce() }),
        'empty messages': openai.chatBody('', { messages: [] }),
        'a negative max_tokens': openai.chatBody(prompts.brief(), { max_tokens: -1 }),
      }
      await session.waitForOthers()
      for (const [what, body] of Object.entries(doubtful)) {
        const probe = await openai.chat(body, { role: 'probe' })
        const question = what === 'an unknown model' ? 'OPEN-32' : 'OPEN-38'
        session.observe(question, `${what}: ${probe.response?.status}`, [probe])
        if (!succeeded(probe)) session.observe('OPEN-19', describeShape(probe), [probe])
        // A server that answers one of them answers most, so no further generation is spent.
        else break
      }
    },
  )
})

/** Messages with the mistake in neither the first nor the last one. */
function aroundMistake(message: Readonly<Record<string, unknown>>) {
  const other = { role: 'user', content: 'Name a color.' }
  return [other, message, other]
}
