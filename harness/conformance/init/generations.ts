import { randomUUID } from 'node:crypto'
import { answerJson, type Exchange, isUuid, leavesOf, succeeded } from '../../../contract/index.ts'
import { createSupplements, type Members, withMembers } from '../session/requests/supplements.ts'
import { route } from '../session/requests/wire-request.ts'
import { brief, type Detected, type ProbeContext, unknown } from './probe.ts'

export type Generations = ReturnType<typeof createGenerations>

/** Generations of a discovery: learns which fields the target requires beyond those of the document. */
export function createGenerations({ client, profile }: ProbeContext) {
  // Which assistant it is shows later; here it only matters if one is required.
  const anyAssistant = { withoutKnowledge: placeholderId }
  const supplements = createSupplements({ ...profile, assistants: anyAssistant })
  const evidence: string[] = []
  let learned: Members = {}

  return {
    async send(json: Members): Promise<Exchange> {
      const spec = withMembers({ ...route('v3.generate'), json }, learned)
      let answer = await generate(spec.json)
      for (let round = 0; round < maxRounds && !succeeded(answer); round += 1) {
        const more = supplements.namedIn(answer, { ...spec, json: { ...json, ...learned } })
        if (Object.keys(more).length === 0) return answer
        const next = await retryWith(json, more, answer)
        if (next === undefined) return answer
        answer = next
      }
      return answer
    },
    /** The fields without which a generation was refused, as far as they could be detected. */
    required(): Detected<Members> {
      if (Object.keys(learned).length === 0) return unknown(...evidence)
      return { value: learned, evidence }
    },
  }

  function generate(json: unknown): Promise<Exchange> {
    const headers = { 'idempotency-key': randomUUID() }
    return client.send({ ...route('v3.generate'), json, headers })
  }

  /** The response to a request with the fields that the refusal names; undefined if no value is known for them. */
  async function retryWith(
    json: Members,
    more: Members,
    refusal: Exchange,
  ): Promise<Exchange | undefined> {
    const names = Object.keys(more).join(', ')
    evidence.push(`${brief(refusal, `without ${names}`)}, and the refusal names ${names}`)
    const wantsAssistant = more['assistant_id'] === placeholderId
    const candidates = wantsAssistant ? await findAssistants(json, refusal) : [undefined]
    if (candidates.length === 0) evidence.push('No assistant was found; one can be set here')
    let answer: Exchange | undefined
    for (const id of candidates.slice(0, maxCandidates)) {
      const members = { ...learned, ...more, ...(id === undefined ? {} : { assistant_id: id }) }
      answer = await generate({ ...json, ...members })
      if (!succeeded(answer)) continue
      learned = members
      evidence.push(brief(answer, `with ${names}`))
      break
    }
    // Another refusal may name another field.
    if (answer !== undefined && !wantsAssistant) learned = { ...learned, ...more }
    return answer
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
}

const placeholderId = '00000000-0000-4000-8000-000000000000'
const maxRounds = 3
const maxCandidates = 3
const guesses: readonly string[] = [
  '/api/v3/assistant',
  '/api/v3/assistants',
  '/api/v2/assistant',
  '/api/assistant',
]

/** Lists ids, those under a name for an id first. */
function uuidsIn(exchange: Exchange): string[] {
  const found = leavesOf(answerJson(exchange)).filter(({ value }) => isUuid(value))
  const named = found.filter(({ path }) => /^(id|uuid|assistant_?id)$/i.test(path.at(-1) ?? ''))
  return (named.length > 0 ? named : found).map(({ value }) => String(value))
}
