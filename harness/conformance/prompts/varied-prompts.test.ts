import { beforeAll, describe, expect, test } from 'vitest'
import { languages } from '../../../fixtures/content/language.ts'
import { loadWriters, type Writer } from '../../../fixtures/content/writer.ts'
import { type Prompts, plainPrompts, variedPrompts } from './prompts.ts'

describe('prompts of an incognito run', () => {
  let writers: readonly Writer[] = []
  beforeAll(async () => {
    writers = await loadWriters()
  })

  test('are determined by the seed', () => {
    const texts = (seed: string) => textsOf(variedPrompts(writers, seed, 'customer'))
    expect(texts('round/a-scenario')).toEqual(texts('round/a-scenario'))
    expect(texts('round/a-scenario')).not.toEqual(texts('round/another-scenario'))
  })

  test('are in all languages, without open placeholders or the plain wording', () => {
    for (const { language } of writers) {
      const own = writers.filter((writer) => writer.language === language)
      const spaced = writers.filter((writer) => writer.language.isSpaced).slice(0, 1)
      const texts = textsOf(
        variedPrompts(language.isSpaced ? own : [...own, ...spaced], 'seed', 'customer'),
      )
      expect(texts.filter((text) => /\{\w*\}|undefined|^\s*$/.test(text))).toEqual([])
      expect(texts.filter((text) => textsOf(plainPrompts).includes(text))).toEqual([])
    }
    expect(new Set(languages.map(({ locale }) => locale)).size).toBe(languages.length)
  })

  test.each([
    ['plain', () => plainPrompts],
    ['varied', () => variedPrompts(writers, 'seed', 'customer')],
  ])('contain their reference once (%s)', (_, open) => {
    const prompts = open()
    const about = [
      prompts.brief('AB123456789'),
      prompts.otherBrief('AB123456789'),
      prompts.sentencesAbout(5, 'AB123456789'),
      prompts.instruction('You are brief.', 'AB123456789'),
      prompts.note('AB123456789'),
      prompts.document('AB123456789').question,
    ]
    expect(about.map((text) => text.split('AB123456789').length)).toEqual(about.map(() => 2))
  })

  test('are Unicode, also if they end with an emoji or are cut short', () => {
    const seeds = Array.from({ length: 300 }, (_, at) => `seed ${at}`)
    const messages = seeds.flatMap((seed) =>
      [0, 1, 2].map((turn) => variedPrompts(writers, seed, seed).message(turn)),
    )
    expect(messages.filter((text) => !text.isWellFormed())).toEqual([])
  })

  test('begin chat titles with the reference, which searches look for', () => {
    for (const seed of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const title = variedPrompts(writers, seed, 'customer').title('AB123456789', '')
      expect(title.split(' ')[0]).toBe('AB123456789')
    }
  })
})

function textsOf(prompts: Prompts): readonly string[] {
  const { text, question } = prompts.document('AB123456789')
  return [
    prompts.brief(),
    prompts.brief('AB123456789'),
    prompts.otherBrief(),
    prompts.reasoned(),
    prompts.message(0),
    prompts.message(1),
    prompts.sentences(3, 'bread is made'),
    prompts.sentencesAbout(5, 'AB123456789'),
    prompts.longAnswer(),
    prompts.instruction('You are brief.'),
    prompts.note('AB123456789'),
    prompts.followUp(),
    prompts.picture(),
    prompts.calculation(),
    prompts.time(),
    prompts.place(),
    text,
    question,
  ]
}
