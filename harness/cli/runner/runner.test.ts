import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { Deployment } from 'kubernetes-models/apps/v1'
import { Job } from 'kubernetes-models/batch/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { PersistentVolumeClaim, Secret, Service } from 'kubernetes-models/v1'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { defaultLoadOptions, type LoadOptions } from '../../load/options.ts'
import { mixEntry } from '../../load/plan/mix.ts'
import { plainTarget } from '../../load/target.ts'
import { anyRecord } from '../../load/test-support/records.ts'
import { emptyFolder } from '../test-support/chatgen.ts'
import { quietIo } from '../test-support/in-process.ts'
import { serviceArgs } from './flags.ts'
import { jobManifest, kubernetesRunner, secretManifest } from './kubernetes.ts'
import { recordsLine, shardedRun, shardOutputIn } from './sharded-run.ts'

/** Manifests against the validators that are generated from the OpenAPI schemas of Kubernetes. */

const prepared = {
  name: 'chatgen-load-0123456789',
  text: '{"kind":"load-job"}',
  shards: 8,
  startAt: new Date('2026-12-01T10:00:00Z'),
  timeoutMs: 600_000,
  folder: 'out',
  signal: new AbortController().signal,
  log: () => {},
}

test('manifests of --runner kubernetes are valid, with the key only in the Secret', () => {
  const job = jobManifest({ ...prepared, text: 'sk-key' }, 'image')
  const secret = secretManifest({ ...prepared, text: 'sk-key' }, 'uid-of-the-job')
  expect(validate(Secret, secret)).not.toThrow()
  expect(validate(Job, job)).not.toThrow()
  expect(JSON.stringify(job)).not.toContain('sk-key')
  expect(job.spec).toMatchObject({ completions: 8, parallelism: 8, backoffLimitPerIndex: 0 })
})

test('an invalid manifest is rejected', () => {
  const job = jobManifest(prepared, 'image')
  const spec = { ...job.spec, completions: 'eight' }
  expect(validate(Job, { ...job, spec })).toThrow('completions')
  expect(validate(Job, { ...job, spec: { completions: 8 } })).toThrow('template')
})

test('manifests of deploy/kubernetes are valid', () => {
  expect(validate(Job, manifest('job.yaml'))).not.toThrow()
  expect(validate(PersistentVolumeClaim, manifest('results.yaml'))).not.toThrow()
})

test('manifests of the server are valid, with enough time to drain', () => {
  const server = (name: string) => parse(read(`deploy/kubernetes/server/${name}`))
  const deployment = server('deployment.yaml')
  expect(validate(Deployment, deployment)).not.toThrow()
  expect(validate(Service, server('service.yaml'))).not.toThrow()
  expect(validate(PodDisruptionBudget, server('disruption-budget.yaml'))).not.toThrow()
  const { terminationGracePeriodSeconds: grace, containers } = deployment.spec.template.spec
  const seconds = /--drain-delay,(\d+)s,--drain-timeout,(\d+)s/.exec(containers[0].args.join())
  expect(Number(seconds?.[1]) + Number(seconds?.[2])).toBeLessThan(grace)
})

test('fields of the job manifest are those of the runner', () => {
  const fields = Object.keys(jobManifest(prepared, 'image').spec)
  const found = Object.keys(Reflect.get(Object(manifest('job.yaml')), 'spec'))
  expect(found.length).toBeGreaterThan(4)
  expect(found.filter((name) => !fields.includes(name))).toEqual([])
})

