import { hash } from 'node:crypto'
import type { Language, Sentences } from '../../../fixtures/content/language.ts'
import type { Values, Writer } from '../../../fixtures/content/writer.ts'

/** Texts of scenarios whose wording no requirement judges. */
export type Prompts = Readonly<typeof plainPrompts>

/** The texts of a run with a tag: always the same. */
export const plainPrompts = {
  /** A question with a brief answer; about a reference, which the text contains once, if one is given. */
  brief: (reference?: string): string =>
    reference ? `Name a color for ${reference}.` : 'Name a color.',
  otherBrief: (reference?: string): string =>
    reference ? `Name another color, ${reference}.` : 'Name another color.',
  /** A question whose answer is longer than a few words. */
  reasoned: (): string => 'Name a color and say why you like it.',
  /** A message of an ordinary conversation, with sentences that are cut short. */
  message: (turn: number): string => `Name color number ${turn}.`,
  /** Requests a number of sentences; other subjects make other texts. */
  sentences: (count: number, subject: string): string =>
    `Tell me in ${wordFor(count)} how ${subject}.`,
  sentencesAbout: (count: number, reference: string): string =>
    `Tell me in ${wordFor(count)} how ${reference} sounds.`,
  /** Asks for an answer of several hundred words. */
  longAnswer: (): string => 'Count from one to two hundred, in words, one number a line.',
  /** Sets the tone: the text itself, or another one for each tone. */
  instruction: (tone: string, reference?: string): string =>
    reference ? `${tone} Reference: ${reference}.` : tone,
  /** A statement that needs no answer. */
  note: (reference: string): string => `Note ${reference}.`,
  followUp: (): string => 'And another.',
  picture: (): string => 'What do you see?',
  calculation: (): string => 'How many days are there in four weeks? Think it through.',
  /** Asks for the time of day, by a tool. */
  time: (): string => 'What time is it in Lisbon? Use the tool.',
  place: (): string =>
    'Name a city and its country, as a JSON object with members city and country.',
  /** Asks for words of several scripts again. */
  repeat: (): string => 'Repeat exactly: Größe, naïveté, Ελλάδα, 東京, 👩‍🚀🚀, café.',
  /** A text file about a reference, and a question that it answers. */
  document: (reference: string) => ({
    text: `Notes of ${reference}.\nThe tower of ${reference} is 47 metres high.\n`,
    question: `How high is the tower of ${reference}?`,
  }),
  /** Title of a chat; begins with the reference, a word that no other title begins with. */
  title: (reference: string, tag: string): string => `${reference} ${tag}`,
}

function wordFor(count: number): string {
  const words: Readonly<Record<number, string>> = {
    1: 'a',
    2: 'two',
    3: 'three',
    5: 'five',
    10: 'ten',
  }
  return `${words[count] ?? count} ${count === 1 ? 'sentence' : 'sentences'}`
}

/** Words that a stream must not break: of several scripts, with accents and characters beyond the basic plane. */
const multilingualWords = ['Größe', 'naïveté', 'Ελλάδα', '東京', '👩‍🚀🚀', 'café']

/** Maximum sentences in a message of an ordinary conversation. */
const maxSentences = 4

/**
 * The texts of an incognito run: each scenario is a different user of one customer, most of them with its
 * language. A text follows from the seeds and the arguments alone, so that it does not depend on how scenarios
 * overlap.
 */
