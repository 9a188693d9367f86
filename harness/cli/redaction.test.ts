import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { targetFixture } from '../../fixtures/targets.ts'
import { startReferenceServer } from '../../reference-server/index.ts'
import { restoreExchanges } from '../contract/index.ts'
import { formatNames } from './report-formats.ts'
import { chatgen, type Ended, emptyFolder } from './test-support/chatgen.ts'
import { echo } from './test-support/echo.ts'
import { startProxy } from './test-support/proxy.ts'

/** Random parts, of which no artefact may show ten characters in a row, and what needs escapes. */
const parts = ['k7Qm2Zx9Lw4Rt8Yp3Nv6', 'Hd5Gs0Jf1Ub8Ec3Wa6Ti', 'Vy2Ko9Xn4Mr7Pl5Zq0Bj']
const [apiKey, otherKey, gatewayKey] = parts.map((part) => `sk-${part}/+=&<"'>~`)

test('no key is in any artefact or output of a run against a server that repeats it', async () => {
  const folder = emptyFolder()
  const keys = [apiKey ?? '', otherKey ?? '']
  const server = await startReferenceServer({ keys })
  const outputs: Ended[] = []
  const run = async (...args: readonly string[]) => {
    const env = {
      CHATGEN_API_KEY: apiKey ?? '',
      CHATGEN_OTHER_KEY: otherKey ?? '',
      GATEWAY_KEY: gatewayKey ?? '',
    }
    outputs.push(await chatgen(args, env, folder))
  }
  try {
    await using proxy = await startProxy(server.url, echo)
    const profile = targetFixture('reference').text.replace(
      /^baseUrl: .*$/m,
      `baseUrl: ${proxy.url}`,
    )
    writeFileSync(
      join(folder, 'target.yaml'),
      `${profile}headers: { X-Api-Key: "\${GATEWAY_KEY}" }\n`,
    )
    const target = [
      '--target',
      'target.yaml',
      '--jobs',
      '16',
      '--timeout',
      '60000',
      '--report',
      formatNames.join(','),
    ]
    await run('check', ...target, '--baseline', 'known.yaml', '--update-baseline')
  } finally {
    await server.close()
  }
  await run('rejudge', 'chatgen-results', '--report', formatNames.join(','))
  await run('compare', 'chatgen-results', 'chatgen-results/rejudged')
  await run('report', 'chatgen-results', '--report', formatNames.join(','), '--out', '-')

  const artefacts = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  // The echo was heard: what follows would show nothing otherwise.
  const recording = readFileSync(join(folder, 'chatgen-results/exchanges.ndjson'), 'utf8')
  expect(recording.match(/\[api key\]/g)?.length).toBeGreaterThan(500)
  expect(artefacts.length).toBeGreaterThan(12)

  const texts = [
    ...artefacts.map((file) => ({ name: file, text: `${file}\n${readFileSync(file, 'utf8')}` })),
    ...outputs.flatMap(({ stdout, stderr }, at) => [
      { name: `stdout ${at}`, text: stdout },
      { name: `stderr ${at}`, text: stderr },
    ]),
    ...spoken(recording),
  ]
  const leaks = texts.flatMap(({ name, text }) =>
    readings(text).flatMap((reading) => shownParts(reading).map((shown) => `${name}: ${shown}`)),
  )
  expect([...new Set(leaks)]).toEqual([])
}, 300_000)

/** What the events of a stream say when they are put together. */
function spoken(recording: string): { name: string; text: string }[] {
  return restoreExchanges(recording).exchanges.map(({ id, events }) => ({
    name: `events of ${id}`,
    text: events
      .flatMap(({ data }) => data.match(/(?<="(?:delta|content)":")[^"]*/g) ?? [])
      .join(''),
  }))
}

/** A text as each reader would decode it, not in the ways in which it was redacted. */
function readings(text: string): readonly string[] {
  return [
    text,
    text.replaceAll(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(parseInt(hex, 16)),
    ),
    text.replaceAll(/\\u00([0-9a-fA-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(parseInt(hex, 16)),
    ),
    text.replaceAll('\\', ''),
    ...(text.match(/[A-Za-z0-9+/_-]{12,}/g) ?? []).flatMap((run) =>
      [0, 1, 2, 3].map((offset) => Buffer.from(run.slice(offset), 'base64').toString('latin1')),
    ),
  ]
}

const longestShown = 10

/** The first piece of each part that a reading shows. */
function shownParts(reading: string): readonly string[] {
  return parts.flatMap((part) => {
    const pieces = Array.from({ length: part.length - longestShown + 1 }, (_, at) =>
      part.slice(at, at + longestShown),
    )
    const shown = pieces.find((piece) => reading.includes(piece))
    return shown === undefined ? [] : [shown]
  })
}
