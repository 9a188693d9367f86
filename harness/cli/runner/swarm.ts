import { setTimeout as delay } from 'node:timers/promises'
import { ConfigurationError } from '../../conformance/errors.ts'
import { requireProgram, runProgram, waitUntil } from './client-program.ts'
import { shardArgs } from './local.ts'
import type { PreparedJob, Runner, ShardResult } from './sharded-run.ts'

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
      job.log(`started ${shards} shards as the replicated job ${name}`)
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
    ...['--secret', `source=${name},target=job.json,mode=0400`],
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

interface Task {
  readonly id: string
  readonly state: string
  readonly error: string
}

async function tasksOf(name: string): Promise<Task[]> {
  const format = '{{.ID}}\t{{.CurrentState}}\t{{.Error}}'
  const text = await requireProgram(docker, [
    ...['service', 'ps', name, '--no-trunc', '--format', format],
  ])
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
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
    results.push({ output, reason: `${state} ${error} ${stderr.slice(-500)}`.trim() })
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
