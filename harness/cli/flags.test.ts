import { type Command, InvalidArgumentError } from 'commander'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { messageOf } from '../../contract/text.ts'
import { maxTimerMs, timerLimitText } from '../../contract/timer.ts'
import { ConfigurationError } from '../conformance/errors.ts'
import { helpText, helpTopicOf } from './help.ts'
import { buildProgram } from './main.ts'
import { quietIo } from './test-support/in-process.ts'
import { duration, optionalDuration } from './values.ts'

// The environment is read on each access, so that a test may set it.
const io = quietIo({ env: process.env })

afterEach(() => {
  vi.unstubAllEnvs()
})

const { commands } = await buildProgram(io, () => {})

const switches = commands.flatMap((command) =>
  command.options
    .filter(({ required, optional, envVar }) => !required && !optional && envVar !== undefined)
    .map((option) => ({
      command: command.name(),
      flag: option.long ?? '',
      variable: option.envVar ?? '',
      name: option.attributeName(),
      negated: option.negate,
    })),
)

describe('environment variable of a switch', () => {
  test('exists for switches of all commands', () => {
    expect(switches.length).toBeGreaterThan(25)
    expect(switches.map(({ flag }) => flag)).toEqual(
      expect.arrayContaining(['--dry-run', '--reference', '--no-keep-alive', '--no-color']),
    )
  })

  test.each(switches)(
    'is a boolean for $command $flag: $variable',
    async ({ command, variable, name, flag, negated }) => {
      for (const text of ['true', '1', 'yes', 'TRUE', 'Yes', ' true ']) {
        expect(await settingOf(command, name, { [variable]: text })).toBe(true)
      }
      for (const text of ['false', '0', 'no', 'FALSE', 'No']) {
        expect(await settingOf(command, name, { [variable]: text })).toBe(false)
      }
      for (const text of ['', 'ture', 'on', '2', 'null', 'known.yaml']) {
        const message = await problemOf(command, { [variable]: text })
        expect(message).toContain(variable)
        expect(message).toContain(text)
      }
      // A flag takes precedence, even over an invalid variable.
      expect(await settingOf(command, name, { [variable]: 'ture' }, [flag])).toBe(!negated)
      expect(await settingOf(command, name, {})).toBe(negated ? true : undefined)
      if (!negated) return
      const opposite = variable.replace('CHATGEN_', 'CHATGEN_NO_')
      expect(await settingOf(command, name, { [opposite]: 'yes' })).toBe(false)
      expect(await settingOf(command, name, { [opposite]: 'no' })).toBe(true)
    },
  )

  test('is rejected with one line for each invalid variable', async () => {
    const environment = { CHATGEN_STRICT: 'maybe', CHATGEN_DRY_RUN: '' }
    expect(await problemOf('check', environment)).toMatchInlineSnapshot(`
      "CHATGEN_STRICT is "maybe": expected true or false (or 1, 0, yes, no), or unset
      CHATGEN_DRY_RUN is empty: expected true or false (or 1, 0, yes, no), or unset"
    `)
  })
})

/** Forms in which flags take a time. */
const timeForms: readonly ((time: string) => string)[] = [
  (time) => time,
  (time) => `0..1/${time}`,
  (time) => `1:${time}`,
  (time) => time.replace(/ms$/, ''),
]

/** Flags whose parser converts a time to milliseconds, found by calling it, and those with `<time>`. */
const timed = commands.flatMap((command) =>
  command.options.flatMap(({ long, flags, parseArg }) => {
    if (parseArg === undefined) return []
    const parse = (text: string): unknown => parseArg<unknown>(text, undefined)
    const isBare = /<ms>/.test(flags)
    const form = timeForms.find(
      (write, at) => (at < 3 || isBare) && holds(() => parse(write('1987ms')), 1987),
    )
    if (form === undefined && !/<(time|duration|ms)>/.test(flags)) return []
    return [{ command: command.name(), flag: long ?? '', parse, form }]
  }),
)

