import { answerJson, type Exchange, succeeded } from '../../../contract/index.ts'
import type { AuxiliaryClient } from '../cleanup/auxiliary-client.ts'
import { mainIds, modelIdsIn, smallestCompletion, visionId } from '../preflight/models.ts'
import { isCompletion } from '../scenario/read.ts'
import { brief, type Detected, type Models, route, unknown } from './probe.ts'

/** Names of section 2.1, for a target that lists no models. */
export const assumedModels: Models = { main: 'svc-main-model', aliases: [], vision: visionId }

/**
 * The models of section 2.1 where they are listed, else the first id of the list. The other id of
 * the main model need not be listed to be accepted, so it is tried.
 */
export async function findModels(
  list: Exchange | undefined,
  client: AuxiliaryClient,
  redact: (text: string) => string,
): Promise<Detected<Models>> {
  if (!list) return unknown('GET /api/openai/models was not requested')
  const ids = succeeded(list) ? modelIdsIn(answerJson(list)) : []
  const listed = ids.filter((id) => redact(id) === id)
  const [first] = listed
  if (first === undefined) return unknown(`${brief(list)}, and no id of a model in it`)

  const names = listed.slice(0, 12).join(', ')
  const evidence = [`${brief(list)}, which lists ${names}${listed.length > 12 ? ', …' : ''}`]
  const vision = listed.includes(visionId) ? visionId : undefined
  const main = mainIds.find((id) => listed.includes(id))
  if (main === undefined) {
    evidence.push('The first of them: none is a main model of section 2.1')
    return { value: { main: first, aliases: [], vision }, evidence }
  }
  const other = mainIds.find((id) => id !== main) ?? main
  const completion = await client.send({ ...route('openai.chat'), json: smallestCompletion(other) })
  const accepted = succeeded(completion) && isCompletion(completion)
  evidence.push(brief(completion, `with model ${other}`))
  if (!accepted) {
    evidence.push(`Section 2.1 accepts ${other} as well: check judges that (OAI-MODELS-02)`)
  }
  return { value: { main, aliases: [other], vision }, evidence }
}
