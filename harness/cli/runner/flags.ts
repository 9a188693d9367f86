import type { Command } from 'commander'
import { ConfigurationError } from '../../conformance/errors.ts'
import { flag, positiveInteger } from '../flags.ts'
import type { ContainerFlags } from '../target/container-flags.ts'
import { duration } from '../values.ts'
import { kubernetesRunner } from './kubernetes.ts'
import { localRunner } from './local.ts'
import type { Runner, ShardingOptions } from './sharded-run.ts'
import { swarmRunner } from './swarm.ts'

type RunnerName = 'local' | 'swarm' | 'kubernetes'

export interface RunnerFlags {
  readonly runner?: RunnerName
  readonly shards?: number
  readonly startIn?: number
  readonly runnerImage?: string
  /** Image with chatgen for a runner with an engine; otherwise that of the target. */
  readonly image?: string
}

/** Adds the flags that spread a load over processes or machines. */
export function addRunnerFlags(command: Command): Command {
  const flags = [
    flag(
      '--runner <name>',
      'run shards as processes, as a Swarm job or as a Kubernetes Job',
    ).choices(['local', 'swarm', 'kubernetes']),
    flag('--shards <n>', 'number of shards (default: 4)').argParser(positiveInteger),
    flag(
      '--start-in <time>',
      'time until the shards start together (default: 12s for local, 30s for an engine)',
    ).argParser(duration),
    flag(
      '--runner-image <image>',
      'container image with chatgen, for an engine; --image means the same beside --runner swarm|kubernetes',
    ),
  ]
  for (const option of flags) command.addOption(option.helpGroup('Several machines:'))
  return command
}

const defaultShards = 4

/**
 * Sharding that the flags describe; undefined without --runner.
 * @throws ConfigurationError if flags of a runner are given without one, or an engine has no image
 */
export function shardingOf(
  { runner, shards, startIn, runnerImage, image }: RunnerFlags,
  folder: string,
): ShardingOptions | undefined {
  if (runner === undefined) {
    const own = { shards, 'start-in': startIn, 'runner-image': runnerImage }
    const given = Object.entries(own).find(([, value]) => value !== undefined)
    if (given === undefined) return undefined
    throw new ConfigurationError([`--${given[0]} applies to --runner only`])
  }
  return {
    runner: runnerOf(runner, runnerImage ?? image),
    shards: shards ?? defaultShards,
    startInMs: startIn ?? defaultStartInMs[runner],
    folder,
  }
}

/**
 * Flags of the target: `--image` of an engine is that of chatgen.
 * @throws ConfigurationError for a container of this machine, which shards elsewhere do not reach
 */
export function targetFlagsOf<T extends RunnerFlags & ContainerFlags>(flags: T): T {
  const { runner, compose, port } = flags
  if (runner === undefined || runner === 'local') return flags
  if (compose !== undefined || port !== undefined) {
    throw new ConfigurationError([
      `--runner ${runner} does not reach a container of this machine: pass the URL of a deployment`,
    ])
  }
  return { ...flags, image: undefined }
}

/** Enough for processes to start, and for containers whose image is on the machine. */
const defaultStartInMs: Readonly<Record<RunnerName, number>> = {
  local: 12_000,
  swarm: 30_000,
  kubernetes: 30_000,
}

function runnerOf(name: RunnerName, image: string | undefined): Runner {
  if (name === 'local') return localRunner
  if (image === undefined) {
    throw new ConfigurationError([
      `--runner ${name} needs --image: a container image with this version of chatgen (deploy/Dockerfile)`,
    ])
  }
  return name === 'swarm' ? swarmRunner(image) : kubernetesRunner(image)
}