describe('a flag with a time', () => {
  test('exists on all commands that need one', () => {
    const found = timed.map(({ command, flag }) => `${command} ${flag}`)
    expect(found).toEqual(
      expect.arrayContaining([
        ...['check --timeout', 'load --timeout', 'load --duration', 'load --ramp', 'load --steps'],
        ...['load --drain', 'load --warm-up', 'load --start-at', 'capacity --budget'],
        ...['capacity --probe', 'capacity --rest', 'bench --timeout', 'bench --duration'],
        ...['calibrate --duration', 'serve --lease', 'serve --drain-delay', 'certify --over'],
      ]),
    )
  })

  test.each(timed)(
    'is rejected above the maximum of a timer: $command $flag',
    ({ parse, form }) => {
      const refusal = (text: string) => {
        try {
          return `accepted: ${JSON.stringify(parse(text))}`
        } catch (error) {
          return error instanceof InvalidArgumentError ? error.message : String(error)
        }
      }
      if (form !== undefined) {
        expect(holds(() => parse(form(`${maxTimerMs}ms`)), maxTimerMs)).toBe(true)
        expect(refusal(form(`${maxTimerMs + 1}ms`))).toBe(timerLimitText)
      }
      fc.assert(
        fc.property(
          fc.bigInt({ min: BigInt(maxTimerMs) + 1n, max: 10n ** 300n }),
          fc.constantFrom('ms', 's', 'm', 'h'),
          fc.constantFrom(...timeForms),
          (count, unit, write) => {
            expect(refusal(write(`${count}${unit}`))).toMatch(/^must be /)
          },
        ),
      )
      // The last are Unix seconds, and a date.
      for (const text of ['1e99', '99999999999', '2199-01-01T00:00:00Z']) {
        expect(refusal(text)).toMatch(/^must be /)
      }
    },
  )
})

/** True if the result of a parser contains a number. */
function holds(parse: () => unknown, leaf: number): boolean {
  const search = (value: unknown): boolean =>
    value === leaf ||
    (typeof value === 'object' && value !== null && Object.values(value).some(search))
  try {
    return search(parse())
  } catch {
    return false
  }
}

/** Flags with the same meaning whose description differs between commands. */
const sameMeaning: Readonly<Record<string, string>> = {
  CHATGEN_BASELINE: 'the file of known violations',
  CHATGEN_DURATION: 'duration of the run',
  CHATGEN_DRY_RUN: 'print the plan without sending anything',
  CHATGEN_JSON: 'JSON on standard output',
  CHATGEN_OVER: 'time from the first round to the last',
  CHATGEN_PROFILE: 'surfaces of the selected requirements',
  CHATGEN_QUIET: 'less output',
  CHATGEN_REFERENCE: 'the bundled reference server as the target',
  CHATGEN_REPORT: 'report formats',
  CHATGEN_SEED: 'seed of the run',
  CHATGEN_SLO: 'an objective',
  CHATGEN_STRICT: 'expected requirements count as well',
  CHATGEN_VERBOSE: 'more output',
}

describe('environment variable', () => {
  const options = commands.flatMap((command) =>
    command.options.map((option) => ({ command: command.name(), option })),
  )
  const byName = Map.groupBy(options, ({ option }) => option.envVar ?? '')
  byName.delete('')

  test.each([...byName].filter(([, uses]) => uses.length > 1))(
    '%s means the same in all commands that read it',
    (name, uses) => {
      expect(new Set(uses.map(({ option }) => option.flags)).size).toBe(1)
      const descriptions = new Set(uses.map(({ option }) => option.description))
      if (descriptions.size > 1) expect(Object.keys(sameMeaning)).toContain(name)
    },
  )

  test.each([...Map.groupBy(options, ({ command }) => command)])(
    'is in the help of chatgen %s for each option',
    (command, uses) => {
      const help = commandNamed(command).helpInformation().replaceAll(/\s+/g, ' ')
      for (const { option } of uses) {
        if (option.envVar && !option.hidden) expect(help).toContain(`env: ${option.envVar}`)
      }
    },
  )

  test('is qualified if the meaning of a flag differs by command', () => {
    const qualified = options
      .map(({ command, option }) => ({ command, name: option.envVar ?? '' }))
      .filter(({ command, name }) => name.startsWith(`CHATGEN_${command.toUpperCase()}_`))
      .map(({ name }) => name)
    expect(qualified).toMatchInlineSnapshot(`
      [
        "CHATGEN_CAPACITY_CONCURRENCY",
        "CHATGEN_PLAN_SEED",
        "CHATGEN_REPORT_OUT",
        "CHATGEN_REJUDGE_OUT",
        "CHATGEN_CERTIFY_KEY",
        "CHATGEN_CERTIFY_PROFILE",
        "CHATGEN_CERTIFY_OUT",
        "CHATGEN_SITE_OUT",
        "CHATGEN_BENCH_ONLY",
        "CHATGEN_BENCH_CONNECTIONS",
        "CHATGEN_BENCH_DURATION",
        "CHATGEN_BENCH_TIMEOUT",
        "CHATGEN_BENCH_BASELINE",
        "CHATGEN_CALIBRATE_DURATION",
        "CHATGEN_CALIBRATE_OUT",
        "CHATGEN_UI_PORT",
        "CHATGEN_SERVE_SEED",
        "CHATGEN_SERVE_REPLAY",
        "CHATGEN_INIT_OUT",
      ]
    `)
  })
})

