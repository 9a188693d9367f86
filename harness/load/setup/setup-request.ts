import { type Header, parseJson } from '../../../contract/index.ts'
import { messageOf } from '../../../contract/text.ts'
import {
  AnswerBody,
  answerLimits,
  type DecodedSink,
  DecodeGate,
  sizeText,
} from '../http/answer-body.ts'
import type { AnswerSink, Channel } from '../http/channel.ts'
import { type RequestSpec, wireRequest } from '../http/wire-request.ts'
import type { LoadEndpoint } from '../target.ts'

export interface SetupAnswer {
  /** 0 without an answer. */
  readonly status: number
  readonly headers: readonly Header[]
  readonly json: unknown
  readonly error: string | undefined
  /** The target did not answer within `timeoutMs`. */
  readonly timedOut?: true
}

/**
 * Sends a request outside the load, for setup or cleanup. Never rejects; the signal ends the wait for
 * the answer. The timeout begins when a connection is free for the request.
 */
export function sendSetupRequest(
  { channels, target }: LoadEndpoint,
  spec: RequestSpec,
  { place, signal }: { readonly place: string; readonly signal: AbortSignal },
): Promise<SetupAnswer> {
  const late = { status: 0, headers: [], json: undefined, error: 'no answer in time' }
  if (signal.aborted) return Promise.resolve(late)
  const request = wireRequest(spec, target, `${target.tag}/${place}`)
  return new Promise((resolve) => {
    let leave = () => {}
    let timeout: NodeJS.Timeout | undefined
    const done = (answer: SetupAnswer) => {
      clearTimeout(timeout)
      signal.removeEventListener('abort', giveUp)
      resolve(answer)
    }
    const giveUp = () => {
      leave()
      done(late)
    }
    signal.addEventListener('abort', giveUp)
    const endWait = channels.acquire((channel) => {
      leave = () => channel.abandon()
      timeout = setTimeout(() => {
        leave()
        done({ ...late, timedOut: true })
      }, target.timeoutMs)
      channel.send(request, collector(channel, done))
    })
    // No channel yet: giving up ends the wait.
    if (timeout === undefined) leave = endWait
  })
}

/** Answers of setup and cleanup are few and small, so they share one gate. */
const decodeGate = new DecodeGate()

/** Collects an answer in one piece. */
function collector(channel: Channel, done: (answer: SetupAnswer) => void): AnswerSink {
  const pieces: Uint8Array[] = []
  let [size, status] = [0, 0]
  let headers: readonly Header[] = []
  let body: AnswerBody | undefined
  const finish = (json: unknown, error?: string) => done({ status, headers, json, error })
  const fail = (error: string) => {
    body?.discard()
    finish(undefined, error)
  }
  const leave = (error: string) => {
    pieces.length = 0
    channel.abandon()
    fail(error)
  }
  const internalError = (error: unknown) => fail(messageOf(error))
  const decoded: DecodedSink = {
    decoded: (bytes) => {
      size += bytes.length
      if (size <= answerLimits.bodyBytes) pieces.push(bytes.slice())
      else leave(`an answer of more than ${sizeText(answerLimits.bodyBytes)}`)
    },
    undecodable: (why) => leave(`the body of the response cannot be decoded: ${why}`),
    drained: () => channel.resume(),
    internalError,
  }
  return {
    sent: () => {},
    head: (answered, all) => {
      status = answered
      headers = all
      body = new AnswerBody(all, answerLimits.bodyBytes, decodeGate, decoded)
    },
    data: (bytes, at) => {
      body?.push(bytes, at)
      if (body?.isFull === true) channel.pause()
    },
    end: (at) => body?.finish(at, true, () => finish(parseJson(Buffer.concat(pieces).toString()))),
    failed: (error) => fail(error.message),
    internalError,
  }
}
