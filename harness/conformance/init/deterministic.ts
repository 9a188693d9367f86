import type { Exchange } from '../../../contract/index.ts'
import { answerText } from '../../judges/index.ts'
import { statusText } from '../scenario/read.ts'
import { type Detected, type ProbeContext, route, unknown } from './probe.ts'

/** Many ways to go on, so that a model that draws lots gives itself away. */
const question = 'Invent a name for a boat, and tell its story in a few sentences.'

/**
 * Tests if the same request gives the same text: twice at temperature 0, and, where that is equal,
 * twice at the default temperature of the target, since rows send requests without one.
 */
export async function findDeterministic({ client, models }: ProbeContext): Promise<Detected<true>> {
  const ask = (more: object) =>
    client.send({
      ...route('openai.chat'),
      json: {
        model: models.main,
        messages: [{ role: 'user', content: question }],
        max_tokens: 48,
        ...more,
      },
    })
  const cold = [await ask({ temperature: 0 }), await ask({ temperature: 0 })]
  const coldly = compare(cold, 'at temperature 0')
  if (!coldly.equal) return unknown(coldly.sentence)
  const plain = [await ask({}), await ask({})]
  const plainly = compare(plain, 'without a temperature')
  const evidence = [coldly.sentence, plainly.sentence]
  return plainly.equal ? { value: true, evidence } : unknown(...evidence)
}

function compare(answers: readonly Exchange[], how: string) {
  const texts = answers.map((answer) => answerText(answer) ?? '')
  const what = `The same completion, asked for twice ${how}`
  if (texts.includes('')) {
    return { equal: false, sentence: `${what}: no text (${answers.map(statusText).join(', ')})` }
  }
  const equal = new Set(texts).size === 1
  return { equal, sentence: `${what}: ${equal ? 'the same text' : 'different texts'}` }
}
