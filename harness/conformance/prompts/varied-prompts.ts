import { createHash } from 'node:crypto'
import type { Language, Sentences } from '../../../fixtures/content/languages/language.ts'
import type { Values, Writer } from '../../../fixtures/content/writer.ts'
import type { Prompts } from './prompts.ts'

/** Words that a stream must not break: of several scripts, with accents and characters beyond the basic plane. */
const multilingualWords = ['Größe', 'naïveté', 'Ελλάδα', '東京', '👩‍🚀🚀', 'café']

/**
 * The texts of an incognito run: each scenario is a user of its own, in one of several languages. A
 * text follows from the seed and the arguments alone, so that it is the same however scenarios
 * overlap.
 */
export function variedPrompts(writers: readonly Writer[], seed: string): Prompts {
  const writer = pick(writers, seed)
  // Answers are cut at a word and long texts are searched by their words.
  const spaced = pick(
    writers.filter(({ language }) => language.isSpaced),
    seed,
  )

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

function pick(writers: readonly Writer[], seed: string): Writer {
  const writer = writers[numberOf(`${seed}/language`, writers.length)]
  if (writer === undefined) throw new Error('no language is loaded')
  return writer
}

/** A number from 0 up to `below`, the same for the same text. */
function numberOf(text: string, below = 2 ** 32): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) % below
}
