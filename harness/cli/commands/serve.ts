import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import type { ReferenceServer } from '../../../reference-server/index.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { defineCommand, type FlagsOf, flagTable } from '../flags.ts'
import type { AnswerOptions } from '../serve/answers.ts'
import {
  listen,
  mistypedReporter,
  openedStore,
  serviceFlags,
  serviceOptions,
  speedOptions,
  startExtras,
} from '../serve/listen.ts'
import type { Io } from '../terminal/io.ts'
import { portNumber } from '../values.ts'

function serveFlags() {
  return [
    ...flagTable(
      `
      --port <n>:portNumber=4010  port; 0 picks a free one
      --host <address>=127.0.0.1  address to listen on
      --key <key>:list  API key to accept, for testing only; repeatable, each is a separate user;
        generated and printed by default
      --seed <n> @serve  seed of generated text and timing
      --pace <pace>  speed of the model, e.g. ttft=200ms,gap=20ms,jitter=0.2
      --engine <engine>  batching engine shared by all requests,
        e.g. max-num-seqs=8,max-waiting=64,prefill=0.4ms/token,decode=12ms,decode-per-seq=0.5ms
      --requests-per-minute <n>  rate limit per API key, answered with 429; unlimited by default
      --fault <name>:list?none  violate the contract in one way; repeatable
      --dialect <name>:list?none  unusual but legal behavior; repeatable; combination-N combines several
      --cors <origin>:list?none  allowed browser origin; repeatable; * for any
      --script <file>  answers, tool calls, errors and delays of the model, YAML or JSON
      --record <file>  write the answers of the model to a script
      --replay <file> @serve  answer from a script alone; other requests get status 501
      --control <port>  second port, on loopback, to set answers, reset the server and list its requests
      --log <format>  log requests on standard output`,
      { portNumber, port: portNumber, format: ['pretty', 'json'] },
    ),
    ...serviceFlags(),
    ...flagTable(`
      --list-faults  list the faults, with the requirements they violate
      --list-dialects  list the dialects`),
  ]
}

type ServeFlags = FlagsOf<typeof serveFlags>

const examples = `
Examples:
  $ chatgen serve
  $ chatgen serve --port 4010 --key test-key
  $ chatgen serve --port 4010 --key test-key --key other-key
  $ chatgen serve --pace ttft=200ms,gap=20ms,jitter=0.2
  $ chatgen serve --requests-per-minute 60
  $ chatgen serve --pace 'ttft=lognormal(200ms,0.4),gap=lognormal(20ms,0.3)' --seed 7
  $ chatgen serve --pace gap=20ms,freeze=5s@10s
  $ chatgen serve --engine max-num-seqs=8,decode=12ms,decode-per-seq=0.5ms
  $ chatgen serve --list-faults
  $ chatgen serve --fault stream-completed-twice
  $ chatgen serve --cors http://localhost:5173 --log pretty
  $ chatgen serve --key test-key --store sqlite:chats.sqlite
  $ chatgen serve --script answers.yaml --control 4011
  $ chatgen serve --record answers.yaml       (and then: chatgen serve --replay answers.yaml)

Times in --pace may be random: lognormal(MEDIAN,SIGMA), drawn with --seed. freeze=DURATION@TIME pauses
the server once, TIME after its first response. --engine replaces --pace: requests wait for one of
max-num-seqs places in a batch; if more than max-waiting requests wait, the server answers 503. For a
request with the header X-Chatgen-Stamps: 1 the server reports when it received the request and sent each
event, in nanoseconds of the monotonic clock.

A prompt can direct the model, e.g. [[tokens=200]], [[error=503]], [[pace=gap=50ms]]; docs/client-development.md
describes prompts and scripts. GET /metrics shows metrics in the Prometheus format. With --log json,
standard output has JSON lines only, and everything else is printed on standard error.`

/** `chatgen serve`: the reference server, until it is interrupted. */
export const serveCommand = defineCommand({
  flags: serveFlags,
  help: examples,
  async run({ flags, io }) {
    if (flags.listFaults || flags.listDialects) {
      const { listedText } = await import('../../library/deviations.ts')
      io.out(listedText(flags))
    } else await serve(flags, io)
  },
})

