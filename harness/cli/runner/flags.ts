import { setTimeout as delay } from 'node:timers/promises'
import { count } from '../../../contract/text.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { type FlagsOf, flagTable, grouped } from '../flags.ts'
import type { ContainerFlags } from '../target/container-flags.ts'
import { kubernetesRunner } from './kubernetes.ts'
import { localRunner, requireProgram, runProgram, shardArgs, waitUntil } from './programs.ts'
import type { PreparedJob, Runner, ShardingOptions, ShardResult } from './sharded-run.ts'

/** Flags that spread a load over processes or machines. */
export function runnerFlags() {
  return grouped(
    'Several machines:',
    flagTable(
      `
      --runner <name>  run shards as processes, as a Swarm job or as a Kubernetes Job
      --shards <n>  number of shards (default: 4)
      --start-in <time>  time until the shards start together (default: 12s for local, 30s otherwise)
      --runner-image <image>  container image with chatgen, for swarm and kubernetes;
        with these runners, --image means the same`,
      { name: ['local', 'swarm', 'kubernetes'] },
    ),
  )
}

/** Flags of a run on several machines; without `--runner-image`, `--image` is that of its shards. */
export type RunnerFlags = FlagsOf<typeof runnerFlags> & Pick<ContainerFlags, 'image'>

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
    throw new ConfigurationError([`--${given[0]} applies only with --runner`])
  }
  return {
    runner: runnerOf(runner, runnerImage ?? image),
    shards: shards ?? defaultShards,
    startInMs: startIn ?? defaultStartInMs[runner],
    folder,
    isLocal: runner === 'local',
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
      `shards of --runner ${runner} cannot reach a container on this machine: pass the URL of a deployment`,
    ])
  }
  return { ...flags, image: undefined }
}

/** Enough for processes to start, and for containers whose image is on the machine. */
const defaultStartInMs = { local: 12_000, swarm: 30_000, kubernetes: 30_000 } as const

function runnerOf(name: NonNullable<RunnerFlags['runner']>, image: string | undefined): Runner {
  if (name === 'local') return localRunner
  if (image === undefined) {
    throw new ConfigurationError([
      `--runner ${name} needs --image: a container image with this version of chatgen (deploy/Dockerfile)`,
    ])
  }
  return name === 'swarm' ? swarmRunner(image) : kubernetesRunner(image)
}

const docker = 'docker'
const pollMs = 1000

/** The first slot of a replicated job is 0, for which the template has the id of the node. */
const slot = '{{if eq .Task.Slot .Node.ID}}0{{else}}{{.Task.Slot}}{{end}}'

/** Runs the shards as a replicated job of the swarm that the Docker client is connected to. */
export function swarmRunner(image: string): Runner {
  return async (job) => {
    const { name, shards, text } = job
    await requireSwarm()
    await requireProgram(docker, ['secret', 'create', name, '-'], { input: text })
    try {
      await requireProgram(docker, ['service', 'create', ...serviceArgs(job, image)])
      job.log(`started ${count(shards, 'shard')} as the replicated job ${name}`)
      await waitUntil(() => hasEnded(job), job, pollMs)
      return await collected(job)
    } finally {
      await runProgram(docker, ['service', 'rm', name])
      await secretRemoved(name)
    }
  }
}

/** Arguments of `docker service create`. */
export function serviceArgs({ name, shards, startAt }: PreparedJob, image: string): string[] {
  return [
    ...['--name', name, '--mode', 'replicated-job', '--replicas', String(shards)],
    // A shard that is started again would send its load twice.
    ...['--restart-condition', 'none', '--detach', '--quiet', '--no-resolve-image'],
    // Readable by the user of the image, who is not root.
    ...['--secret', `source=${name},target=job.json,mode=0444`],
    ...['--env', `CHATGEN_SHARD=${slot}/${shards}`],
    ...['--label', 'chatgen.job=load', image],
    ...shardArgs({ startAt }, { file: '/run/secrets/job.json', out: '/tmp/results' }),
  ]
}

async function requireSwarm(): Promise<void> {
  const state = await requireProgram(docker, ['info', '--format', '{{.Swarm.LocalNodeState}}'])
  if (state.trim() === 'active') return
  throw new ConfigurationError([
    `--runner swarm: the Docker engine is not part of a swarm (${state.trim()}): run docker swarm init, or docker swarm join`,
  ])
}

async function tasksOf(name: string) {
  const format = '{{.ID}}\t{{.CurrentState}}\t{{.Error}}'
  const args = ['service', 'ps', name, '--no-trunc', '--format', format]
  const lines = (await requireProgram(docker, args)).split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const [id = '', state = '', error = ''] = line.split('\t')
    return { id, state: state.split(' ')[0] ?? '', error }
  })
}

const ended = ['Complete', 'Failed', 'Rejected', 'Shutdown', 'Orphaned', 'Remove']

async function hasEnded({ name, shards }: PreparedJob): Promise<boolean> {
  const tasks = await tasksOf(name)
  return tasks.length >= shards && tasks.every(({ state }) => ended.includes(state))
}

/** Standard output of a task is its report; the engine keeps it until the service is removed. */
async function collected({ name }: PreparedJob): Promise<ShardResult[]> {
  const results: ShardResult[] = []
  for (const { id, state, error } of await tasksOf(name)) {
    const { stdout, stderr } = await runProgram(docker, ['service', 'logs', '--raw', id])
    const output = state === 'Complete' && stdout.trim() !== '' ? stdout : null
    const reason = `${state} ${error} ${stderr.slice(-500)}`.trim()
    results.push({ output, reason, isRefused: state === 'Rejected' })
  }
  return results
}

/** A secret is in use until the tasks of its service are gone. */
async function secretRemoved(name: string): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const { code } = await runProgram(docker, ['secret', 'rm', name])
    if (code === 0) return
    await delay(pollMs)
  }
}
