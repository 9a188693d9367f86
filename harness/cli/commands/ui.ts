import { once } from 'node:events'
import { targetFixture } from '../../../fixtures/targets.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { profileNames } from '../../conformance/profile/selection.ts'
import { defineCommand, flag, outFlag, portNumber } from '../flags.ts'
import { withTarget } from '../target/target.ts'
import { connectionFlags, targetFlags } from '../target/target-flags.ts'
import type { Io } from '../terminal/io.ts'
import { compare, runnerOf, type Target } from '../ui/open-page.ts'
import { nameOf, readResults, resultAt } from '../ui/results.ts'
import { servePage } from '../ui/server.ts'
import { Session } from '../ui/session.ts'

function uiFlags() {
  return [
    flag('--reference', 'start the bundled reference server as the target'),
    ...targetFlags(),
    flag('--profile <name>', 'surfaces to check').choices(profileNames).default('full'),
    outFlag(),
    flag('--port <n>', 'port of the page; 0 for a free one', 'ui').argParser(portNumber).default(0),
  ]
}

const examples = `
Examples:
  $ CHATGEN_API_KEY=… chatgen ui http://127.0.0.1:4010
  $ chatgen ui --target staging.yaml --out results
  $ chatgen ui chatgen-results
  $ chatgen ui load-monday load-tuesday
  $ chatgen check --target staging.yaml --ui

With a target, the page has buttons that run chatgen check for all requirements, for those of a section,
for one, or for those that failed in the results folder. A run of a part has its results in a subfolder,
part-1, part-2, …; a run of everything replaces them. Of several results two can be compared. A load run or a
capacity search is shown with --ui of its command.

The page is served on 127.0.0.1 until Ctrl-C. The token in its address is needed for everything.`

/** `chatgen ui`: a page for a target, or for stored results. */
export const uiCommand = defineCommand({
  args: { '[url|dir...]': 'base URL of a deployment, and results folders or report files' },
  flags: uiFlags,
  help: examples,
  async run({ flags: { port, ...flags }, io, command }, places: readonly string[]) {
    const urls = places.filter((place) => /^https?:\/\//i.test(place))
    const folders = places.filter((place) => !urls.includes(place))
    const hasTarget = urls.length > 0 || flags.target !== undefined || flags.reference === true
    if (urls.length > 1) throw new ConfigurationError(['pass one URL'])
    if (!hasTarget && folders.length === 0) {
      throw new ConfigurationError([
        'nothing to show: pass a URL, --target FILE, --reference, or results folders',
      ])
    }
    const results = [
      ...(hasTarget ? [resultAt(urls[0] ?? flags.target ?? 'reference', flags.out)] : []),
      ...folders.map((path) => ({ ...resultAt(nameOf(path), path), stored: readResults(path) })),
    ]
    const show = async (target: Target) => {
      const runner = hasTarget ? runnerOf(command, target) : null
      await showUntilInterrupted(new Session(results, runner), port, io)
    }
    if (!flags.reference) await show({ args: urls, env: io.env, ownFlags })
    else {
      await withTarget(urls[0], flags, io, ({ baseUrl, apiKey, otherKey }) =>
        show({
          args: [baseUrl, '--target', targetFixture('reference').file],
          env: { ...io.env, CHATGEN_API_KEY: apiKey, CHATGEN_OTHER_KEY: otherKey },
          ownFlags: [...ownFlags, ...ofOtherTargets],
        }),
      )
    }
  },
})

/** Flags of the page: for other commands, --port is that of a container. */
const ownFlags = ['port']
/** Flags that do not apply to the bundled server, which runs as long as the page. */
const ofOtherTargets = ['reference', ...connectionFlags().map((one) => one.attributeName())]

async function showUntilInterrupted(session: Session, port: number, io: Io): Promise<void> {
  const page = await servePage(session, { port, compare })
  io.out(`Page: ${page.url}`)
  if (!io.signal.aborted) await once(io.signal, 'abort')
  await session.stop()
  await page.close()
}
