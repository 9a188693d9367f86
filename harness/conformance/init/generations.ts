import { randomUUID } from 'node:crypto'
import { answerJson, type Exchange, isUuid, leavesOf, succeeded } from '../../../contract/index.ts'
import { sampleImage } from '../../../fixtures/content/media.ts'
import { isResponse } from '../scenario/read.ts'
import { type Members, namedMembers, withMembers } from '../session/requests/supplements.ts'
import { route } from '../session/requests/wire-request.ts'
import { brief, type Detected, type ProbeContext, unknown } from './probe.ts'

export type Generations = ReturnType<typeof createGenerations>

const placeholderId = '00000000-0000-4000-8000-000000000000'
const maxRounds = 3
const maxCandidates = 3
const guesses: readonly string[] = [
  '/api/v3/assistant',
  '/api/v3/assistants',
  '/api/v2/assistant',
  '/api/assistant',
]

/** Generations of a discovery: learns which fields the target requires beyond those of the document. */
export function createGenerations({ client, profile }: ProbeContext) {
  // Which assistant it is shows later; here it only matters if one is required.
  const ownProfile = { ...profile, assistants: { withoutKnowledge: placeholderId } }
  const evidence: string[] = []
  let learned: Members = {}

  const specOf = (json: Members, more: Members = {}) =>
    withMembers({ ...route('v3.generate'), json }, { ...learned, ...more })

  function generate(json: Members, more?: Members): Promise<Exchange> {
    return client.send({ ...specOf(json, more), headers: { 'idempotency-key': randomUUID() } })
  }

  /** The fields that a refusal names, with each value that may be the right one. */
  async function candidatesFor(more: Members, json: Members, refusal: Exchange) {
    if (more['assistant_id'] !== placeholderId) return [more]
    const ids = await findAssistants(json, refusal)
    if (ids.length === 0) evidence.push('No assistant was found; one can be set here')
    return ids.slice(0, maxCandidates).map((id): Members => ({ ...more, assistant_id: id }))
  }

  /** Ids in the refusal itself, and in probable catalogs of assistants, which the document does not show. */
  async function findAssistants(json: Members, refusal: Exchange): Promise<string[]> {
    const found = uuidsIn(refusal).filter((id) => id !== json['chat_id'])
    for (const path of guesses) {
      if (found.length > 0) break
      const list = await client.send({ surface: 'v3', method: 'GET', path })
      if (succeeded(list)) found.push(...uuidsIn(list))
    }
    return [...new Set(found)]
  }

  return {
    async send(json: Members): Promise<Exchange> {
      let answer = await generate(json)
      for (let round = 0; round < maxRounds && !succeeded(answer); round += 1) {
        const more = namedMembers(answer, specOf(json), ownProfile)
        const names = Object.keys(more).join(', ')
        if (names === '') break
        evidence.push(`${brief(answer, `without ${names}`)}, and the refusal names ${names}`)
        const candidates = await candidatesFor(more, json, answer)
        if (candidates.length === 0) break
        for (const members of candidates) {
          answer = await generate(json, members)
          // Another refusal may name another field.
          if (succeeded(answer) || members === more) learned = { ...learned, ...members }
          if (!succeeded(answer)) continue
          evidence.push(brief(answer, `with ${names}`))
          break
        }
      }
      return answer
    },
    /** The fields without which a generation was refused, as far as they could be detected. */
    required: (): Detected<Members> =>
      Object.keys(learned).length === 0 ? unknown(...evidence) : { value: learned, evidence },
  }
}

/** Lists ids, those under a name for an id first. */
function uuidsIn(exchange: Exchange): string[] {
  const found = leavesOf(answerJson(exchange)).filter(({ value }) => isUuid(value))
  const named = found.filter(({ path }) => /^(id|uuid|assistant_?id)$/i.test(path.at(-1) ?? ''))
  return (named.length > 0 ? named : found).map(({ value }) => String(value))
}

/** Detects if reasoning is separate from the answer. */
export async function findReasoning(
  chat: string,
  { models }: ProbeContext,
  generations: Generations,
): Promise<Detected<true>> {
  const input = 'How many days are there in four weeks? Think it through.'
  const about = { chat_id: chat, model_id: models.main, input }
  const reply = await generations.send({ ...about, stream: true, think: true })
  const deltas = reply.events.filter(({ name }) => name === 'response.reasoning_text.delta').length
  const observation = `${brief(reply, 'as a stream with think')}, ${deltas} response.reasoning_text.delta`
  return deltas > 0 ? { value: true, evidence: [observation] } : unknown(observation)
}

/** Detects if the vision model accepts an image of one pixel. */
export async function findImages(
  chat: string,
  { models }: ProbeContext,
  generations: Generations,
): Promise<Detected<true>> {
  if (models.vision === undefined) return unknown('Not tested: no vision model is known')
  const content = [
    { type: 'input_text', text: 'What do you see?' },
    { type: 'input_image', image_url: sampleImage, detail: 'auto' },
  ]
  const input = [{ type: 'message', role: 'user', content }]
  const about = { chat_id: chat, model_id: models.vision, input }
  const reply = await generations.send({ ...about, stream: false })
  const observation = brief(reply, `with a data URL in input_image, model ${models.vision}`)
  return succeeded(reply) && isResponse(reply)
    ? { value: true, evidence: [observation] }
    : unknown(observation)
}
