import {
  assume,
  covers,
  coversAtDepth,
  deltasOf,
  describe,
  isDeclined,
  requirementsOf,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { claimSameText } from '../laws/same-types.ts'
import { answersDiffer, claimCut } from '../laws/stop.ts'
import { claimArrival } from '../support/delivery.ts'

/**
 * Section 4.1: the answer in chunks. Its requirements are in contract/catalog/openai.ts; what
 * any stream can show is judged in passing, in harness/judges/completions.
 */
describe('compatible surface: streaming', () => {
  test(
    'the chunks of a deterministic target MUST add up to its unstreamed answer',
    coversAtDepth(
      // Timely delivery has its own scenario.
      requirementsOf('OAI-STREAM', { except: ['OAI-STREAM-11'] }),
      (_, depth) =>
        depth === 'full' ? { requests: 9, generations: 9 } : { requests: 3, generations: 3 },
    ),
    async ({ openai, depth, profile, prompts, scenario }) => {
      const question = prompts.sentences(3, 'bread is made')
      const { main, aliases, vision } = profile.models
      const others = profile.capabilities.images ? [main, vision] : [main]
      const message = { role: 'user', content: question }
      const system = { role: 'system', content: prompts.instruction('You are brief.') }
      const noted = { role: 'assistant', content: 'OK.' }
      // The first with many fields, as no other text is compared at depth normal.
      const fields = [
        { ...{ temperature: 0, top_p: 1, max_tokens: 1_024 }, messages: [message, noted, message] },
        {},
        { max_tokens: 24, messages: [system, message] },
      ]
      const models = [aliases[0] ?? main, ...(depth === 'full' ? others : [])]
      for (const [at, model] of models.entries()) {
        const body = openai.chatBody(question, { model, ...fields[at] })
        const streamed = await openai.chatOk({ ...body, stream: true }, { role: 'act' })
        const withUsage = { stream: true, stream_options: { include_usage: true } }
        const counted = await openai.chat({ ...body, ...withUsage })
        const whole = await openai.chatOk(body)
        for (const one of [streamed.exchange, counted]) claimSameText(scenario, one, whole.exchange)
      }
    },
  )

  test(
    'chunks SHOULD arrive while the answer is generated',
    covers(['OAI-STREAM-11'], { requests: 1, generations: 1, again: 4 }),
    async ({ openai, scenario }) => {
      await claimArrival(scenario, 'OAI-STREAM-11', async (text, more) => {
        const body = openai.chatBody(text, { stream: true, ...more })
        return (await openai.chatOk(body, { role: 'act' })).exchange
      })
    },
  )
})

/** Section 4.1: a stop sequence across two chunks; suites/laws has those within one, and those of JSON. */
describe('compatible surface: stop sequences', () => {
  test(
    'a stream SHOULD end at a stop sequence that lies across two chunks',
    covers(['OAI-STOP-04', 'OAI-STOP-03'], { requests: 2, generations: 2 }),
    async ({ openai, prompts, scenario }) => {
      const question = prompts.sentences(5, 'the sea looks in winter')
      const body = openai.chatBody(question, { temperature: 0, max_tokens: 160, stream: true })
      const before = await openai.chatOk(body)
      const sequence = acrossTwo(deltasOf(before.exchange).map(({ text }) => text))
      assume(sequence, 'no sequence lies across two chunks alone', before.exchange)

      const stopped = await openai.chat({ ...body, stop: [sequence] }, { role: 'act' })
      const what = `stop: ${JSON.stringify(sequence)} (stream)`
      const { exchange } = before
      const isDecided = claimCut(scenario, 'OAI-STOP-04', sequence, stopped, exchange, what)
      const isAnswer = !isDeclined(stopped)
      assume(isDecided || !isAnswer, answersDiffer, stopped)
    },
  )
})

/** The end of one delta with text joined with the beginning of the next, if this does not occur earlier. */
function acrossTwo(all: readonly string[]): string | undefined {
  const deltas = all.filter((delta) => delta !== '')
  const text = deltas.join('')
  let border = 0
  for (const [at, delta] of deltas.entries()) {
    border += delta.length
    const next = deltas[at + 1] ?? ''
    const end = [...delta].slice(-2).join('')
    const sequence = `${end}${[...next].slice(0, 2).join('')}`
    const fits = next !== '' && sequence.trim() === sequence && isWhole(sequence)
    const isFirst = text.indexOf(sequence) === border - end.length
    if (fits && border > text.length / 4 && isFirst) return sequence
  }
  return undefined
}

/** A model that emits parts of characters sends U+FFFD instead of them, which its text does not contain. */
function isWhole(sequence: string): boolean {
  return sequence.isWellFormed() && !sequence.includes('\ufffd')
}
