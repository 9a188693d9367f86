import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TargetUnusableError } from '../../conformance/errors.ts'
import { defaultLoadOptions } from '../../load/options.ts'
import { mixEntry } from '../../load/plan/mix.ts'
import { plainTarget } from '../../load/target.ts'
import { emptyFolder } from '../test-support/chatgen.ts'
import { quietIo } from '../test-support/in-process.ts'
import { shardedRun } from './sharded-run.ts'

const kind = 'openai-stream'

test('requests of a shard that has no results are not those of an earlier run', async () => {
  const folder = emptyFolder()
  const stale = join(folder, 'shard-1', 'requests.ndjson')
  mkdirSync(join(folder, 'shard-1'))
  writeFileSync(stale, '{"index":0}\n')
  const runner = async () => [{ output: null, reason: 'killed' }]
  const run = shardedRun({ runner, shards: 2, startInMs: 1, folder }, quietIo())
  const load = run({
    ...defaultLoadOptions,
    target: plainTarget('http://127.0.0.1:1', 'a-key-of-a-test'),
    spec: {
      ...{ seed: 's', mix: { name: kind, entries: [mixEntry({ name: kind, kind })] } },
      ...{ arrival: { kind: 'constant', perSecond: 1 }, durationNs: 1e9, idempotencyRaces: 0 },
      misbehavior: { slowReader: 0, abort: 0, churn: 0 },
    },
    suite: { version: '0', interface: '0' },
    signal: new AbortController().signal,
  })
  await expect(load).rejects.toThrow(TargetUnusableError)
  expect(existsSync(stale)).toBe(false)
})
