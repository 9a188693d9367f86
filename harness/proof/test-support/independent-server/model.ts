import { createHash } from 'node:crypto'

/** Texts in the order in which they were said; the last is the one to answer. */
export type Conversation = readonly string[]

const words = ['salt', 'wind', 'harbour', 'grey', 'foam', 'gull', 'rope', 'cold', 'light', 'stone']
const sizes: Readonly<Record<string, number>> = { three: 30, five: 50, ten: 240 }

/** Facts that can be stated and asked for again. */
const memories = [
  {
    ask: /What is my name\?/,
    tell: /My name is (\w+)\./,
    answer: (name: string) => `Your name is ${name}, as you said.`,
  },
  {
    ask: /Wie lautet das Kennwort\?/,
    tell: /Das Kennwort lautet (\w+)!/,
    answer: (word: string) => `So lautet es: ${word}.`,
  },
]

/** Answers by rule: from what it was told, by saying a text again, or with words in an order. */
export function answerTo(conversation: Conversation): string {
  const message = conversation.at(-1) ?? ''
  const [, repeat] = /Repeat exactly: (.*)/s.exec(message) ?? []
  if (repeat !== undefined) return repeat
  for (const { ask, tell, answer } of memories) {
    if (!ask.test(message)) continue
    const [, fact] = tell.exec([...conversation].reverse().join('\n')) ?? []
    return fact === undefined ? 'Nobody has told me.' : answer(fact)
  }
  if (/^Count /.test(message)) return prose(message, 200)
  const [, size = ''] = /in (\w+) sentences|Write (?=ten)/.exec(message) ?? []
  return prose(message, sizes[size] ?? (message.startsWith('Write ten') ? 240 : 12))
}

export function tokensOf(text: string): readonly string[] {
  return text.match(/\S+\s*/g) ?? []
}

/** Pieces of characters, that keep to no word border. */
export function piecesOf(text: string): readonly string[] {
  const characters = [...text]
  const pieces: string[] = []
  for (let at = 0; at < characters.length; at += 7) {
    pieces.push(characters.slice(at, at + 7).join(''))
  }
  return pieces
}

/** The same words for the same question, none of them twice in a row. */
function prose(question: string, count: number): string {
  const digest = createHash('sha256').update(question).digest()
  const picked = Array.from({ length: count }, (_, at) => {
    const step = (digest[at % digest.length] ?? 0) + at
    return `${words[step % words.length]}${at % 3 === 0 ? `-${at}` : ''}`
  })
  return `${picked.join(' ')}.`
}
