import type { Call, Reply } from '../../http/call.ts'
import type { Patch } from '../../services.ts'

/** Tests if a caller runs a conformance test, from one request and its answer. Called once for each. */
export type Recognizer = (call: Call, reply: Reply) => boolean

/** A server that keeps the contract only for callers that it takes for a test. */
export interface DetectingServer {
  /** Name in kebab case. */
  readonly name: string
  /** Sign of a test, in a sentence. */
  readonly summary: string
  /** A recognizer with state of its own for each server. */
  readonly recognizer: () => Recognizer
}

/**
 * Applies a fault to answers to callers that are not recognized. The fault must be one of the answer,
 * which patches `outgoing`: what it does elsewhere has no effect.
 */
export function unlessRecognized({ recognizer }: DetectingServer, fault: Patch): Patch {
  return (services) => {
    const isTest = recognizer()
    const faulty = fault(services)
    return {
      ...services,
      outgoing: (call, reply) => (isTest(call, reply) ? services : faulty).outgoing(call, reply),
    }
  }
}
