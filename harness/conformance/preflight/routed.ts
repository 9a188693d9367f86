import type { Exchange } from '../../../contract/index.ts'
import type { RequestSpec } from '../session/requests/wire-request.ts'
import type { SendProbe } from './ask.ts'
import { classifyAnswer, differs, isPage } from './classify-answer.ts'

/**
 * Those of the answers that only a route gives: a service may say 404 of a thing that it does not
 * know, so what cannot be there is asked for as well.
 */
export async function selectRouted(
  answers: readonly Exchange[],
  ask: SendProbe,
): Promise<Exchange[]> {
  // Pages are written for readers, and anew for each.
  const absent = answers.filter((answer) => classifyAnswer(answer) === 'absent' && !isPage(answer))
  const methods = [...new Set(absent.map(({ request }) => request.method))]
  const controls = await Promise.all(methods.map((method) => ask({ ...noRoute(method) })))
  return answers.filter((answer) => {
    if (classifyAnswer(answer) === 'service') return true
    const control = controls.find(({ request }) => request.method === answer.request.method)
    if (!absent.includes(answer) || control === undefined) return false
    return classifyAnswer(control) === 'absent' && differs(answer, control)
  })
}

/** Nobody has this route. */
function noRoute(method: string): RequestSpec {
  const path = '/api/chatgen-no-such-route'
  return { surface: 'openai', method, path, ...(method === 'GET' ? {} : { json: {} }) }
}