export function variedPrompts(writers: readonly Writer[], seed: string, customer: string): Prompts {
  const writer = pick(writers, numberOf(`${seed}/abroad`, 6) === 0 ? seed : customer)
  // Responses are cut at a word, and long texts are searched by their words.
  const ofSpaced = writers.filter(({ language }) => language.isSpaced)
  const spaced = pick(ofSpaced, seed)

  function say(
    of: (language: Language) => Sentences,
    about: readonly (string | number)[],
    { by = writer, ...values }: Values & { readonly by?: Writer } = {},
  ): string {
    return by.say(of(by.language), JSON.stringify([seed, ...about]), values)
  }

  function brief(kind: string, ref: string | undefined): string {
    return ref === undefined
      ? say((language) => language.brief, [kind])
      : say((language) => language.briefAbout, [kind, ref], { ref })
  }

  return {
    brief: (reference) => brief('brief', reference),
    otherBrief: (reference) => brief('other', reference),
    reasoned: () => say((language) => language.reasoned, ['reasoned']),
    message(turn) {
      const max = 1 + numberOf(`${customer}/sentences`, maxSentences)
      const sentences = Array.from({ length: 1 + numberOf(`${seed}/${turn}`, max) }, (_, at) => {
        const kind = messageKinds[numberOf(`${seed}/${turn}/${at}`, messageKinds.length)]
        const about = ['message', turn, at]
        const n = 2 + numberOf(`${seed}/${turn}/${at}/n`, 98)
        const sentence = say((language) => language[kind ?? 'chatter'], about, { n })
        return cutShort(sentence, writer.language, `${seed}/${turn}/${at}`)
      })
      return sentences.join(writer.language.isSpaced ? ' ' : '')
    },
    sentences: (n, subject) =>
      say((language) => language.sentences, ['sentences', n, subject], { n, by: spaced }),
    sentencesAbout: (n, ref) =>
      say((language) => language.sentencesAbout, ['sentences', n, ref], { n, ref }),
    longAnswer: () => say((language) => language.longAnswer, ['lasting'], { by: spaced }),
    instruction(tone, ref) {
      const text = say((language) => language.instruction, ['instruction', tone])
      return ref === undefined
        ? text
        : `${text} ${say((language) => language.note, ['instruction', tone, ref], { ref })}`
    },
    note: (ref) => say((language) => language.note, ['note', ref], { ref }),
    followUp: () => say((language) => language.followUp, ['go on']),
    picture: () => say((language) => language.picture, ['picture']),
    calculation: () =>
      say((language) => language.calculation, ['reckon'], { n: 2 + numberOf(seed, 7) }),
    time: () => say((language) => language.time, ['time']),
    place: () => say((language) => language.place, ['place']),
    repeat: () =>
      say((language) => language.repeat, ['repeat'], {
        text: `${multilingualWords.toSorted((a, b) => numberOf(seed + a) - numberOf(seed + b)).join(', ')}.`,
      }),
    document(ref) {
      const { title, fact, ask } = spaced.language.document
      const about = ['document', ref]
      const line = (sentence: string) => say(() => [sentence], about, { ref, by: spaced })
      return { text: `${line(title)}\n${line(fact)}\n`, question: line(ask) }
    },
    title: (ref) => `${ref} ${say((language) => language.title, ['title', ref])}`,
  }
}

const messageKinds = [
  ...(['chatter', 'chatter', 'chatter', 'brief', 'brief'] as const),
  ...(['reasoned', 'reasoned', 'reasoned', 'calculation'] as const),
] as const

/** The beginning of a sentence, as users write: often not to its end, and without its mark. */
function cutShort(sentence: string, { isSpaced }: Language, seed: string): string {
  const blank = isSpaced ? ' ' : ''
  // No emoji is cut in half.
  const characters = [...sentence]
  const words = isSpaced ? sentence.split(blank) : characters
  const share = (10 + numberOf(`${seed}/share`, 110)) / 100
  const begin = words.slice(0, Math.ceil(share * words.length)).join(blank)
  const [mark = ''] = numberOf(`${seed}/mark`, 3) > 0 ? characters.slice(-1) : ''
  return begin.replace(/[\p{P}\s]+$/u, '') + mark
}

function pick(writers: readonly Writer[], seed: string): Writer {
  const writer = writers[numberOf(`${seed}/language`, writers.length)]
  if (writer === undefined) throw new Error('no language is loaded')
  return writer
}

/** A number from 0 to below `below`, the same for the same text. */
function numberOf(text: string, below = 2 ** 32): number {
  return hash('sha256', text, 'buffer').readUInt32BE(0) % below
}
