/** The texts that scenarios send where any text of its kind does: no requirement judges their wording. */
export interface Prompts {
  /** A question with a brief answer; about a reference, which the text holds once, where one is given. */
  brief(reference?: string): string
  /** Another one. */
  otherBrief(reference?: string): string
  /** A question whose answer is longer than a few words. */
  reasoned(): string
  /** Asks for so many sentences; other subjects make other texts. */
  sentences(count: number, subject: string): string
  sentencesAbout(count: number, reference: string): string
  /** Asks for an answer of several hundred words. */
  longAnswer(): string
  /** Sets the tone: the text itself, or another one for each tone. */
  instruction(tone: string, reference?: string): string
  /** A statement that needs no answer. */
  note(reference: string): string
  followUp(): string
  picture(): string
  calculation(): string
  /** Asks for the time of day, by a tool. */
  time(): string
  /** Asks for a city and its country as JSON. */
  place(): string
  /** Asks for words of several scripts again. */
  repeat(): string
  /** A text file about a reference, and a question that it answers. */
  document(reference: string): { readonly text: string; readonly question: string }
  /** Title of a chat; begins with the reference, a word that no other title begins with. */
  title(reference: string): string
}

/** The texts of a run that names itself: always the same. */
export const plainPrompts: Prompts = {
  brief: (reference) => (reference ? `Name a colour for ${reference}.` : 'Name a colour.'),
  otherBrief: (reference) =>
    reference ? `Name another colour, ${reference}.` : 'Name another colour.',
  reasoned: () => 'Name a colour and say why you like it.',
  sentences: (count, subject) => `Tell me in ${wordFor(count)} how ${subject}.`,
  sentencesAbout: (count, reference) => `Tell me in ${wordFor(count)} how ${reference} sounds.`,
  longAnswer: () => 'Count from one to two hundred, in words, one number a line.',
  instruction: (tone, reference) => (reference ? `${tone} Reference: ${reference}.` : tone),
  note: (reference) => `Note ${reference}.`,
  followUp: () => 'And another.',
  picture: () => 'What do you see?',
  calculation: () => 'How many days are there in four weeks? Think it through.',
  time: () => 'What time is it in Lisbon? Use the tool.',
  place: () => 'Name a city and its country, as a JSON object with members city and country.',
  repeat: () => 'Repeat exactly: Größe, naïveté, Ελλάδα, 東京, 👩‍🚀🚀, café.',
  document: (reference) => ({
    text: `Notes of ${reference}.\nThe tower of ${reference} is 47 metres high.\n`,
    question: `How high is the tower of ${reference}?`,
  }),
  title: (reference) => reference,
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
