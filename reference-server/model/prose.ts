/** Meaningless sentences that differ by prompt and contain multi-byte letters. */
import { type Draw, pick, seededDraw } from '../runtime/random.ts'
import { splitTokens } from './generation.ts'
import type { Turn } from './types.ts'

/** Whole sentences, 22 to 60 words in all, as tokens. */
export function answerProse(seed: number, prompt: string): readonly string[] {
  const draw = seededDraw(seed, 'answer', prompt)
  const wordCount = 22 + Math.floor(draw() * 22)
  const tokens: string[] = []
  while (tokens.length === 0 || words(tokens) < wordCount) addSentence(tokens, draw)
  return tokens
}

export function reasoningProse(seed: number, prompt: string): string {
  const draw = seededDraw(seed, 'reasoning', prompt)
  return `${pick(draw, openings)} ${pick(draw, doubts)} ${pick(draw, conclusions)}`
}

/** Sentences, truncated after exactly `count` tokens. */
export function proseOfTokens(seed: number, prompt: string, count: number): readonly string[] {
  const draw = seededDraw(seed, 'measured', prompt)
  const tokens: string[] = []
  while (tokens.length < count) addSentence(tokens, draw)
  return tokens.slice(0, count)
}

function addSentence(tokens: string[], draw: Draw): void {
  const isFirst = tokens.length === 0
  for (const list of [subjects, verbs, objects, endings]) tokens.push(...pick(draw, list))
  tokens.push('.')
  if (isFirst) tokens[0] = tokens[0]?.trimStart() ?? ''
}

/** The first token of each word except the first begins with a space. */
function words(tokens: readonly string[]): number {
  return 1 + tokens.filter((token) => token.startsWith(' ')).length
}

/** Title of a conversation: the beginning of its first user message; never empty. */
export function titleOf(turns: readonly Turn[]): string {
  const userTurn = turns.find(({ role, text }) => role === 'user' && /[\p{L}\p{N}]/u.test(text))
  if (userTurn === undefined) return 'An empty chat'
  const words = userTurn.text.slice(0, 1000).match(/[\p{L}\p{N}][^\s]*/gu) ?? []
  const title = words.slice(0, maxTitleWords).join(' ').slice(0, 80)
  return `About: ${title}${words.length > maxTitleWords ? '…' : ''}`.toWellFormed()
}

const maxTitleWords = 6

const subjects = phrases(
  `The harbour master, A patient gardener, Our neighbor Zoë, The café on the corner,
   An old tram driver, The night train to Brno, A small orchestra, Señora Ibáñez, The clock maker,
   Every second visitor, A bookbinder from Łódź, The quiet observatory`,
)

const verbs = phrases(
  'counts, repairs, remembers, measures, collects, sorts, sketches, describes, guards, exchanges',
)

const objects = phrases(
  `seven brass keys, the tide tables, a map of the valley, letters from 東京, jars of plum jam,
   some naïve melodies, all passing clouds 🌦️, two wooden boats, the first snow of 1987,
   a box of crayons 🎨, the word für "bridge", half a dozen kites`,
)

const endings = phrases(
  `before sunrise, when the rain stops, with great care, in the quiet hours, twice a week,
   without a single word, for the whole village, at −4 °C, while the kettle sings,
   as 春 turns to summer`,
)

const openings = [
  'The question comes first, so I read it twice.',
  'Let me see what is asked here.',
  'I begin with what is already known.',
] as const

const doubts = [
  'Two readings are possible; the plain one is likelier.',
  'Nothing in the conversation speaks against a short reply.',
  'An example may help more than a definition — peut-être.',
] as const

const conclusions = [
  'A few sentences will do.',
  'So the answer can be brief.',
  'I will say it simply.',
] as const

/** Phrases as tokens, each after a space; no token spans two phrases. */
function phrases(list: string): readonly (readonly string[])[] {
  return list.split(/,\s+/).map((phrase) => splitTokens(` ${phrase}`))
}
