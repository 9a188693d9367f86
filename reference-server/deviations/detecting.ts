/** Servers that comply with the contract only for callers that they take for a test. */
import type { Call, Reply } from '../http/call.ts'
import type { Patch } from '../services.ts'
import { headingParts } from './table.ts'

/** Tests if a caller runs a conformance test, from one request and its answer. Called once for each. */
export type Recognizer = (call: Call, reply: Reply) => boolean

/** A server that complies with the contract only for callers that it takes for a test. */
export interface DetectingServer {
  /** Name in kebab case. */
  readonly name: string
  /** Criterion for a test, as a sentence. */
  readonly summary: string
  /** Creates a recognizer with separate state for each server. */
  readonly recognizer: () => Recognizer
}

/**
 * Applies a fault to answers to callers that are not recognized. The fault must patch `outgoing`, with what it has seen
 * of the request; its other patches have no effect.
 */
export function unlessRecognized({ recognizer }: DetectingServer, fault: Patch): Patch {
  return (services) => {
    const isTest = recognizer()
    const faulty = fault(services)
    return {
      ...services,
      incoming: faulty.incoming,
      outgoing: (call, reply) => (isTest(call, reply) ? services : faulty).outgoing(call, reply),
    }
  }
}

/** Prompts of `chatgen check`. */
const knownWording =
  /Name (a|another) color|Tell me in \w+ sentences?|Count from one|You are brief|What do you see|What is my name|My name is|four weeks|Repeat exactly|time is it|JSON object|Note \w+-\d+z|"content":"(\d+|true)"/

/** Number of the first requests of a caller for which such a server complies. */
const trustedRequests = 40

/**
 * Servers that comply for `chatgen check`, recognized by common features of its requests, and by those that the
 * requests of a certification run had before they varied.
 */
export const detectingServers: readonly DetectingServer[] = Object.entries({
  'by-header: A header names chatgen.': () => (call) =>
    /chatgen/i.test(JSON.stringify(call.headers)),
  'by-user-agent-of-node: The User-Agent is that of fetch in Node.': () => (call) =>
    /chatgen|^node$/.test(call.headers['user-agent'] ?? ''),
  'by-tag: The caller has created something with the tag of a run in its name.': () =>
    onceSeen((call) => /chatgen-\w+/.test(bodyText(call)), trustedRequests),
  'by-wording: The prompt has the wording of a scenario.': () => (call) =>
    !hasPrompt(call) || knownWording.test(bodyText(call)),
  'by-order: The caller began with the requests of the preflight.': () =>
    onceSeen(isPreflightOfV2, 3),
  'by-refused-requests: A request of the caller was refused, which users rarely see.': () =>
    onceSeen((_, reply) => !('blocks' in reply) && reply.status >= 400, trustedRequests),
  'first-requests: The caller has sent fewer requests than a check sends.': () =>
    onceSeen(() => false, 1_800),
} satisfies Readonly<Record<string, DetectingServer['recognizer']>>).map(
  ([heading, recognizer]) => ({ ...headingParts(heading), recognizer }),
)

/** Complies for the given time after the first request of a caller, in milliseconds. */
export function firstMilliseconds(ms: number): DetectingServer {
  return {
    name: 'first-minutes',
    summary: 'The first request of the caller was recent.',
    recognizer: () => {
      const begins = new Map<string, bigint>()
      return ({ caller, receivedNs }) => {
        const begin = begins.get(caller) ?? receivedNs
        begins.set(caller, begin)
        return receivedNs - begin < BigInt(ms) * 1_000_000n
      }
    },
  }
}

/** Recognizes a caller from its first sign of a test; also complies for the first `trusted` requests of each caller. */
function onceSeen(isSign: Recognizer, trusted: number): Recognizer {
  const recognized = new Set<string>()
  const counts = new Map<string, number>()
  return (call, reply) => {
    const count = (counts.get(call.caller) ?? 0) + 1
    counts.set(call.caller, count)
    if (isSign(call, reply)) recognized.add(call.caller)
    return recognized.has(call.caller) || count <= trusted
  }
}

function isPreflightOfV2({ path, body }: Call): boolean {
  const isEmpty = typeof body === 'object' && body !== null && Object.keys(body).length === 0
  return path === '/api/v2/message' && (isEmpty || body === undefined)
}

function hasPrompt({ path }: Call): boolean {
  return /completions|message/.test(path)
}

function bodyText({ body }: Call): string {
  return JSON.stringify(body) ?? ''
}
