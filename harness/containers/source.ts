import { TargetUnusableError } from '../conformance/errors.ts'
import type { Engine } from './engine.ts'

/** A service in a container, as the command line describes it. */
export interface ContainerSource {
  readonly from: ImageSource | ComposeSource
  /** Port of the service in its container. */
  readonly port: number
  /** Environment of the container; for Compose, variables of the file. */
  readonly env: Readonly<Record<string, string>>
  /** Path that answers with a status below 400 when the service is ready; null: any answer counts. */
  readonly ready: string | null
  readonly readyMs: number
}

export interface ImageSource {
  readonly kind: 'image'
  readonly image: string
}

export interface ComposeSource {
  readonly kind: 'compose'
  readonly file: string
  readonly service: string
}

/** A container that has been started, ready or not. */
export interface StartedContainer {
  readonly id: string
  readonly baseUrl: string
}

/** Pulls and starts; what is started carries the name of the run. */
export type Starter = (
  engine: Engine,
  run: string,
  signal: AbortSignal,
) => Promise<StartedContainer>

/** Error of a container that does not get ready, with its last lines. */
export function notReady(
  { from }: ContainerSource,
  what: string,
  lines: readonly string[],
): TargetUnusableError {
  const name = from.kind === 'image' ? `the container of ${from.image}` : `service ${from.service}`
  const log = lines.length === 0 ? ['it printed nothing'] : ['its last lines:', ...lines]
  return new TargetUnusableError('E_UNREACHABLE', [`${name} ${what}`, ...log].join('\n'))
}

/** Waiting of testcontainers is replaced by our own, which Ctrl-C ends. */
export const immediately = {
  waitUntilReady: () => Promise.resolve(),
  withStartupTimeout: () => immediately,
  isStartupTimeoutSet: () => true,
  getStartupTimeout: () => 0,
}

/** Host of the engine as a URL has it; `localhost` may be another address than the one that is published. */
export function hostOf({ client }: Engine): string {
  const { host } = client.info.containerRuntime
  return host === 'localhost' ? '127.0.0.1' : host
}
