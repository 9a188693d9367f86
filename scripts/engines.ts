/**
 * `chatgen check --profile wire` against third-party servers from npm and PyPI, compared with known facts.
 * Ends with 1 on a false accusation or a missed violation.
 *
 *   npm run engines -- [--only GLOB] [--write] [--timings] [--folder DIR]
 *   npm run engines -- --queue [--loads] [--searches 2] [--budget 3m] [--runs 4] [--length 20s] [--folder DIR]
 *
 * Installs the servers below a temporary folder, or below DIR, which is kept. `--timings` compares a short
 * load with the timings of the llama.cpp server; `--write` writes docs/field.md, or only its timings if not
 * all servers ran. `--queue` compares searches of the capacity of the llama.cpp server with runs at fixed rates
 * before and after each, the plan of one with a burst, long prompts and prompts that begin alike (`--loads`: no
 * more than that), and the plan of two behind nginx.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { messageOf } from '../contract/text.ts'
import { compareTimings, fieldPage, withTimings } from './engines/field-page.ts'
import { queueProblem, testQueue } from './engines/queue.ts'
import {
  checkServer,
  type ForeignServer,
  notRun,
  servers,
  startServer,
  type Tried,
} from './engines/servers.ts'
import { isAmong, none, optionsOf, scriptFolder } from './options.ts'

const values = optionsOf(import.meta, {
  ...{ only: none, write: false, timings: false, folder: '', queue: false },
  ...{ loads: false, searches: 2, budget: '3m', runs: 4, length: '20s' },
})

const root = scriptFolder('engines', values.folder)
const place = { root, key: `sk-${randomBytes(18).toString('base64url')}` }
const selected = servers.filter(({ name }) => isAmong(name, values.only))
const [llama] = servers
const page = new URL('../docs/field.md', import.meta.url)

if (!values.queue) await checkAll()
else if (llama !== undefined) await queue(llama)

async function checkAll(): Promise<void> {
  const tried: Tried[] = []
  let timings: readonly string[] = []
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
        const { fail, warn, pass, inconclusive, unproven } = result.report.totals
        const figures = `${fail} violated, ${warn} warned, ${pass} passed, ${inconclusive + unproven} undecided`
        const { problems } = result
        console.log(
          `${problems.length === 0 ? 'ok   ' : 'WRONG'} ${server.name} ${server.version}: ${figures}`,
        )
        for (const problem of problems) console.log(`      !! ${problem}`)
        if (server === llama && (values.timings || values.write)) {
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
  for (const [name, reason] of Object.entries(notRun)) console.log(`SKIPPED, ${name}: ${reason}`)
  if (tried.length === 0 || tried.some(({ problems }) => problems.length > 0)) process.exitCode = 1
  if (!values.write) return
  const isWhole = tried.length === servers.length
  const text = isWhole
    ? fieldPage(tried, timings)
    : withTimings(readFileSync(page, 'utf8'), timings)
  writeFileSync(page, text)
}

async function queue(server: ForeignServer): Promise<void> {
  const reason = queueProblem()
  if (reason !== null) return console.log(`SKIPPED, the queue of the ${server.name}: ${reason}`)
  const { budget, length, loads, searches, runs } = values
  const holds = await testQueue(server, { ...place, budget, length, loads, searches, runs })
  process.exitCode = holds ? 0 : 1
}
