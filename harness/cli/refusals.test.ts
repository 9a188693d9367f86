import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reportToJson } from '../../reports/text/digest.ts'
import { certificateFile } from '../client/test-support/tls-front.ts'
import { reportOf, resultOf } from '../conformance/test-support/reports.ts'
import { mixEntry } from '../load/plan/mix.ts'
import { simulatedReport } from '../plan/test-support/simulated-report.ts'
import { emptyFolder } from './test-support/chatgen.ts'
import { inProcess } from './test-support/in-process.ts'

/** Command lines that are refused with exit code 2 and a sentence, before anything is sent. */

const places: Readonly<Record<string, string>> = {
  URL: 'http://127.0.0.1:1',
  DIR: emptyFolder(),
  CA: certificateFile('ca.pem'),
  CLIENT_KEY: certificateFile('client-key.pem'),
}

const capacity = simulatedReport({ rates: [1, 2, 4, 5], durationMs: 30_000 })
const capacityWith = (more: Partial<typeof capacity.config>) =>
  reportToJson({ ...capacity, config: { ...capacity.config, ...more } })

const files: Readonly<Record<string, string>> = {
  'mistyped.yaml': `baseUrl: ${places['URL']}\ncapabilites:\n  rag: true\n`,
  'hostile.yaml': 'baseUrl: http://h\n"\\e]0;title\\a\\u202e": 1\n',
  'header.yaml': `baseUrl: ${places['URL']}\nheaders: { X-Tenant: "a\\nb" }\n`,
  'header-name.yaml': `baseUrl: ${places['URL']}\nheaders: { X Tenant: a }\n`,
  'bearer.yaml': `baseUrl: ${places['URL']}\napiKey: Bearer key-of-a-test\n`,
  'name.yaml': `baseUrl: ${places['URL']}\napiKey: $CHATGEN_API_KEY\n`,
  'line.yaml': `baseUrl: ${places['URL']}\napiKey: "key-of-a-test\\n"\n`,
  'empty.yaml': '',
  'long.yaml': `baseUrl: ${places['URL']}\napiKey: key-of-a-test\nlimits: { timeoutMs: 3000000000 }\n`,
  'script.yaml':
    'answers:\n  - match: { txet: a }\n    answer: x\n  - match:\n      turn: 0\n    answr: y\n',
  'late.yaml': 'answers:\n  - answer: late\n    delay: 3000000s\n',
  'unknown-id.yaml': 'OAI-AUHT-01: { because: x }',
  'cut.json': '{"kind":',
  'array.json': '[1]',
  'comparison.json': '{"kind":"comparison"}',
  'load.json': '{"kind":"load-report","schemaVersion":1}',
  'newer.json': '{"kind":"conformance-report","schemaVersion":2}',
  'bare.json': '{"kind":"conformance-report","schemaVersion":1}',
  'capacity.json': capacityWith({}),
  'slow.json': capacityWith({ slos: ['ttft.p95 < 2s'] }),
  'long.json': capacityWith({ mixName: 'chat-long' }),
  'mixed.json': capacityWith({ mix: [mixEntry({ name: 'a', kind: 'v3-json' })] }),
  'closed.json': reportToJson({ ...capacity, loop: 'closed' }),
  'bare-capacity.json': '{"kind":"capacity-report","schemaVersion":1,"probes":3}',
  'bad.csv': 'at,rate\n0,1\n60,many\n',
  'product.yaml': 'vendor: Example AG\nnmae: Chat\n',
  'checked/report.json': reportToJson(reportOf([resultOf('OAI-CHAT-03')])),
  'mix.yaml': 'transactions:\n  - kind: v3-stream\n    wieght: 2\n  - kind: v4\n',
}
mkdirSync(join(places['DIR'] ?? '', 'checked'))
for (const [name, text] of Object.entries(files))
  writeFileSync(join(places['DIR'] ?? '', name), text)

