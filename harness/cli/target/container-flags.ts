import { InvalidArgumentError } from 'commander'
import type { ContainerRow } from '../../../contract/report/common.ts'
import { printable } from '../../../reports/text/escape.ts'
import { ConfigurationError, TargetUnusableError } from '../../conformance/errors.ts'
import type { ContainerSource, RunningContainer } from '../../containers/start.ts'
import { type FlagsOf, flagTable, grouped } from '../flags.ts'
import type { Io } from '../terminal/io.ts'
import { portNumber } from '../values.ts'

const defaultReadyMs = 120_000

/** Flags of a target that chatgen starts in a container. */
export function containerFlags() {
  return grouped(
    'Containers:',
    flagTable(
      `
      --image <image>  start a container of this image and test it
      --compose <file>  start a service of this Compose file and test it
      --service <name>  service of the Compose file
      --port <n>:portNumber @container  port of the service in its container
      --env <name=value>:variables  environment of the container, or variables of the Compose file;
        a name alone is taken from the environment of chatgen; repeatable
      --ready <path>  path that answers with a status below 400 when the service is ready (default: any response)
      --ready-timeout <time>  maximum time until the service is ready (default: 2m)`,
      { portNumber, variables, path: absolutePath },
    ),
  )
}

export type ContainerFlags = FlagsOf<typeof containerFlags>

/**
 * The container that the flags describe; undefined if they name none.
 * @param env variables in which values of `--env NAME` are looked up
 * @throws ConfigurationError if flags contradict each other, or one is missing
 */
export function containerOf(flags: ContainerFlags, env: Io['env']): ContainerSource | undefined {
  const { image, compose, service, port, ready = null, readyTimeout = defaultReadyMs } = flags
  if (image === undefined && compose === undefined) {
    const details = { service, port, env: flags.env, ready: flags.ready }
    const all = { ...details, 'ready-timeout': flags.readyTimeout }
    const alone = Object.entries(all).find(([, value]) => value !== undefined)
    if (alone === undefined) return undefined
    throw new ConfigurationError([`--${alone[0]} applies only to --image and --compose`])
  }
  if (image !== undefined && compose !== undefined) {
    throw new ConfigurationError(['--image and --compose exclude each other'])
  }
  if (port === undefined || port === 0) {
    throw new ConfigurationError([
      `--${image === undefined ? 'compose' : 'image'} needs --port: the port of the service in its container`,
    ])
  }
  const common = { port, env: environmentOf(flags.env ?? [], env), ready, readyMs: readyTimeout }
  if (image !== undefined) {
    if (service !== undefined) throw new ConfigurationError(['--service applies only to --compose'])
    return { ...common, from: { kind: 'image', image } }
  }
  if (compose === undefined || service === undefined) {
    throw new ConfigurationError(['--compose needs --service: the service to test'])
  }
  return { ...common, from: { kind: 'compose', file: compose, service } }
}

/** The same flags with the container left out, for a command that sends nothing. */
export function withoutContainer<T extends ContainerFlags>(flags: T): T {
  const { image, compose, service, port, env, ready, readyTimeout, ...others } = flags
  return others as T
}

/** Values of the container's environment to redact, found by typical names of secrets; a value may list keys. */
function secretsOfContainer({ env }: ContainerSource) {
  return Object.entries(env)
    .filter(([variable]) => /KEY|TOKEN|SECRET|PASSWORD/i.test(variable))
    .flatMap(([variable, text]) => {
      const name = variable.toLowerCase().replaceAll('_', ' ')
      return text.split(',').map((value) => ({ name, value }))
    })
    .filter(({ value }) => value.length >= 8)
}

function environmentOf(given: readonly string[], env: Io['env']): Record<string, string> {
  const pairs = given.map((text) => {
    const at = text.indexOf('=')
    if (at !== -1) return [text.slice(0, at), text.slice(at + 1)] as const
    const value = Object.hasOwn(env, text) ? env[text] : undefined
    if (value !== undefined) return [text, value] as const
    throw new ConfigurationError([`--env ${text}: the environment variable is not set`])
  })
  return Object.fromEntries(pairs)
}

/** One variable, or one per line in CHATGEN_ENV: a value may contain commas. */
function variables(text: string, before: readonly string[] = []): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  for (const line of lines) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*(=|$)/.test(line)) {
      throw new InvalidArgumentError('must be NAME=VALUE or NAME')
    }
  }
  return [...before, ...lines]
}

function absolutePath(text: string): string {
  if (!/^\/(?!\/)\S*$/.test(text)) throw new InvalidArgumentError('must be a path such as /healthz')
  return text
}

/**
 * Starts the container, calls `use`, and removes it. If the service in it turns out to be unusable, its
 * last lines are printed.
 */
export async function withContainer<T>(
  source: ContainerSource,
  io: Io,
  use: (container: RunningContainer) => Promise<T>,
): Promise<T> {
  io.redact(secretsOfContainer(source))
  const { startContainer } = await import('../../containers/start.ts')
  const note = (line: string) => io.err(`chatgen: ${line}`)
  const container = await startContainer(source, { signal: io.signal, note })
  try {
    return await use(container)
  } catch (error) {
    if (error instanceof TargetUnusableError) {
      io.err(`last lines of the container of ${container.image}:`)
      for (const line of await container.lastLines()) io.err(printable(line))
    }
    throw error
  } finally {
    await container.remove()
  }
}

/** Adds the container to a report, with its last lines if the report shows a violation. */
export async function withContainerRow<
  Report extends {
    readonly outcome: string
    readonly target: { readonly container?: ContainerRow | undefined }
  },
>(report: Report, container: RunningContainer | null): Promise<Report> {
  if (container === null) return report
  const { image, digest, service } = container
  const log = ['violated', 'unreachable'].includes(report.outcome)
    ? await container.lastLines()
    : []
  const row: ContainerRow = { image, digest, service, log: [...log] }
  return { ...report, target: { ...report.target, container: row } }
}