function commandNamed(name: string, all: readonly Command[] = commands): Command {
  const command = all.find((one) => one.name() === name)
  if (command === undefined) throw new Error(`there is no command ${name}`)
  return command
}

/** Message on an invalid environment; exit code 2. */
async function problemOf(
  name: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const refused = await settingOf(name, '', environment).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(ConfigurationError)
  return messageOf(refused)
}

/** Value of a flag, as the action of the command would see it. */
async function settingOf(
  name: string,
  flag: string,
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<unknown> {
  vi.unstubAllEnvs()
  for (const [variable, value] of Object.entries(environment)) vi.stubEnv(variable, value)
  const program = await buildProgram(io, () => {})
  const command = commandNamed(name, program.commands).action(() => {})
  const operands = command.registeredArguments.filter(({ required }) => required).map(() => 'x')
  await program.parseAsync([name, ...args, ...operands], { from: 'user' })
  return command.getOptionValue(flag)
}

test.each(commands.map((command) => command.name()))(
  'the help of chatgen %s fits on two screens',
  (name) => {
    const lines = helpText(commandNamed(name), '', 80).split('\n')
    expect(lines.length).toBeLessThanOrEqual(48)
    // Examples are for pasting, and exit codes have one line each.
    const isKept = (line: string) => /^ {2}(\$|[\d ]{2})/.test(line)
    expect(lines.filter((line) => line.length > 80 && !isKept(line))).toEqual([])
    expect(lines).toContainEqual(expect.stringMatching(/^More: .*--help all$/))
    // A paragraph is printed completely or not at all.
    expect(lines.at(-1)).toMatch(/^ |\.$/)
  },
)

test.each([60, 80, 120])('at %i columns, brackets of a help line are closed', (columns) => {
  const lines = commands.flatMap((one) => helpText(one, '', columns).split('\n'))
  const flags = lines.filter((line) => line.startsWith('  -') && !line.endsWith('…'))
  expect(flags.length).toBeGreaterThan(100)
  for (const line of flags) expect(line.split('(').length, line).toBe(line.split(')').length)
})

test('--help GROUP shows all flags of a group, --help all everything', () => {
  const check = commandNamed('check')
  expect(helpText(check, 'network', 80)).toContain('env: CHATGEN_RESOLVE')
  expect(helpText(check, 'network', 80)).not.toContain('--image')
  const whole = helpText(check, 'all', 80)
  for (const { long, hidden } of check.options) if (!hidden) expect(whole).toContain(long)
  expect(whole).toContain('Exit codes:')
})

test.each([
  [['check', '--help'], ''],
  [['check', 'http://a', '-h'], ''],
  [['check', '--help', 'network'], 'network'],
  [['check', '--help', 'all'], 'all'],
  [['check', '--help', 'http://a'], ''],
  [['help', 'check'], ''],
  [['check', '--', '--help'], null],
  [['check', 'http://a'], null],
])('%j shows the help topic %j', (argv, topic) => {
  expect(helpTopicOf(argv, commandNamed('check'))).toBe(topic)
})

describe('duration', () => {
  test.each([
    ['500ms', 500],
    ['1.5s', 1500],
    [' 2m ', 120_000],
    ['1h', 3_600_000],
  ])('accepts %s', (text, ms) => {
    expect(duration(text)).toBe(ms)
    expect(optionalDuration(text)).toBe(ms)
  })

  test.each(['', '30', '-1s', '1d', 's', '1 s', 'Infinitys'])('rejects %j', (text) => {
    expect(() => duration(text)).toThrow('must be a time, e.g. 500ms')
    expect(() => optionalDuration(text)).toThrow('must be a time, e.g. 500ms')
  })

  test('rejects 0s unless it is a choice, such as --warm-up 0s', () => {
    expect(() => duration('0s')).toThrow('must be longer than 0')
    expect(optionalDuration('0s')).toBe(0)
  })
})
