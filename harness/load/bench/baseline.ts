/** A bare node:http server that writes the bytes of an answer of the target, as a baseline. */
import { fileURLToPath } from 'node:url'
import { type Dispatcher, request } from 'undici'
import { type ChildServer, childServer } from '../child-server.ts'
import type { KnownAnswer } from './bare-server.ts'
import type { BenchCase } from './cases.ts'
import { type BenchRequest, nextRequest } from './measure.ts'

export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
  readonly code = 'ENOANSWER'
  /** 0 without an answer. */
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** @throws NoAnswerError if the target refuses the request or cuts the answer */
export async function seenAnswer(
  benchCase: BenchCase,
  options: BenchRequest & { readonly signal: AbortSignal },
  dispatcher: Dispatcher,
): Promise<KnownAnswer> {
  const { statusCode, headers, body } = await request(options.url, {
    method: 'POST',
    ...nextRequest(options, 0),
    dispatcher,
    signal: options.signal,
  })
  const bytes = Buffer.from(await body.arrayBuffer())
  const text = bytes.toString()
  if (statusCode >= 300 || !benchCase.whole.test(text)) {
    throw new NoAnswerError(
      `POST ${benchCase.path} gave no whole answer (status ${statusCode}): ${text.slice(0, 200)}`,
      statusCode,
    )
  }
  const pieces = benchCase.stream ? text.split(/(?<=\n\n)/) : [text]
  return {
    status: statusCode,
    contentType: String(headers['content-type']),
    stream: benchCase.stream,
    pieces: pieces.map((piece) => Buffer.from(piece).toString('base64')),
  }
}

export function bareServer(answer: KnownAnswer): Promise<ChildServer> {
  const extension = import.meta.url.endsWith('.js') ? 'js' : 'ts'
  const file = fileURLToPath(new URL(`./bare-server.${extension}`, import.meta.url))
  return childServer([file], { line: JSON.stringify(answer) })
}
