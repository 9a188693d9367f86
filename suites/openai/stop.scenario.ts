import {
  answerText,
  assume,
  covers,
  deltasOf,
  describe,
  expect,
  expectAccepted,
  isDeclined,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { runsOn, sameAnswer } from '../laws/stop.ts'

/** Section 4.1: a stop sequence across two chunks; suites/laws has those within one, and those of JSON. */
describe('compatible surface: stop sequences', () => {
  test(
    'a stream MUST end at a stop sequence that lies across two chunks',
    covers(['OAI-STOP-04', 'OAI-STOP-03'], { requests: 2, generations: 2 }),
    async ({ openai, claim, prompts }) => {
      const question = prompts.sentences(5, 'the sea looks in winter')
      const body = openai.chatBody(question, { temperature: 0, max_tokens: 160, stream: true })
      const before = await openai.chatOk(body)
      const sequence = acrossTwo(deltasOf(before.exchange).map(({ text }) => text))
      assume(sequence, 'no sequence lies across two chunks alone', before.exchange)

      const stopped = await openai.chat({ ...body, stop: [sequence] }, { role: 'act' })
      if (isDeclined(stopped)) {
        const taken = () => expectAccepted(stopped, `stop: ${JSON.stringify(sequence)} (stream)`)
        claim('OAI-STOP-04', taken, stopped, before.exchange)
        return
      }
      const text = answerText(stopped) ?? ''
      const upToStop = before.text.slice(0, before.text.indexOf(sequence))
      const isShown = sameAnswer(text, upToStop + sequence)
      const hasStopped = isShown || sameAnswer(text, upToStop)
      const ranOn =
        (text.includes(sequence) && !text.endsWith(sequence)) || runsOn(text, before.text, sequence)
      assume(hasStopped || ranOn, 'the model answered differently the second time', stopped)
      const goesOn = `the text continues after "${sequence}"`
      claim('OAI-STOP-04', () => expect(ranOn, goesOn).toBe(false), stopped)
      if (!hasStopped) return
      const showsStop = `the stream shows "${sequence}"`
      claim('OAI-STOP-03', () => expect(isShown, showsStop).toBe(false), stopped)
    },
  )
})

/** The end of one delta with the beginning of the next, if the whole occurs nowhere before. */
function acrossTwo(deltas: readonly string[]): string | undefined {
  const text = deltas.join('')
  let border = 0
  for (const [at, delta] of deltas.entries()) {
    border += delta.length
    const next = deltas[at + 1] ?? ''
    const end = [...delta].slice(-2).join('')
    const sequence = `${end}${[...next].slice(0, 2).join('')}`
    const fits = delta !== '' && next !== '' && sequence.trim() === sequence && isWhole(sequence)
    const isFirst = text.indexOf(sequence) === border - end.length
    if (fits && border > text.length / 4 && isFirst) return sequence
  }
  return undefined
}

/** A model that emits parts of characters shows U+FFFD in their place, which its text does not contain. */
function isWhole(sequence: string): boolean {
  return sequence.isWellFormed() && !sequence.includes('\ufffd')
}
