import { once } from 'node:events'
import { ConfigurationError } from '../../conformance/errors.ts'
import { profileNames } from '../../conformance/profile/selection.ts'
import { exitCode } from '../exit-codes.ts'
import type { AddCommand } from '../flags.ts'
import { addFlags, type FlagsOf, flag, outFlag, portNumber } from '../flags.ts'
import { targetFlags } from '../target/target-flags.ts'
import { measurementNames } from '../ui/measurements.ts'
import { compare, runnerOf } from '../ui/open-page.ts'
import { measurementsIn, nameOf, type Result, readResults, resultAt } from '../ui/results.ts'
import { servePage } from '../ui/server.ts'
import { Session } from '../ui/session.ts'

function uiFlags() {
  return [
    flag('--reference', 'check the bundled reference server'),
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
part-1, part-2, …; a run of everything replaces them. Forms start chatgen load and chatgen capacity, each
with its results in a subfolder, load-1 or capacity-1. Of several results two can be compared.

The page is served on 127.0.0.1 until Ctrl-C. The token in its address is needed for everything.`

/** `chatgen ui`: a page for a target, or for stored results. */
export const uiCommand: AddCommand = (program, io, finish) => {
  const command = program
    .command('ui')
    .argument('[url|dir...]', 'base URL of a deployment, and results folders or report files')
  addFlags(command, ...uiFlags())
    .addHelpText('after', examples)
    .action(async (places: readonly string[], flags: FlagsOf<typeof uiFlags>) => {
      const urls = places.filter((place) => /^https?:\/\//i.test(place))
      const folders = places.filter((place) => !urls.includes(place))
      const hasTarget = urls.length > 0 || flags.target !== undefined || flags.reference === true
      if (urls.length > 1) throw new ConfigurationError(['pass one URL'])
      if (!hasTarget && folders.length === 0) {
        throw new ConfigurationError([
          'nothing to show: pass a URL, --target FILE, --reference, or results folders',
        ])
      }
      const results: readonly Result[] = [
        ...(hasTarget ? [resultAt(urls[0] ?? flags.target ?? 'reference', flags.out)] : []),
        ...(hasTarget ? measurementsIn(flags.out) : []),
        ...folders.map((path) => ({ ...resultAt(nameOf(path), path), stored: readResults(path) })),
      ]
      // The bundled server runs only as long as the command that checks it.
      const measured = flags.reference ? [] : measurementNames
      const runner = runnerOf(command, urls, ['check', ...measured], io)
      const session = new Session(results, hasTarget ? runner : null)
      const page = await servePage(session, { port: flags.port, compare })
      io.out(`Page: ${page.url}`)
      if (!io.signal.aborted) await once(io.signal, 'abort')
      await session.stop()
      await page.close()
      finish(exitCode.done)
    })
}
