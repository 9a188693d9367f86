import type { Exchange } from '../../../contract/index.ts'
import type { SendProbe } from './ask.ts'
import { classifyAnswer } from './classify-answer.ts'
import { describeAnswer } from './describe-answer.ts'
import { baseByTls, baseOfRedirect, basesAbove } from './suggest-address.ts'

/**
 * The address that was meant, in a sentence; undefined where none is found. A redirect is told and not
 * followed, so that no key goes where the target wants it.
 */
export async function suggestAddress(
  baseUrl: string,
  answers: readonly Exchange[],
  ask: SendProbe,
): Promise<string | undefined> {
  for (const answer of answers) {
    const redirected = baseOfRedirect(answer, baseUrl)
    if (redirected !== undefined) return `It redirects elsewhere. Did you mean ${redirected}?`
    const byTls = baseByTls(answer, baseUrl)
    if (byTls !== undefined) return `It speaks TLS. Did you mean ${byTls}?`
  }
  for (const base of basesAbove(baseUrl)) {
    const found = await Promise.all([
      ask({ surface: 'openai', method: 'GET', path: '/api/openai/models' }, base),
      ask({ surface: 'v3', method: 'GET', path: '/api/v3/chat', query: { limit: 1 } }, base),
    ])
    const [shown] = found.filter((answer) =>
      ['service', 'refused'].includes(classifyAnswer(answer)),
    )
    if (shown !== undefined) return `Did you mean ${base}? ${describeAnswer(shown)}`
  }
  return undefined
}
