import {
  bodyJson,
  documentedPrefixes,
  type Exchange,
  operations,
  urlOf,
} from '../../../contract/index.ts'
import { suiteVersion } from '../defaults.ts'
import type { TargetProfile } from '../profile/index.ts'
import { classifyAnswer } from './classify-answer.ts'
import { modelIdsIn } from './models.ts'
import { ProbeClient } from './probe-client.ts'

/** Prefixes of servers with a compatible surface; the empty one is the given address itself. */
const foreignPrefixes = ['/v1', '/openai/v1', ''] as const

/**
 * Finds the compatible surface of a target of which only the address is known. Up to four requests for its
 * list of models, none of which names the kit.
 * @returns the prefix; undefined if it is that of the document, or none is found
 */
export async function locateCompatible(
  profile: TargetProfile,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const identity = { profile, tag: '', userAgent: '', requestIdSeed: suiteVersion() }
  const client = new ProbeClient(identity, signal)
  const list = (openai: string) => client.ask(operations['openai.models'], { prefixes: { openai } })
  try {
    const first = await list(documentedPrefixes.openai)
    if (classifyAnswer(first) !== 'absent') return undefined
    for (const prefix of foreignPrefixes) {
      if (prefix === '' && isDocumented(profile.baseUrl)) continue
      if (isCompatible(await list(prefix))) return prefix
    }
    return undefined
  } finally {
    await client.close()
  }
}

/** The sentence that tells a user what was found. */
export function locatedText(profile: TargetProfile): string {
  const { openai = '' } = profile.prefixes ?? {}
  return `the compatible surface is at ${urlOf(profile, documentedPrefixes.openai)} (--prefix openai=${openai === '' ? '/' : openai}); --profile wire judges what the common wire format alone demands`
}

/** An address within the service: its base is above, which the preflight proposes. */
function isDocumented(baseUrl: string): boolean {
  return /\/api(\/(openai|v2|v3|knowledge))?$/.test(new URL(baseUrl).pathname)
}

function isCompatible(answer: Exchange): boolean {
  const kind = classifyAnswer(answer)
  if (kind === 'refused') return true
  return (
    kind === 'service' && answer.response?.status === 200 && modelIdsIn(bodyJson(answer)).length > 0
  )
}