async function serve(flags: ServeFlags, io: Io): Promise<void> {
  const { port, host, key: keys, seed, requestsPerMinute, fault: faults, dialect: dialects } = flags
  const speed = await speedOptions(flags)
  if (keys?.length === 0) throw new ConfigurationError(['--key (CHATGEN_KEY): the key is empty'])
  // A thousand deviations are loaded only if the flags name any.
  const deviations =
    faults.length + dialects.length > 0 && (await import('../../library/deviations.ts'))
  const patch = deviations ? deviations.patchNamed({ faults, dialects }) : undefined
  const origins = originsOf(flags.cors)
  const { store, name: storeName } = await openedStore(flags)
  const { script, record, replay } = flags
  const hasAnswers = script !== undefined || record !== undefined || replay !== undefined
  const answers: AnswerOptions = hasAnswers
    ? (await import('../serve/answers.ts')).answerOptions(flags)
    : {}
  const { requestJournal } = await import('../../../reference-server/index.ts')
  const journal = flags.control === undefined ? undefined : requestJournal()
  const writeLine = (text: string) => io.out(text.trimEnd())
  const server = await listen({
    ...(store && { store }),
    port,
    host,
    origins,
    metrics: true,
    ...serviceOptions(flags),
    ...answers,
    ...(journal && { observers: [journal] }),
    onMistypedDirective: mistypedReporter(io),
    ...(flags.log && { log: { format: flags.log, colorize: io.color, write: writeLine } }),
    ...(keys && { keys: [...new Set(keys)] }),
    ...(seed && { seed }),
    ...speed,
    ...(requestsPerMinute && { requestsPerMinute }),
    ...(patch && { patch }),
  })
  const extras = await startExtras(flags, { server, journal, script: answers.script }, io)
  const print = flags.log === 'json' ? io.err : io.out
  print(bannerText(server, flags, storeName, extras.controlUrl))
  // A young generation that kept growing would hold garbage of requests: 14 KB per open stream.
  setFlagsFromString('--semi-space-growth-factor=1')
  if (!io.signal.aborted) await once(io.signal, 'abort')
  print('Shutting down, waiting for open responses')
  await extras.close()
  await server.close()
  await store?.close()
}

function answersText({ script, replay, record, seed = 1 }: ServeFlags): string {
  const model = `the fake model, seed ${seed}`
  const source = script === undefined ? (replay ?? model) : `${script}, then ${model}`
  return record === undefined ? source : `${source}; recorded in ${record}`
}

/** @throws ConfigurationError for a value that no browser sends as an origin */
function originsOf(values: readonly string[]): readonly string[] {
  for (const value of values) {
    const isOrigin = value === '*' || (URL.canParse(value) && new URL(value).origin === value)
    if (!isOrigin) {
      throw new ConfigurationError([
        `--cors: ${JSON.stringify(value)} is not an origin such as http://localhost:5173, without a path`,
      ])
    }
  }
  return values
}

/** The first lines of a running server, beginning with `Listening on URL`; keys that were given are not printed. */
function bannerText(
  { url, keys, models }: ReferenceServer,
  flags: ServeFlags,
  store: string,
  control: string | undefined,
): string {
  const { fault: faults, dialect: dialects, cors: origins } = flags
  const keysGiven = flags.key !== undefined
  const [key = ''] = keys
  const users = keys.length === 1 ? '' : ` (${keys.length} keys, each is a user)`
  const rows: Readonly<Record<string, string | false | undefined>> = {
    Reference: `${url}/docs`,
    Models: models.map(modelText).join(', '),
    Answers: answersText(flags),
    Faults: faults.join(', ') || 'none',
    Dialects: dialects.join(', '),
    Browsers: origins.length > 0 && `pages of ${origins.join(', ')}`,
    Store: store !== 'memory' && store,
    Control: control,
    'API key': keysGiven ? `as given with --key${users}` : key,
  }
  return [
    `Listening on ${url}`,
    ...Object.entries(rows).flatMap(([name, text]) =>
      text ? [`${`${name}:`.padEnd(11)}${text}`] : [],
    ),
    '',
    ...(keysGiven ? ['Try it, with the key in CHATGEN_API_KEY:'] : ['Try it:']),
    curlCommand(url, keysGiven ? '$CHATGEN_API_KEY' : key),
  ].join('\n')
}

function modelText({ id, aliases }: ReferenceServer['models'][number]): string {
  return aliases.length === 0 ? id : `${id} (${aliases.join(', ')})`
}

/** A command that can be pasted, on lines that fit a terminal. */
function curlCommand(url: string, key: string): string {
  const body = { model: 'SVC-Main', messages: [{ role: 'user', content: 'Hello!' }], stream: true }
  return [
    `curl -N ${url}/api/openai/chat/completions`,
    `-H "Authorization: Bearer ${key}"`,
    "-H 'Content-Type: application/json'",
    `--data '${JSON.stringify(body)}'`,
  ].join(' \\\n  ')
}