/** A command line, with variables in front and quotes around spaces, and what standard error contains. */
const refused = String.raw`
check --refrence => Did you mean --reference?
chek => Did you mean check?
explain V3-IDEM-2 => Did you mean V3-IDEM-02?
check --reference --only V3-IDM-02 => Did you mean V3-IDEM-02?
check --reference --skip OAI-AUHT => Did you mean OAI-AUTH?
check URL --allow-undecided V3-CHAR-* => V3-CHAR-*
check --reference --profile v4 => Allowed choices are
check --reference --report pdf => unknown report format pdf
check --reference --report toString => unknown report format toString
check --reference --jobs 0 => must be a positive integer
check --reference --update-baseline => --update-baseline needs --baseline FILE
check URL --only '' => --only is empty: give it a value, or omit it
load URL --rate 1 --out '' => --out is empty
CHATGEN_TARGET= CHATGEN_PROFILE= CHATGEN_JOBS= CHATGEN_ONLY= check => no target given: pass a URL
check URL --failed --out DIR => --failed: DIR has no readable report.json from an earlier check
check URL --failed --out DIR/cut.json => --failed: DIR/cut.json has no readable report.json
check URL --failed --out DIR/checked => has results of http://127.0.0.1:4010: run chatgen
check http://127.0.0.1:4010 --failed --only V3-IDEM-01 --out DIR/checked => has no results for this selection
# Targets. An unreachable one is exit code 3, which a mistake in the flags precedes.
check => no target given: pass a URL
check URL --watch DIR/nowhere => --watch: ENOENT
check URL --only NOTHING => NOTHING
check URL --reference => --reference, not both
check --reference --target DIR/nowhere.yaml => --reference, not both
CHATGEN_TARGET=staging.yaml check --reference => --reference, not both
CHATGEN_REFERENCE=yes check URL => --reference, not both
check localhost:4010 => did you mean http://localhost:4010?
check --target DIR/nowhere.yaml => cannot read the target profile
check URL --key-env NO_SUCH => the environment variable NO_SUCH is not set
check URL --key-env __proto__ => the environment variable __proto__ is not set
check URL --prefix openai:/v1 => openai:/v1 is not NAME=/PATH
check URL --prefix opneai=/v1 => opneai=/v1 is not NAME=/PATH
check URL --prefix openai=v1 => openai=v1 is not NAME=/PATH
check URL --prefix openai=/v1,openai=/v2 => openai is given twice
init => missing required argument 'url'
# Files
check --target DIR/mistyped.yaml => mistyped.yaml:2: capabilites: there is no such field. Did you mean capabilities?
check --target DIR/header.yaml => header.yaml:2: headers.X-Tenant: has a line break
check --target DIR/header-name.yaml => headers.X Tenant: is not the name of a header
check --target DIR/bearer.yaml => bearer.yaml:2: apiKey: begins with "Bearer "
check --target DIR/name.yaml => name.yaml:2: apiKey: is the name of a variable, not its value
check --target DIR/line.yaml => line.yaml:2: apiKey: has a line break
CHATGEN_API_KEY=a-key-✓✓✓ check URL => variable CHATGEN_API_KEY has a line break
check --target DIR/empty.yaml => empty.yaml: baseUrl: it is missing
check URL/?a=b => baseUrl: must have no query and no fragment
check --target DIR/hostile.yaml => \x1b]0;title\x07\u202e: there is no such field
check URL --baseline DIR/unknown-id.yaml => Did you mean OAI-AUTH-01?
check URL --baseline DIR/nowhere.yaml => cannot read the baseline
cleanup DIR/nowhere.ndjson => chatgen: the journal cannot be read: ENOENT
cleanup DIR/array.json => array.json is not a journal of chatgen
report DIR/nowhere => no such file or folder: DIR/nowhere
report DIR => DIR has no report.json
report DIR/cut.json => cut.json is not valid JSON
report DIR/array.json => array.json is not a conformance report
report DIR/comparison.json => comparison.json is a comparison, not a conf
report DIR/load.json => load.json: outcome: 
report DIR/newer.json => newer.json has schema version 2
report DIR/bare.json => bare.json: outcome: 
compare DIR/bare.json DIR/nowhere => no such file or folder
compare DIR/load.json DIR/bare.json => reports of different kinds cannot be compared
compare DIR/bare.json DIR/bare.json --tolerance 3% => --tolerance does not apply to a conformance-report
compare DIR/load.json DIR/array.json => load.json is a load-report, DIR/array.json is no report
rejudge DIR => there is no DIR/run.json
certify --reference --product DIR/product.yaml => product.yaml:2: nmae: there is no such field. Did you mean name?
calibrate --out DIR/array.json => is not a calibration of this version: choose another
calibrate --out DIR => is a folder: choose another
ui => nothing to show: pass a URL, --target FILE, --reference, or results folders
ui DIR/nowhere => no such file or folder: DIR/nowhere
ui DIR => DIR has no report.json
ui DIR/comparison.json => is not a chatgen report
ui URL URL => pass one URL
check --target /dev/zero => /dev/zero is a device, a pipe or a socket: pass a regular file
check URL --ca /dev/zero => /dev/zero is a device, a pipe or a socket: pass a regular file
check URL --baseline /dev/zero => /dev/zero is a device, a pipe or a socket: pass a regular file
load URL --mix /dev/zero --rate 1 => /dev/zero is a device, a pipe or a socket: pass a regular file
load URL --replay /dev/zero => /dev/zero is a device, a pipe or a socket: pass a regular file
load URL --upload /dev/zero --rate 1 => /dev/zero is a device, a pipe or a socket: pass a regular file
load URL --rate 1 --upload https://bob:pw@host/report.json => --upload: a URL with a user name or password cannot be used
load URL --rate 1 --upload host/report.json => --upload: there is no URL for shard 0: pass one that begins with https://
serve --script /dev/zero => /dev/zero is a device, a pipe or a socket: pass a regular file
plan --from /dev/zero --demand rate=1/s => /dev/zero is a device, a pipe or a socket: pass a regular file
report /dev/zero => /dev/zero is a device, a pipe or a socket: pass a regular file
cleanup /dev/zero => /dev/zero is a device, a pipe or a socket: pass a regular file
# Output that cannot be written: below a file, in a read-only file system, in a folder that takes no file or does not exist
check URL --out DIR/cut.json/results => --out: cannot create the folder DIR/cut.json/results
load URL --rate 1 --out DIR/cut.json/results => --out: cannot create the folder DIR/cut.json/results
check URL --out /proc/results => --out: cannot create the folder /proc/results
load URL --rate 1 --out /proc/results => --out: cannot create the folder /proc/results
check URL --out /proc/self => --out: cannot write to the folder /proc/self
load URL --rate 1 --out /proc/self => --out: cannot write to the folder /proc/self
init URL --out DIR/cut.json/target.yaml => --out: cannot write to DIR/cut.json/target.yaml
init URL --out /proc/target.yaml => --out: cannot write to /proc/target.yaml
init URL --out DIR/missing/target.yaml => --out: cannot write to DIR/missing/target.yaml
init URL --out DIR/checked => checked is a folder; expected a file
calibrate --out DIR/cut.json/calibration.json => --out: cannot create the folder DIR/cut.json
# Times that a timer would cut to a millisecond
check URL --timeout 3000000000 => must be at most 2147483647 ms (24.8 days)
load URL --rate 1e9 => above 0 and at most 1000000
load URL --rate 90000 --duration 1h => the plan has more than 100000000 transactions
load URL --ramp 0..90000000/10s => the plan has more than 100000000 transactions
capacity URL --slo 'ttft.p95 < 1s' --min 1e9 --max 2e9 => above 0 and at most 1000000
load URL --rate 1 --duration 600h => must be at most 2147483647 ms (24.8 days)
CHATGEN_TIMEOUT=3000000000 check URL => must be at most 2147483647 ms (24.8 days)
check --target DIR/long.yaml => must be at most 2147483647 ms (24.8 days)
load URL --rate 1 --slo 'e2e.p95 < 40000min' => must be at most 2147483647 ms (24.8 days)
serve --pace gap=3000000s => must be at most 2147483647 ms (24.8 days)
serve --script DIR/late.yaml => must be at most 2147483647 ms (24.8 days)
# Network and containers
check URL --http1 --http2 => --http1 and --http2 exclude each other
check URL --ca DIR/missing.pem => --ca (network.ca): the file cannot be read
check URL --ca DIR/array.json => is not in PEM format
check URL --cert CA => --cert needs --cert-key
check URL --cert-key CLIENT_KEY => --cert-key needs --cert
check URL --cert CA --cert-key CLIENT_KEY => are not a certificate and its key
CHATGEN_API_KEY=ab check URL => apiKey has fewer than 8 characters
check URL --resolve chat.test:127.0.0.1 => is not HOST:PORT:ADDRESS
check URL --resolve chat.test:443:elsewhere.test => is not HOST:PORT:ADDRESS
HTTPS_PROXY=socks5://bob:a-secret@127.0.0.1:1080 check https://chat.test => HTTPS_PROXY: it names a socks5:// proxy
HTTPS_PROXY=http://bob:a-secret@:1 check https://chat.test => HTTPS_PROXY: it is not a URL
check --port 80 => --port applies only to --image and --compose
check --ready /healthz => --ready applies only to --image and --compose
check --image chat:1.4 => --image needs --port: the port of the service in its container
check --image chat:1.4 --port 0 => --image needs --port
check --image chat:1.4 --compose a.yaml --port 80 => --image and --compose exclude each other
check --compose a.yaml --port 80 => --compose needs --service: the service to test
check --image chat:1.4 --port 80 --service chat => --service applies only to --compose
check --image chat:1.4 --port 80 --env ABSENT => --env ABSENT: the environment variable is not set
check --image chat:1.4 --port 80 --ready healthz => must be a path such as /healthz
check --image chat:1.4 --port 80 --ready //elsewhere.test/ => must be a path such as /healthz
check --image chat:1.4 --port 80 --env 1=2 => must be NAME=VALUE or NAME
# Load
load => no load given: pass --rate N
load --rate 1 => no target given: pass the URL
load --rat 1 => Did you mean --rate?
load --rate 1 --concurrency 2 => --rate and --concurrency exclude each other
CHATGEN_RATE=1 load --concurrency 2 => no target given
load --rate fast => must be a number of transactions per second
load --rate 1 --duration 30 => must be a time, e.g. 500ms, 30s
load --ramp 0-100 => must be FROM..TO/TIME
load --rate 1 --shard 9/8 => must be I/N
load --rate 1 --mix v3-strem => Did you mean v3-stream?
load --rate 1 --misbehave rude=1 => expected one of slow-reader, abort, churn
load --rate 1 --mix v2 --surface v3 => has no transactions for v3
load --rate 1 --slo 'ttft.p95 < 500' => ttft.p95 < 500
load --rate 1 --mix DIR/mix.yaml --dry-run => mix.yaml:3: transactions.0.wieght: there is no such field. Did you mean weight?
load --rate 1 --mix DIR/mix.yaml => mix.yaml:4: transactions.1.kind: invalid option
load URL --rate 1 --max-refusals 1 => from 0% to 100%, e.g. 1%
load URL --rate 1 --max-refusals 0.01 => from 0% to 100%, e.g. 1%
load URL --rate 1 --max-refusals 101% => from 0% to 100%, e.g. 1%
load URL --rate 1 --max-refusals some => from 0% to 100%, e.g. 1%
capacity URL => no SLO given
capacity URL --slo 'ttft.p95 < 1s' --probe 10m --budget 1m => --probe: a probe of 600000 ms does not fit into the --budget of 60000 ms
capacity URL --slo 'ttft.mean < 1s' => a mean is not a share of requests
capacity URL --slo 'rate > 10/s' => the search itself varies the rate
capacity URL --slo 'ttft.p95 < 1s' --min 9 --max 3 => --min (9) must be below --max (3)
capacity URL --precision 80% => must be from 0.1% to 50%
capacity URL --slo 'ttft.p95 < 1s' --concurrency --min 1.5 => whole numbers of clients
load URL --rate 5 --shards 2 => --shards applies only with --runner
load URL --rate 5 --runner swarm => --runner swarm needs --image
load URL --rate 5 --runner local --shard 0/2 => --runner and --shard exclude each other
load URL --rate 5 --job /nowhere => --job needs --shard
load URL --rate 5 --job /nowhere --shard 0/2 => --job: cannot read the file
compare a b --metric ttft.mean => must be one of ttft.p95, tpot.p95, icl.p95, e2e.p95
bench --only nothing => --only matches no case; cases: compatible stream
bench --duration 1h => must be a duration from 1s to 5m, e.g. 10s
bench --connections 1001 => must be at most 1000
calibrate --rates 5,3 => must be ascending numbers, e.g. 1000,5000,20000
plan --from DIR/capacity.json => no demand given
plan --capacity => pass a capacity report with --from FILE
plan --from DIR/capacity.json --demand rate=x => --demand: cannot read "rate=x"
plan --from DIR/capacity.json --demand nowhere.csv => cannot read nowhere.csv
plan --from DIR/capacity.json --demand DIR/bad.csv => bad.csv:3: rate: must be
plan --from DIR/capacity.json --demand rate=2/s --slo 'ttfo.p95 < 1s' => ttfo is not predicted
plan --from DIR/capacity.json --demand rate=2/s --price cheap => --price: cannot read
plan --from DIR/capacity.json --from DIR/slow.json --demand rate=2/s => slow.json with ttft.p95 < 2s: measure each number of replicas with the same --slo
plan --from DIR/capacity.json --from DIR/long.json --demand rate=2/s => long.json with chat-long 4f53cda1: measure each number of replicas with the same --mix
plan --from DIR/capacity.json --from DIR/mixed.json --demand rate=2/s => mixed.json with v3-stream 57568331: measure each number of replicas with the same --mix
plan --from DIR/capacity.json --from DIR/closed.json --demand rate=2/s => closed.json with closed: measure each number of replicas with the same loop
plan --from DIR/load.json --demand rate=2/s => is a load-report, not a capacity report
plan --from DIR/bare-capacity.json --demand rate=2/s => bare-capacity.json is not a readable capacity-report: 
# The reference server
serve --engine decode=0,decode-per-seq=0 => a token takes time
serve --engine decode=1ms --pace gap=1ms => not both
serve --store sqlite: => expected memory, sqlite:FILE or postgres://USER@HOST/DATABASE
serve --store sqlite:/no/such/folder/chats.sqlite => the file cannot be opened or created
serve --store postgres://ann:a-secret@127.0.0.1:1/chats => ECONNREFUSED
serve --cors http://localhost:5173/app => --cors: "http://localhost:5173/app" is not an origin
serve --cors localhost:5173 => --cors: "localhost:5173" is not an origin
serve --cors null => --cors: "null" is not an origin
serve --requests-per-minute=0 => must be a positive integer
serve --script a.yaml --replay b.yaml => --script and --replay exclude each other
serve --script DIR/script.yaml => script.yaml:2: answers.0.match.txet: there is no such field. Did you mean text?
serve --script DIR/script.yaml => script.yaml:5: answers.1.match.turn: too small: expected number to be >=1
serve --script DIR/script.yaml => script.yaml:6: answers.1.answr: there is no such field. Did you mean answer?
serve --script DIR/script.yaml => script.yaml:4: answers.1: one of error, answer, tool_calls, refusal is required
serve --script DIR/none.yaml => cannot read DIR/none.yaml
serve --record DIR/none/kept.yaml => cannot write DIR/none/kept.yaml
serve --script DIR/late.yaml --record DIR/late.yaml => late.yaml is the file that answers are read from: choose another file
`

const rows = refused.split('\n').filter((row) => row.includes(' => '))

test.each(rows.map((row) => row.split(' => ')))('%s', async (line = '', sentence = '') => {
  const [env, args] = parsed(line)
  const { code, stdout, stderr } = await inProcess(args, env)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(sentence.replaceAll('DIR', places['DIR'] ?? ''))
  expect(stderr).not.toMatch(/internal error|TimeoutOverflowWarning|a-secret/)
  expect([code, stdout]).toEqual([2, ''])
})

/** Variables in front of a command line, and its arguments; single quotes hold spaces. */
function parsed(line: string): [env: Record<string, string>, args: readonly string[]] {
  const tokens = line.match(/'[^']*'|\S+/g) ?? []
  const variables = tokens.filter((token) => /^[A-Z_]+=/.test(token))
  const words = tokens.slice(variables.length).map((token) => token.replaceAll("'", ''))
  const args = words.map((word) =>
    word.replaceAll(/\b(URL|DIR|CA|CLIENT_KEY)\b/g, (name) => places[name] ?? name),
  )
  return [Object.fromEntries(variables.map((one) => one.split(/=(.*)/, 2))), args]
}
