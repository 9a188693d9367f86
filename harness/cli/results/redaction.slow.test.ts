import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { targetFixture } from '../../../fixtures/targets.ts'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { checkKind } from '../check/report-formats.ts'
import { chatgen, type Ended, emptyFolder } from '../test-support/chatgen.ts'
import { echo } from '../test-support/echo.ts'
import { startProxy } from '../test-support/proxy.ts'
import { apiKey, filesIn, gatewayKey, leaksIn, otherKey } from '../test-support/sentinel.ts'

test('no key is in any artefact or output of a run against a server that repeats it', async () => {
  const folder = emptyFolder()
  const server = await startReferenceServer({ keys: [apiKey, otherKey] })
  const outputs: Ended[] = []
  const run = async (...args: readonly string[]) => {
    const env = {
      CHATGEN_API_KEY: apiKey,
      CHATGEN_OTHER_KEY: otherKey,
      GATEWAY_KEY: gatewayKey,
    }
    outputs.push(await chatgen(args, env, folder))
  }
  try {
    await using proxy = await startProxy(server.url, echo)
    const profile = targetFixture('reference')
      .text.replace(/^baseUrl: .*$/m, `baseUrl: ${proxy.url}`)
      .replace(/^limits: .*$/m, 'limits: { timeoutMs: 60000, settleMs: 100 }')
    writeFileSync(
      join(folder, 'target.yaml'),
      `${profile}headers: { X-Api-Key: "\${GATEWAY_KEY}" }\n`,
    )
    const target = [
      '--target',
      'target.yaml',
      '--jobs',
      '16',
      '--explore',
      '20',
      '--report',
      Object.keys(checkKind.formats).join(','),
    ]
    await run('check', ...target, '--baseline', 'known.yaml', '--update-baseline')
  } finally {
    await server.close()
  }
  await run('rejudge', 'chatgen-results', '--report', Object.keys(checkKind.formats).join(','))
  await run('compare', 'chatgen-results', 'chatgen-results/rejudged')
  await run(
    'report',
    'chatgen-results',
    '--report',
    Object.keys(checkKind.formats).join(','),
    '--out',
    '-',
  )

  // The echo was heard: what follows would show nothing otherwise.
  const recording = readFileSync(join(folder, 'chatgen-results/exchanges.ndjson'), 'utf8')
  expect(recording.match(/\[api key\]/g)?.length).toBeGreaterThan(500)
  expect(filesIn(folder).length).toBeGreaterThan(12)
  expect(leaksIn(folder, outputs)).toEqual([])
}, 300_000)
