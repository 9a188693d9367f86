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

/**
 * Section 4.1: stop sequences. No wording is trusted: a sequence is taken from the middle of an
 * answer and the same is asked again. An answer that goes another way than before proves nothing.
 */
describe('compatible surface: stop sequences', () => {
  const steady = { temperature: 0, max_tokens: 160 }

  test(
    'an answer ends at a stop sequence given as string, or as one of an array',
    covers(['OAI-STOP-01', 'OAI-STOP-02', 'OAI-STOP-03'], { requests: 3, generations: 3 }),
    async ({ openai, claim, session, prompts }) => {
      const question = prompts.sentences(5, 'the sea looks in winter')
      const before = await openai.chatOk(openai.chatBody(question, steady))
      const word = middleWord(before.text)
      assume(word, 'the answer is too short to take a stop sequence from', before.exchange)

      for (const [row, stop] of [
        ['OAI-STOP-01', word],
        ['OAI-STOP-02', ['zqxjkv', 'wvqkz', word, 'jqzxv']],
      ] as const) {
        const exchange = await openai.chat(openai.chatBody(question, { ...steady, stop }))
        if (isDeclined(exchange)) {
          // The same without stop was accepted.
          const taken = () => expectAccepted(exchange, `stop: ${JSON.stringify(stop)}`)
          claim(row, taken, exchange, before.exchange)
          continue
        }
        const text = answerText(exchange) ?? ''
        const end = text.indexOf(word)
        if (end >= 0) {
          claim(
            row,
            () => expect(text.slice(end + word.length), `text after "${word}"`).toBe(''),
            exchange,
          )
          claim('OAI-STOP-03', () => expect(text, 'the answer').not.toContain(word), exchange)
          continue
        }
        const upToWord = before.text.slice(0, before.text.indexOf(word))
        if (goesOnWithout(text, before.text, word)) {
          const why = `the answer continues, with "${word}" left out`
          claim(row, () => expect(true, why).toBe(false), exchange, before.exchange)
          continue
        }
        if (!sameAnswer(text, upToWord)) {
          session.markUndecided('inconclusive', [row, 'OAI-STOP-03'], anotherAnswer)
          continue
        }
        claim(row, () => expect(text, 'the answer').not.toContain(word), exchange, before.exchange)
        claim(
          'OAI-STOP-03',
          () => expect(text, 'the answer').not.toContain(word),
          exchange,
          before.exchange,
        )
      }
    },
  )

  test(
    'a stream ends at a stop sequence that lies within one chunk, or across two',
    covers(['OAI-STOP-05', 'OAI-STOP-04', 'OAI-STOP-03'], { requests: 4, generations: 4 }),
    async ({ openai, claim, session, prompts }) => {
      const question = prompts.sentences(5, 'the sea looks in winter')
      const body = openai.chatBody(question, { ...steady, stream: true })
      const before = await openai.chatOk(body)
      const deltas = deltasOf(before.exchange).map(({ text }) => text)
      const [within, across] = [withinOne(deltas), acrossTwo(deltas)]

      for (const [row, sequence, stopOf] of [
        ['OAI-STOP-05', within, (one: string) => one],
        ['OAI-STOP-05', within, (one: string) => [one, 'zqxjkv']],
        ['OAI-STOP-04', across, (one: string) => [one]],
      ] as const) {
        if (sequence === undefined) {
          session.markUndecided('inconclusive', [row], 'no sequence lies there alone')
          continue
        }
        const stop = stopOf(sequence)
        const exchange = await openai.chat({ ...body, stop }, { role: 'act' })
        if (isDeclined(exchange)) {
          const taken = () => expectAccepted(exchange, `stop: ${JSON.stringify(stop)} (stream)`)
          claim(row, taken, exchange, before.exchange)
          continue
        }
        const text = answerText(exchange) ?? ''
        const upToStop = before.text.slice(0, before.text.indexOf(sequence))
        const isShown = sameAnswer(text, upToStop + sequence)
        const stopped = sameAnswer(text, upToStop) || isShown
        const ranOn =
          (text.includes(sequence) && !text.endsWith(sequence)) ||
          goesOnWithout(text, before.text, sequence)
        if (stopped || ranOn) {
          claim(
            row,
            () => expect(ranOn, `the text continues after "${sequence}"`).toBe(false),
            exchange,
          )
        } else session.markUndecided('inconclusive', [row], anotherAnswer)
        if (!stopped) continue
        const what = `the stream shows "${sequence}"`
        claim('OAI-STOP-03', () => expect(isShown, what).toBe(false), exchange)
      }
    },
  )
})

const anotherAnswer = 'the model answered differently the second time'

/** A word of letters that first occurs in the middle of a text. */
function middleWord(text: string): string | undefined {
  const words = [...text.matchAll(/[A-Za-z]{4,}/g)]
  return words
    .filter(({ 0: word, index }) => text.indexOf(word) === index && index > text.length / 4)
    .map(({ 0: word }) => word)[0]
}

/**
 * All but the end of a delta of the middle, where it occurs nowhere before: its chunk goes on. Of a text
 * in one chunk, a word of its middle.
 */
function withinOne(deltas: readonly string[]): string | undefined {
  const text = deltas.join('')
  if (deltas.filter((delta) => delta !== '').length === 1) return middleWord(text)
  let start = 0
  for (const delta of deltas) {
    const inner = [...delta.trim()].slice(0, -1).join('')
    const fits = start > text.length / 4 && inner.length >= 3 && isWhole(inner)
    if (fits && text.indexOf(inner) >= start) return inner
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
    const fits = delta !== '' && next !== '' && sequence.trim() === sequence && isWhole(sequence)
    if (fits && border > text.length / 4 && text.indexOf(sequence) === start) return sequence
  }
  return undefined
}

/** A model that emits parts of characters shows U+FFFD in their place, which its text does not contain. */
function isWhole(sequence: string): boolean {
  return sequence.isWellFormed() && !sequence.includes('\ufffd')
}

/** Tests if an answer is the earlier one without a sequence, beyond the place where it stood. */
function goesOnWithout(text: string, before: string, sequence: string): boolean {
  const start = before.indexOf(sequence)
  const rest = text.slice(start).trimStart()
  const after = before.slice(start + sequence.length).trimStart()
  const isLong = rest.length >= 24 && after.length >= 24
  return (
    isLong && text.startsWith(before.slice(0, start)) && rest.slice(0, 24) === after.slice(0, 24)
  )
}

/** Tests if an answer is the same up to the stop; trailing space may be trimmed. */
function sameAnswer(text: string, upToStop: string): boolean {
  return text.trimEnd() === upToStop.trimEnd()
}
