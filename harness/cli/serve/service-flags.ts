import type { ReferenceServerOptions } from '../../../reference-server/index.ts'
import { type FlagsOf, flag } from '../flags.ts'
import { duration, optionalDuration } from '../values.ts'

/** Flags of a server that stores its state, and whose runs others take over when it ends. Times in milliseconds. */
export function serviceFlags() {
  return [
    flag(
      '--store <store>',
      'storage of chats, files and idempotency keys: memory, sqlite:FILE or postgres://...',
    ).default('memory'),
    flag(
      '--lease <duration>',
      'time after which the key of a run is free if its server has died (default: 10s)',
    ).argParser(duration),
    flag(
      '--running-repeat <answer>',
      'answer to a repeat while the first request runs: 409, or wait for it (default: 409)',
    ).choices(['409', 'wait']),
    flag(
      '--drain-delay <duration>',
      'after SIGTERM, time between /readyz failing and 503 to new requests (default: none)',
    ).argParser(optionalDuration),
    flag('--drain-timeout <duration>', 'after SIGTERM, time for open responses to finish')
      .argParser(duration)
      .default(15_000, '15s'),
  ]
}

export type ServiceFlags = FlagsOf<typeof serviceFlags>

export function serviceOptions({
  runningRepeat,
  drainDelay,
  drainTimeout,
}: ServiceFlags): ReferenceServerOptions {
  return {
    closeDeadlineMs: drainTimeout,
    ...(drainDelay === undefined ? {} : { drainDelayMs: drainDelay }),
    ...(runningRepeat === undefined ? {} : { runningRepeat }),
  }
}
