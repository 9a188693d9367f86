import { expect, test } from 'vitest'
import { helpText, helpTopicOf } from './help.ts'
import { buildProgram } from './main.ts'
import { quietIo } from './test-support/in-process.ts'

const program = await buildProgram(quietIo(), () => {})
const named = (name: string) => {
  const command = program.commands.find((one) => one.name() === name)
  if (command === undefined) throw new Error(`no command ${name}`)
  return command
}

test.each(program.commands.map((command) => command.name()))(
  'the help of chatgen %s fits on two screens',
  (name) => {
    const lines = helpText(named(name), '', 80).split('\n')
    expect(lines.length).toBeLessThanOrEqual(48)
    // Examples are to be pasted, and exit codes have a line each.
    const isKept = (line: string) => /^ {2}(\$|[\d ]{2})/.test(line)
    expect(lines.filter((line) => line.length > 80 && !isKept(line))).toEqual([])
    expect(lines).toContainEqual(expect.stringMatching(/^More: .*--help all$/))
    // A text is there as a whole, or not at all.
    expect(lines.at(-1)).toMatch(/^ |\.$/)
  },
)

test('a group has its flags whole, and all has everything', () => {
  const check = named('check')
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
])('%j asks for %j', (argv, topic) => {
  expect(helpTopicOf(argv, named('check'))).toBe(topic)
})