describe('shards without a report', () => {
  /** A pod of the API, by the index of its shard. */
  const pod = (index: number, status: object) => ({
    metadata: {
      name: `pod-${index}`,
      annotations: { 'batch.kubernetes.io/job-completion-index': `${index}` },
    },
    status,
  })
  const pulling = { reason: 'ErrImagePull', message: 'no such image' }

  /** Runs two shards with a kubectl that reports these pods, and this reason for a missing one. */
  async function run(items: readonly object[], refusal = '') {
    const folder = mkdtempSync(join(tmpdir(), 'chatgen-kubectl-'))
    onTestFinished(() => void vi.unstubAllEnvs())
    writeFileSync(join(folder, 'pods.json'), JSON.stringify({ items }))
    const answers = `create) echo uid ;; logs) echo "log of $2" ;; delete) ;; get) case "$2" in
      pods) cat '${folder}/pods.json' ;; *) printf '%s' '${refusal}' ;; esac ;; esac`
    writeFileSync(join(folder, 'kubectl'), `#!/bin/sh\ncase "$1" in ${answers}\n`, { mode: 0o755 })
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
    return kubernetesRunner('image')({ ...prepared, shards: 2, startAt: new Date(0) })
  }

  const containerStatuses = [{ state: { waiting: pulling } }]
  const deleted = 'shard 0 has no pod: it was deleted'
  const waiting = 'pod-0 Pending ErrImagePull: no such image'
  const none = { output: null, isRefused: true }

  test.each([
    [
      'do not affect others if a pod was deleted',
      [pod(1, { phase: 'Succeeded' })],
      '',
      [{ output: null, reason: deleted, isRefused: false }, { output: 'log of pod-1\n' }],
    ],
    [
      'have a reason if an image cannot be pulled or a quota is exceeded',
      [pod(0, { phase: 'Pending', containerStatuses })],
      'exceeded quota: none',
      [
        { ...none, reason: waiting },
        { ...none, reason: 'shard 1 has no pod: exceeded quota: none' },
      ],
    ],
    [
      'have the end of their log as the reason if they failed',
      [pod(0, { phase: 'Failed' })],
      '',
      [{ output: null, reason: 'pod-0 Failed log of pod-0' }, {}],
    ],
  ])('%s', async (_, pods, refusal, shards) => {
    expect(await run(pods, refusal)).toMatchObject(shards)
  })
})

test('arguments of docker service create contain no key', () => {
  const args = serviceArgs({ ...prepared, text: 'sk-key' }, 'image')
  expect(args.join(' ')).not.toContain('sk-key')
  expect(args).toContain('replicated-job')
  expect(args.slice(args.indexOf('image'))).toEqual([
    ...['image', 'load', '--job', '/run/secrets/job.json', '--out', '/tmp/results'],
    ...['--start-at', '2026-12-01T10:00:00.000Z', '--quiet', '--json'],
  ])
})

function manifest(name: string): unknown {
  return parse(read(`deploy/kubernetes/volume-claim/${name}`))
}

function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')
}

/** Validates plain data as a resource. */
function validate(model: new (data: never) => object, value: unknown) {
  return () => Reflect.construct(model, [structuredClone(value)]).validate()
}

test('shard output separates requests from any report', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(anyRecord, { maxLength: 5 }), (text, records) => {
      const report = `${JSON.stringify({ text }, null, 2)}\n`
      const output = shardOutputIn(`${report}${recordsLine(records)}\n`)
      expect(output.report).toBe(report)
      expect(output.records).toEqual(records)
      expect(shardOutputIn(report)).toEqual({ report, records: [] })
    }),
    { numRuns: 50 },
  )
})

const kind = 'openai-stream'

test.each([
  ['no output', null],
  ['the reason for a failure', '{"kind":"failure-report","exitCode":3}\n'],
  ['a report that is cut off', '{"kind":"load-report",\n'],
  ['requests that are cut off', `{"kind":"load-report"}\n${recordsLine([]).slice(0, 20)}`],
])('a shard with %s has no report and no stale requests', async (_, output) => {
  const folder = emptyFolder()
  const stale = join(folder, 'shard-1', 'requests.ndjson')
  mkdirSync(join(folder, 'shard-1'))
  writeFileSync(stale, '{"index":0}\n')
  const runner = async () => [{ output, reason: 'killed' }]
  const run = shardedRun({ runner, shards: 2, startInMs: 1, folder, isLocal: true }, quietIo())
  const options: LoadOptions = {
    ...defaultLoadOptions,
    target: plainTarget('http://127.0.0.1:1', 'a-key-of-a-test'),
    spec: {
      ...{ seed: 's', mix: { name: kind, entries: [mixEntry({ name: kind, kind })] } },
      ...{ arrival: { kind: 'constant', perSecond: 1 }, durationNs: 1e9, idempotencyRaces: 0 },
      misbehavior: { slowReader: 0, abort: 0, churn: 0 },
    },
    suite: { version: '0', interface: '0' },
    signal: new AbortController().signal,
  }
  await expect(run(options)).rejects.toThrow('no shard has a report')
  expect(existsSync(stale)).toBe(false)
  const divided = run({ ...options, maxConnections: 2, workers: 2 })
  await expect(divided).rejects.toThrow('2 shards divide --connections 2: in each, --connections 1')
})
