import { z } from 'zod'
import { maxTimerMs, timerMs } from '../../../contract/timer.ts'
import { defaultBodyLimits } from '../../client/index.ts'

/** Network access and limits of a target profile. */

/** The wait between two requests is that of a timer. */
const minPerSecond = 1000 / maxTimerMs

const size = z.int().positive()

export const network = z
  .strictObject({
    httpVersion: z.literal([1, 2]).optional().meta({
      description: 'The only HTTP version to use; default: ALPN decides.',
    }),
    ca: z.string().min(1).optional().meta({
      description: 'PEM file of additional trusted certificate authorities.',
    }),
    insecure: z.boolean().optional().meta({
      description: 'True: the certificate of the target is not verified.',
    }),
    cert: z.string().min(1).optional().meta({
      description: 'PEM file of a client certificate.',
    }),
    certKey: z.string().min(1).optional().meta({
      description: 'PEM file of its private key, without a passphrase.',
    }),
    proxy: z.string().min(1).optional().meta({
      description: 'URL of an HTTP proxy, instead of HTTPS_PROXY and HTTP_PROXY.',
    }),
    resolve: z.array(z.string()).optional().meta({
      description: 'Entries `HOST:PORT:ADDRESS`, as for `curl --resolve`.',
    }),
  })
  .optional()
  .meta({ description: 'Network access to the target; relative paths start at the profile.' })

export const limits = z
  .strictObject({
    requestsPerSecond: z
      .number()
      .min(minPerSecond, 'must be at least one request in 24.8 days, the longest delay of a timer')
      .optional()
      .meta({
        description: 'Maximum request rate of a check; default: unlimited.',
      }),
    timeoutMs: timerMs.positive().default(60_000).meta({
      description: 'Maximum time without data from the target, in milliseconds.',
    }),
    settleMs: timerMs.nonnegative().default(2_000).meta({
      description: 'Maximum time until a change is visible, in milliseconds.',
    }),
    retryAfterMs: timerMs.nonnegative().default(60_000).meta({
      description: 'Maximum wait that a Retry-After may request, in milliseconds.',
    }),
    runMs: timerMs
      .positive()
      .default(4 * 3_600_000)
      .meta({ description: 'Maximum duration of a run, in milliseconds.' }),
    runBytes: size.default(4 * 1024 ** 3).meta({
      description: 'Maximum size of all responses of a run, in bytes.',
    }),
    bodyBytes: size.default(defaultBodyLimits.bodyBytes).meta({
      description: 'Maximum size of a response body, or of all pages of a list, in bytes.',
    }),
    streamBytes: size.default(defaultBodyLimits.streamBytes).meta({
      description: 'Maximum size of a stream, in bytes.',
    }),
    lineBytes: size.default(defaultBodyLimits.lineBytes).meta({
      description: 'Maximum length of a line of a stream, in bytes.',
    }),
    streamEvents: size.default(defaultBodyLimits.streamEvents).meta({
      description: 'Maximum number of events of a stream.',
    }),
    jsonDepth: size.default(200).meta({ description: 'Maximum nesting depth of JSON.' }),
    historyRows: size.default(10_000).meta({
      description: 'Maximum number of entries of a history, on all pages.',
    }),
    pages: size.default(500).meta({ description: 'Maximum number of pages of a list.' }),
  })
  .prefault({})
  .meta({ description: 'Bounds of responses, waits and runs.' })
