import type { Command, Option } from 'commander'
import { shorten, wrap } from '../../reports/text/escape.ts'

/** Lines of a help that fits on two screens. */
const maxLines = 48
const all = 'all'

/**
 * Word after `--help`, such as `network`, if it names a group of flags of the command; the empty string for the
 * short help; null if no help was requested.
 */
export function helpTopicOf(argv: readonly string[], command: Command): string | null {
  const [name = '', ...rest] = argv
  if (name === 'help') return ''
  const end = rest.includes('--') ? rest.indexOf('--') : rest.length
  const at = rest.slice(0, end).findIndex((word) => word === '--help' || word === '-h')
  if (at < 0) return null
  const topic = rest[at + 1] ?? ''
  return topic === all || groupsOf(command).has(topic) ? topic : ''
}

/** Help of a command: its first flags on one line each, the flags of a group, or everything. */
export function helpText(command: Command, topic: string, width: number): string {
  const [information = '', ...after] = wholeHelp(command)
  if (topic === all) return [information, ...after].join('').trimEnd()
  const options = groupsOf(command).get(topic)
  if (options !== undefined) return groupText(command, options, width)
  const flags = firstFlags(command)
  const terms = flags.map((option) => option.flags)
  const column = Math.min(Math.max(...terms.map(({ length }) => length)), 28) + 4
  const lines = [
    `Usage: chatgen ${command.name()} ${command.usage()}`,
    '',
    command.description(),
    '',
    ...command.registeredArguments.map((argument) =>
      line(argument.name(), argument.description, column, width),
    ),
    ...flags.map(({ flags, description }) => line(flags, description, column, width)),
    '',
    `More: ${[...groupsOf(command).keys(), all].map((topic) => `--help ${topic}`).join(', ')}`,
  ]
  const room = maxLines - lines.length
  // Paragraphs are rewrapped; indented lines are kept.
  const more = after
    .join('')
    .trimEnd()
    .replaceAll(/(?<=^\S.*)(?<!:)\n(?=\S)/gm, ' ')
    .split('\n')
    .flatMap((one) => (one.startsWith(' ') ? [one] : wrap(one, width)))
  return [...lines, ...(more.length <= room ? more : shortened(more, room))].join('\n')
}

/** A description that is too long ends before a semicolon, a comma or a parenthesis. */
function line(term: string, description: string, column: number, width: number): string {
  const whole = `  ${term.padEnd(column - 4)}  ${description}`
  if (whole.length <= width) return whole
  const part = /^(.{20,})(?=;|,| \()/.exec(whole.slice(0, width))?.[1] ?? ''
  if (part.length <= column + 12) return shorten(whole, width)
  return part.lastIndexOf('(') > part.lastIndexOf(')') ? `${part})` : part
}

/** The first examples, the exit codes, and other paragraphs that fit. */
function shortened(lines: readonly string[], room: number): readonly string[] {
  const paragraphs = lines.join('\n').trim().split('\n\n')
  const [examples = [], ...others] = paragraphs.map((paragraph) => paragraph.split('\n'))
  const minExamples = 5
  let left = room - 1 - minExamples
  const areCodes = ([first = '']: readonly string[]) => (first.startsWith('Exit codes') ? 0 : 1)
  const kept = others
    .toSorted((a, b) => areCodes(a) - areCodes(b))
    .filter(({ length }) => {
      const fits = length < left
      if (fits) left -= length + 1
      return fits
    })
  return [
    '',
    ...examples.slice(0, minExamples + left),
    ...others.filter((one) => kept.includes(one)).flatMap((one) => ['', ...one]),
  ]
}

/** The text of `--help all` in the pieces in which commander writes it. */
function wholeHelp(command: Command): readonly string[] {
  const parts: string[] = []
  const output = command.configureOutput()
  command.configureOutput({ ...output, writeOut: (text) => parts.push(text) })
  command.outputHelp()
  command.configureOutput(output)
  return parts
}

function groupText(command: Command, options: readonly Option[], width: number): string {
  const help = command.createHelp()
  help.prepareContext({ helpWidth: width })
  const column = Math.max(...options.map((option) => help.optionTerm(option).length))
  return options
    .map((option) =>
      help.formatItem(help.optionTerm(option), column, help.optionDescription(option), help),
    )
    .join('\n')
}

/** Flags by the first word of their heading: `network` of `Network:`. */
function groupsOf(command: Command): ReadonlyMap<string, readonly Option[]> {
  const listed = command.options.filter(
    ({ hidden, helpGroupHeading }) => !hidden && helpGroupHeading,
  )
  return Map.groupBy(listed, ({ helpGroupHeading = '' }) =>
    (/^\w+/.exec(helpGroupHeading)?.[0] ?? '').toLowerCase(),
  )
}

/** Flags that matter to most users of a command with many. */
const first: Readonly<Record<string, string>> = {
  load: `--target --rate --concurrency --duration --ramp --steps --surface --mix --slo --warm-up --workers --strict
    --seed --report --out --ui --json --quiet --verbose --dry-run`,
  capacity: `--target --slo --min --max --precision --budget --probe --concurrency --surface --mix --workers --runner
    --seed --report --out --ui --json --quiet --verbose`,
}

function firstFlags(command: Command): readonly Option[] {
  const names = first[command.name()]?.split(/\s+/)
  const visible = command.options.filter(({ hidden }) => !hidden)
  if (names === undefined) return visible.filter(({ helpGroupHeading }) => !helpGroupHeading)
  return visible.filter(({ long }) => long && names.includes(long))
}
