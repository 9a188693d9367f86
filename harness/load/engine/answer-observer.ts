import { isObject } from '../../../contract/index.ts'
import type { ContentKind, StreamWatcher } from '../../judges/index.ts'
import { CrossTalkDetector } from '../judging/cross-talk-detector.ts'
import type { PlannedRequest } from './planned-request.ts'
import type { RequestTimings } from './request-timings.ts'

/** Collects what an answer says: its times, its id, its usage, failures and nonces of other requests. */
export class AnswerObserver implements StreamWatcher {
  /** Id of the completion or response. */
  responseId: string | undefined
  /** Failure that the server reports inside a 200. */
  serverFailure: string | undefined
  readonly crossTalk: CrossTalkDetector
  readonly #timings: RequestTimings
  readonly #redact: (text: string) => string

  /** @param redact removes secrets from text of the target */
  constructor(
    { nonce, noncePrefix }: Pick<PlannedRequest, 'nonce' | 'noncePrefix'>,
    timings: RequestTimings,
    redact: (text: string) => string,
  ) {
    this.crossTalk = new CrossTalkDetector(noncePrefix, nonce)
    this.#timings = timings
    this.#redact = redact
  }

  event(): void {
    this.#timings.event()
  }

  content(kind: ContentKind, text: string): void {
    this.#timings.content(kind)
    this.crossTalk.add(text)
  }

  terminal(): void {
    this.#timings.terminal()
  }

  usage(usage: Readonly<Record<string, unknown>>): void {
    this.#timings.usage(usage)
  }

  id(id: string): void {
    this.responseId ??= id
  }

  serverFailed(why: string): void {
    this.serverFailure ??= this.#redact(why)
  }

  /** Reads an unstreamed answer, which counts as generated at its end. */
  body(json: unknown): void {
    const fields = answerFields(json)
    if (fields === undefined) return
    this.responseId = fields.id
    if (fields.usage !== undefined) this.usage(fields.usage)
    if (fields.failure !== undefined) this.serverFailed(fields.failure)
    this.crossTalk.add(fields.text)
  }
}

/** Fields of an unstreamed answer, on any surface. */
export interface AnswerFields {
  readonly id: string | undefined
  readonly text: string
  readonly usage: Readonly<Record<string, unknown>> | undefined
  readonly failure: string | undefined
}

/** Undefined where the body is no JSON object. */
export function answerFields(json: unknown): AnswerFields | undefined {
  if (!isObject(json)) return undefined
  const { id, usage, status, error } = json
  const generated = ['choices', 'output', 'message'].some((member) => member in json)
  return {
    id: typeof id === 'string' && generated ? id : undefined,
    text: generated ? textOf(json['choices'] ?? json['output'] ?? json['message']) : '',
    usage: isObject(usage) ? usage : undefined,
    failure: status === 'failed' ? `failed: ${textOf(error ?? null).slice(0, 200)}` : undefined,
  }
}

/** Empty where it is nested deeper than the stack allows. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}
