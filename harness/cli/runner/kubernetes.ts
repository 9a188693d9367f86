import { z } from 'zod'
import { count } from '../../../contract/text.ts'
import { requireProgram, runProgram, shardArgs, waitUntil } from './programs.ts'
import type { PreparedJob, Runner, ShardResult } from './sharded-run.ts'

const kubectl = 'kubectl'
const pollMs = 2000
const indexAnnotation = 'batch.kubernetes.io/job-completion-index'
/** Seconds that a Job is kept after its end if its client was killed. */
const keptAfterEnd = 3600

/** Runs the shards as an Indexed Job of the cluster and namespace that kubectl is configured for. */
export function kubernetesRunner(image: string): Runner {
  return async (job) => {
    const { name, shards, log } = job
    try {
      const uid = await created(jobManifest(job, image))
      await created(secretManifest(job, uid.trim()))
      log(`started ${count(shards, 'shard')} as the Indexed Job ${name}`)
      await waitUntil(() => haveEnded(job), job, pollMs)
      return job.signal.aborted ? [] : await collected(job)
    } finally {
      const cascade = ['--cascade=foreground', '--ignore-not-found', '--timeout=60s']
      const { code, stderr } = await runProgram(kubectl, ['delete', 'job', name, ...cascade])
      if (code !== 0) log(`kubectl delete job ${name} failed, delete it yourself: ${stderr}`)
    }
  }
}

/** @returns the uid of the resource */
function created(manifest: object): Promise<string> {
  const args = ['create', '--filename', '-', '--output', 'jsonpath={.metadata.uid}']
  return requireProgram(kubectl, args, { input: JSON.stringify(manifest) })
}

function metadataOf({ name }: Pick<PreparedJob, 'name'>) {
  const labels = { 'app.kubernetes.io/name': 'chatgen', 'app.kubernetes.io/instance': name }
  return { name, labels }
}

/** The Secret with the job file; Kubernetes deletes it with the Job. */
export function secretManifest(job: Pick<PreparedJob, 'name' | 'text'>, uid: string) {
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name: job.name, uid }
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...metadataOf(job), ownerReferences: [owner] },
    type: 'Opaque',
    stringData: { 'job.json': job.text },
  } as const
}

/** The Indexed Job of the shards; its pods satisfy the Pod Security Standard `restricted`. */
export function jobManifest(job: PreparedJob, image: string) {
  const { shards, timeoutMs } = job
  const metadata = metadataOf(job)
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: {
      completionMode: 'Indexed',
      completions: shards,
      // All shards at once. One that is started again would send its load twice; one that fails does not end the others.
      parallelism: shards,
      backoffLimitPerIndex: 0,
      activeDeadlineSeconds: Math.ceil(timeoutMs / 1000),
      ttlSecondsAfterFinished: keptAfterEnd,
      template: { metadata: { labels: metadata.labels }, spec: podSpec(job, image) },
    },
  } as const
}

function podSpec({ name, shards, startAt }: PreparedJob, image: string) {
  const index = { fieldRef: { fieldPath: `metadata.annotations['${indexAnnotation}']` } }
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 5,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: 'chatgen',
        image,
        args: shardArgs({ startAt }, { file: '/run/chatgen/job.json', out: '/tmp/results' }),
        env: [
          { name: 'SHARD_INDEX', valueFrom: index },
          { name: 'CHATGEN_SHARD', value: `$(SHARD_INDEX)/${shards}` },
        ],
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [
          { name: 'job', mountPath: '/run/chatgen', readOnly: true },
          { name: 'tmp', mountPath: '/tmp' },
        ],
      },
    ],
    volumes: [
      { name: 'job', secret: { secretName: name } },
      { name: 'tmp', emptyDir: {} },
    ],
    // Shards on one node compete for its CPUs.
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { 'app.kubernetes.io/instance': name } },
      },
    ],
  } as const
}

const obstacle = z.object({ reason: z.string().default(''), message: z.string().default('') })
const pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        annotations: z.record(z.string(), z.string()).default({}),
      }),
      status: z.object({
        phase: z.string().default('Unknown'),
        conditions: z.array(obstacle.extend({ status: z.string() })).default([]),
        containerStatuses: z
          .array(z.object({ state: z.object({ waiting: obstacle.optional() }).default({}) }))
          .default([]),
      }),
    }),
  ),
})

/**
 * Pods of the shards; null before one is created, and after it is deleted. `obstacle`: reason why the container cannot
 * start; empty if there is none.
 */
async function shardsOf({ name, shards }: PreparedJob) {
  const selector = ['--selector', `app.kubernetes.io/instance=${name}`]
  const text = await requireProgram(kubectl, ['get', 'pods', ...selector, '--output', 'json'])
  const { items } = pods.parse(JSON.parse(text))
  return Array.from({ length: shards }, (_, index) => {
    const pod = items.find(({ metadata }) => metadata.annotations[indexAnnotation] === `${index}`)
    if (pod === undefined) return { pod: null, phase: 'Absent', obstacle: '' }
    const { phase, conditions, containerStatuses } = pod.status
    const obstacles = [
      ...conditions.filter(({ reason }) => reason === 'Unschedulable'),
      ...containerStatuses.flatMap(({ state: { waiting } }) => waiting ?? []),
    ].filter(({ reason }) => /^(Unschedulable|Err|Invalid|.*BackOff|.*Error)/.test(reason))
    const texts = obstacles.map(({ reason, message }) => `${reason}: ${message}`)
    return { pod: pod.metadata.name, phase, obstacle: texts.join('; ') }
  })
}

/** All shards start at the same time: one that begins later is invalid. */
async function haveEnded(job: PreparedJob): Promise<boolean> {
  const shards = await shardsOf(job)
  const isDue = Date.now() >= job.startAt.getTime()
  return shards.every(({ phase, obstacle }) => {
    if (phase === 'Succeeded' || phase === 'Failed') return true
    return isDue && (phase === 'Absent' || (phase === 'Pending' && obstacle !== ''))
  })
}

/** Log of a pod: standard output, which is its report, and standard error. */
async function collected(job: PreparedJob): Promise<readonly ShardResult[]> {
  const results: ShardResult[] = []
  for (const [index, { pod, phase, obstacle }] of (await shardsOf(job)).entries()) {
    if (pod === null) {
      const refusal = await refusalOf(job)
      const reason = `shard ${index} has no pod: ${refusal || 'it was deleted'}`
      results.push({ output: null, reason, isRefused: refusal !== '' })
      continue
    }
    const { stdout, stderr } = await runProgram(kubectl, ['logs', pod, '--container', 'chatgen'])
    const isWhole = phase === 'Succeeded' && stdout.trim() !== ''
    const end = phase === 'Pending' ? obstacle : `${stdout}${stderr}`.slice(-500)
    const reason = `${pod} ${phase} ${end}`.trim()
    results.push({ output: isWhole ? stdout : null, reason, isRefused: phase === 'Pending' })
  }
  return results
}

/** Message of the cluster that refused to create a pod; empty if it did not. */
async function refusalOf({ name }: PreparedJob): Promise<string> {
  const selector = `involvedObject.name=${name},reason=FailedCreate`
  const output = ['--output', 'jsonpath={.items[0].message}']
  const found = await runProgram(kubectl, [
    ...['get', 'events', '--field-selector', selector, ...output],
  ])
  return found.stdout.trim()
}
