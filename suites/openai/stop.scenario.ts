import {
  covers,
  deltasOf,
  describe,
  expect,
  given,
  test,
} from '../../harness/conformance/scenario/index.ts'

/**
 * Section 4.1: stop sequences. No wording is trusted: a sequence is taken from the middle of an
 * answer and the same is asked again. An answer that goes another way than before proves nothing.
 */
describe('compatible surface: stop sequences', () => {
  const question = 'Tell me in five sentences what the sea looks like in winter.'
  const steady = { temperature: 0, max_tokens: 160 }

  for (const [form, row] of [
    ['string', 'OAI-STOP-01'],
    ['array', 'OAI-STOP-02'],
  ] as const) {
    test(
      `an answer ends at a stop sequence given as ${form}`,
      covers([row, 'OAI-STOP-03'], { requests: 2, generations: 2 }),
      async ({ openai, claim }) => {
        const before = await openai.ask(openai.body(question, steady))
        const word = middleWord(before.text)
        given(word, 'the answer is too short to take a stop sequence from', before.exchange)

        const stop = form === 'array' ? ['zqxjkv', word] : word
        const { text, exchange } = await openai.ask(openai.body(question, { ...steady, stop }), {
          role: 'act',
        })
        const end = text.indexOf(word)
        if (end >= 0) {
          claim(
            row,
            () => expect(text.slice(end + word.length), `text after "${word}"`).toBe(''),
            exchange,
          )
          claim('OAI-STOP-03', () => expect(text, 'the answer').not.toContain(word), exchange)
          return
        }
        const upToWord = before.text.slice(0, before.text.indexOf(word))
        given(
          sameAnswer(text, upToWord),
          'the model answered differently the second time',
          exchange,
        )
        claim(row, () => expect(text).not.toContain(word), before.exchange, exchange)
        claim('OAI-STOP-03', () => expect(text).not.toContain(word), before.exchange, exchange)
      },
    )
  }

  for (const [where, row] of [
    ['within one chunk', 'OAI-STOP-05'],
    ['across two chunks', 'OAI-STOP-04'],
  ] as const) {
    test(
      `a stream ends at a stop sequence that lies ${where}`,
      covers([row], { requests: 2, generations: 2 }),
      async ({ openai, claim }) => {
        const body = openai.body(question, { ...steady, stream: true })
        const before = await openai.ask(body)
        const deltas = deltasOf(before.exchange).map(({ text }) => text)
        const stop = row === 'OAI-STOP-05' ? withinOne(deltas) : acrossTwo(deltas)
        given(stop, `no sequence lies ${where} only`, before.exchange)

        const { text, exchange } = await openai.ask({ ...body, stop }, { role: 'act' })
        const upToStop = before.text.slice(0, before.text.indexOf(stop))
        const stopped = sameAnswer(text, upToStop) || sameAnswer(text, upToStop + stop)
        const ranOn = text.includes(stop) && !text.endsWith(stop)
        given(stopped || ranOn, 'the model answered differently the second time', exchange)
        claim(row, () => expect(ranOn, `text goes on after "${stop}"`).toBe(false), exchange)
      },
    )
  }
})

/** A word of letters that first occurs in the middle of a text. */
function middleWord(text: string): string | undefined {
  const words = [...text.matchAll(/[A-Za-z]{4,}/g)]
  return words
    .filter(({ 0: word, index }) => text.indexOf(word) === index && index > text.length / 4)
    .map(({ 0: word }) => word)[0]
}

/** All but the end of a delta of the middle, where it occurs nowhere before: its chunk goes on. */
function withinOne(deltas: readonly string[]): string | undefined {
  const text = deltas.join('')
  let start = 0
  for (const delta of deltas) {
    const inner = [...delta.trim()].slice(0, -1).join('')
    if (start > text.length / 4 && inner.length >= 3 && text.indexOf(inner) >= start) return inner
    start += delta.length
  }
  return undefined
}

/** The end of one delta with the beginning of the next, where the whole occurs nowhere before. */
function acrossTwo(deltas: readonly string[]): string | undefined {
  const text = deltas.join('')
  let border = 0
  for (const [at, delta] of deltas.entries()) {
    border += delta.length
    const next = deltas[at + 1] ?? ''
    const sequence = `${[...delta].slice(-2).join('')}${[...next].slice(0, 2).join('')}`
    const start = border - [...delta].slice(-2).join('').length
    const fits = delta !== '' && next !== '' && sequence.trim() === sequence
    if (fits && border > text.length / 4 && text.indexOf(sequence) === start) return sequence
  }
  return undefined
}

/** Whether an answer went the same way up to the stop; trailing space may be trimmed. */
function sameAnswer(text: string, upToStop: string): boolean {
  return text.trimEnd() === upToStop.trimEnd()
}
