/**
 * `chatgen check --profile wire` against servers of others from npm and PyPI, beside what is true of them.
 * Ends with 1 on a false accusation or a missed violation.
 *
 *   node scripts/engines.ts [--only GLOB] [--write] [--timings] [--folder DIR]
 *
 * Installs the servers below a temporary folder, or DIR, if they are found again. `--timings` compares
 * a short load with the timings of the llama.cpp server; `--write` writes docs/field.md.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { messageOf } from '../contract/error-message.ts'
import { matchesGlob } from '../contract/glob.ts'
import { fieldPage } from './engines/field-page.ts'
import { notRun, servers } from './engines/servers.ts'
import { compareTimings } from './engines/timings.ts'
import { checkServer, startServer, type Tried } from './engines/try-server.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    write: { type: 'boolean', default: false },
    timings: { type: 'boolean', default: false },
    folder: { type: 'string' },
  },
})

const root = values.folder
  ? resolve(values.folder)
  : mkdtempSync(join(tmpdir(), 'chatgen-engines-'))
mkdirSync(root, { recursive: true })
const place = { root, key: `sk-${randomBytes(18).toString('base64url')}` }
const selected = servers.filter(
  ({ name }) => values.only.length === 0 || values.only.some((glob) => matchesGlob(name, glob)),
)

const tried: Tried[] = []
let timings: readonly string[] = []
try {
  for (const server of selected) {
    try {
      const running = await startServer(server, place)
      if (running === null) {
        console.log(`SKIPPED, cannot install ${server.packages.join(' ')}`)
        continue
      }
      try {
        const result = await checkServer(server, running, place)
        tried.push(result)
        print(result)
        if (server === servers[0] && (values.timings || values.write)) {
          timings = await compareTimings(running, place)
          console.log(timings.join('\n'))
        }
      } finally {
        await running.stop()
      }
    } catch (error) {
      console.log(`WRONG ${server.name}: ${messageOf(error)}`)
      process.exitCode = 1
    }
  }
} finally {
  if (values.folder === undefined) rmSync(root, { recursive: true, force: true })
}
for (const [name, reason] of Object.entries(notRun)) console.log(`SKIPPED, ${name}: ${reason}`)
if (values.write) {
  writeFileSync(new URL('../docs/field.md', import.meta.url), fieldPage(tried, timings))
}
if (tried.length === 0 || tried.some(({ problems }) => problems.length > 0)) process.exitCode = 1

function print({ server, report, problems }: Tried): void {
  const { fail, warn, pass, inconclusive, unproven } = report.totals
  const figures = `${fail} violated, ${warn} warned, ${pass} passed, ${inconclusive + unproven} undecided`
  console.log(
    `${problems.length === 0 ? 'ok   ' : 'WRONG'} ${server.name} ${server.version}: ${figures}`,
  )
  for (const problem of problems) console.log(`      !! ${problem}`)
}
