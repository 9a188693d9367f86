import { targetFixture } from '../../fixtures/targets.ts'
import { listen } from '../client/test-support/listen-on-loopback.ts'
import { loadProfile } from '../conformance/profile/index.ts'
import { nullServers } from '../conformance/test-support/null-servers.ts'
import type { Attempt } from './runs/run-target.ts'

/**
 * Requirements that a fixed answer of the right form satisfies: those on the form, and those that a field is
 * accepted. None of them may depend on the text of an answer.
 */
const provenByForm: Readonly<Record<string, readonly string[]>> = {
  [nameOf('one recorded completion for every POST')]: [
    ...ids('OAI-CHAT', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15),
    ...ids('OAI-TEMP', 1),
    ...ids('OAI-TOPP', 1),
    ...ids('OAI-MODELS', 2, 3),
  ],
  [nameOf('one recorded response for every POST')]: ids('V3-ONE', 1, 3, 4, 6, 8, 10),
}

export const nullServerNames: readonly string[] = Object.keys(nullServers).map(nameOf)

/** Requirements that a null server may pass. */
export function provenBy(name: string): readonly string[] {
  return provenByForm[name] ?? []
}

/** Servers that implement nothing of the document: no required requirement may pass against them. */
export function nullAttempts(): Attempt[] {
  return Object.entries(nullServers).map(([name, handler]) => ({
    kind: 'null',
    name: nameOf(name),
    open: async () => {
      const { url: baseUrl, close } = await listen(handler)
      const environment = { CHATGEN_API_KEY: 'sk-null-0001', CHATGEN_OTHER_KEY: 'sk-null-0002' }
      const overrides = { baseUrl, limits: { timeoutMs: 300, settleMs: 0 } }
      return { profile: loadProfile(targetFixture('reference'), environment, overrides), close }
    },
    selection: { profile: 'full', only: [], skip: [] },
  }))
}

/** `null-an-echo-of-the-body`. */
function nameOf(server: string): string {
  return `null-${server.toLowerCase().replaceAll(/[^a-z\d]+/g, '-')}`
}

function ids(area: string, ...numbers: readonly number[]): string[] {
  return numbers.map((number) => `${area}-${String(number).padStart(2, '0')}`)
}
