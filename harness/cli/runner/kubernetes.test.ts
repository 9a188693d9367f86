import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Job } from 'kubernetes-models/batch/v1'
import { PersistentVolumeClaim, Secret } from 'kubernetes-models/v1'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { jobManifests } from './kubernetes.ts'
import { serviceArgs } from './swarm.ts'

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

test('the manifests of --runner kubernetes are valid, and the key stands in the Secret alone', () => {
  const [secret, job] = jobManifests({ ...prepared, text: 'sk-key' }, 'image')
  expect(() => new Secret(structuredClone(secret)).validate()).not.toThrow()
  expect(() => new Job(mutable(job)).validate()).not.toThrow()
  expect(JSON.stringify(job)).not.toContain('sk-key')
  expect(job.spec).toMatchObject({ completions: 8, parallelism: 8, backoffLimit: 0 })
})

test('an invalid manifest is noticed', () => {
  const [, job] = jobManifests(prepared, 'image')
  const wrong = mutable(job)
  Object.assign(wrong.spec, { completions: 'eight' })
  expect(() => new Job(wrong).validate()).toThrow('completions')
  Object.assign(wrong, { spec: { completions: 8 } })
  expect(() => new Job(wrong).validate()).toThrow('template')
})

test('the manifests of deploy/kubernetes are valid', () => {
  expect(() => new Job(manifest('job.yaml')).validate()).not.toThrow()
  expect(() => new PersistentVolumeClaim(manifest('results.yaml')).validate()).not.toThrow()
})

test('every field of the manifests is one that the runner or Kubernetes knows', () => {
  const spec: Record<string, unknown> = manifest('job.yaml').spec
  const [, job] = jobManifests(prepared, 'image')
  const known = [...Object.keys(job.spec), 'backoffLimitPerIndex']
  expect(Object.keys(spec).filter((name) => !known.includes(name))).toEqual([])
})

test('arguments of docker service create have no key', () => {
  const args = serviceArgs({ ...prepared, text: 'sk-key' }, 'image')
  expect(args.join(' ')).not.toContain('sk-key')
  expect(args).toContain('replicated-job')
  expect(args.slice(args.indexOf('image'))).toEqual([
    ...['image', 'load', '--job', '/run/secrets/job.json', '--out', '/tmp/results'],
    ...['--start-at', '2026-12-01T10:00:00.000Z', '--quiet', '--json'],
  ])
})

// biome-ignore lint/suspicious/noExplicitAny: what validates it is under test
function manifest(name: string): any {
  const folder = new URL('../../../deploy/kubernetes/volume-claim/', import.meta.url)
  return parse(readFileSync(fileURLToPath(new URL(name, folder)), 'utf8'))
}

// biome-ignore lint/suspicious/noExplicitAny: the models want mutable arrays
function mutable(value: unknown): any {
  return structuredClone(value)
}
