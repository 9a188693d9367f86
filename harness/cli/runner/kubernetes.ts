import { isObject } from '../../../contract/json.ts'
import { requireProgram, runProgram, waitUntil } from './client-program.ts'
import { shardArgs } from './local.ts'
import type { PreparedJob, Runner, ShardResult } from './sharded-run.ts'

const kubectl = 'kubectl'
const pollMs = 2000
const indexAnnotation = 'batch.kubernetes.io/job-completion-index'

/** Runs the shards as an Indexed Job of the cluster and namespace that kubectl is configured for. */
export function kubernetesRunner(image: string): Runner {
  return async (job) => {
    const { name, shards } = job
    const manifests = { apiVersion: 'v1', kind: 'List', items: jobManifests(job, image) }
    try {
      await requireProgram(kubectl, ['apply', '--filename', '-'], {
        input: JSON.stringify(manifests),
      })
      job.log(`started ${shards} shards as the Indexed Job ${name}`)
      await waitUntil(() => hasEnded(job), job, pollMs)
      return await collected(job)
    } finally {
      await runProgram(kubectl, [
        'delete',
        'job,secret',
        name,
        '--ignore-not-found',
        '--wait=false',
      ])
    }
  }
}

/** The Secret with the job file, and the Indexed Job of its shards. */
export function jobManifests(
  { name, shards, startAt, text, timeoutMs }: PreparedJob,
  image: string,
) {
  const labels = { 'app.kubernetes.io/name': 'chatgen', 'app.kubernetes.io/instance': name }
  const metadata = { name, labels }
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      type: 'Opaque',
      stringData: { 'job.json': text },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata,
      spec: {
        completionMode: 'Indexed',
        completions: shards,
        // All shards at once; one that is started again would send its load twice.
        parallelism: shards,
        backoffLimit: 0,
        activeDeadlineSeconds: Math.ceil(timeoutMs / 1000),
        template: {
          metadata: { labels },
          spec: {
            restartPolicy: 'Never',
            automountServiceAccountToken: false,
            containers: [
              {
                name: 'chatgen',
                image,
                args: [
                  ...shardArgs({ startAt }, { file: '/run/chatgen/job.json', out: '/tmp/results' }),
                ],
                env: [
                  {
                    name: 'SHARD_INDEX',
                    valueFrom: {
                      fieldRef: { fieldPath: `metadata.annotations['${indexAnnotation}']` },
                    },
                  },
                  { name: 'CHATGEN_SHARD', value: `$(SHARD_INDEX)/${shards}` },
                ],
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
          },
        },
      },
    },
  ] as const
}

interface Pod {
  readonly name: string
  readonly phase: string
}

async function podsOf(name: string): Promise<Pod[]> {
  const selector = `app.kubernetes.io/instance=${name}`
  const text = await requireProgram(kubectl, ['get', 'pods', '-l', selector, '--output', 'json'])
  const value: unknown = JSON.parse(text)
  const items: unknown = isObject(value) && 'items' in value ? value.items : []
  return Array.isArray(items) ? items.flatMap(podIn) : []
}

function podIn(item: unknown): Pod[] {
  if (!isObject(item) || !('metadata' in item) || !('status' in item)) return []
  const { metadata, status } = item
  if (!isObject(metadata) || !('name' in metadata)) return []
  const phase = isObject(status) && 'phase' in status ? String(status.phase) : 'Unknown'
  return [{ name: String(metadata.name), phase }]
}

async function hasEnded({ name, shards }: PreparedJob): Promise<boolean> {
  const pods = await podsOf(name)
  return pods.filter(({ phase }) => phase === 'Succeeded' || phase === 'Failed').length >= shards
}

/** Standard output of a pod is its report. */
async function collected({ name }: PreparedJob): Promise<ShardResult[]> {
  const results: ShardResult[] = []
  for (const pod of await podsOf(name)) {
    const { stdout, stderr } = await runProgram(kubectl, [
      'logs',
      pod.name,
      '--container',
      'chatgen',
    ])
    const output = pod.phase === 'Succeeded' && stdout.trim() !== '' ? stdout : null
    results.push({ output, reason: `${pod.name} ${pod.phase} ${stderr.slice(-500)}`.trim() })
  }
  return results
}
