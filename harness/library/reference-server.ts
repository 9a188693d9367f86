import type { z } from 'zod'
import type { answerScript } from '../../reference-server/model/script/answer-script.ts'

/** A script of answers, as in the file of `chatgen serve --script`. */
export interface Script extends z.input<typeof answerScript> {}

/** Options of `chatgen serve`. */
export interface ReferenceServerOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number
  /** Default 127.0.0.1. */
  readonly host?: string
  /** API keys; each is a user. Default: one generated key. */
  readonly keys?: readonly string[]
  /** Seed of generated text and timing. Default 1. */
  readonly seed?: number
  /** Timing such as `ttft=200ms,gap=20ms`. Default: as fast as possible. */
  readonly pace?: string
  /** Names of faults: `chatgen serve --list-faults`. */
  readonly faults?: readonly string[]
  /** Names of dialects: `chatgen serve --list-dialects`. */
  readonly dialects?: readonly string[]
  readonly script?: Script
  /** Origins of pages in browsers that may call the server. */
  readonly origins?: readonly string[]
}

export interface ReferenceServer extends AsyncDisposable {
  /** URL without a path, such as `http://127.0.0.1:4010`; OpenAI clients append `/api/openai`. */
  readonly url: string
  readonly keys: readonly [string, ...string[]]
  /**
   * Removes all chats, files and used script entries, and ends running generations; streams under way keep
   * their pace. URL and keys remain.
   */
  reset(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts the reference server in this process.
 * @throws ConfigurationError for unknown names; ZodError for a wrong script; the error of `listen`
 */
export async function startReferenceServer(
  options: ReferenceServerOptions = {},
): Promise<ReferenceServer> {
  const { pace, faults = [], dialects = [], script, ...rest } = options
  const { parsePace, startReferenceServer: start } = await import('../../reference-server/index.ts')
  const { answerScript } = await import('../../reference-server/model/script/answer-script.ts')
  const deviations =
    faults.length + dialects.length > 0 ? await import('./deviations.ts') : undefined
  const patch = deviations?.patchNamed({ faults, dialects })
  const server = await start({
    ...rest,
    ...(pace === undefined ? {} : { pace: parsePace(pace) }),
    ...(script === undefined ? {} : { script: answerScript.parse(script) }),
    ...(patch === undefined ? {} : { patch }),
  })
  const [first = '', ...others] = server.keys
  return {
    url: server.url,
    keys: [first, ...others],
    reset: server.reset,
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  }
}
