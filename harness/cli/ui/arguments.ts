import type { Command, Option } from 'commander'

/** The flags of a command line as they were given, without those that are dropped by attribute name. */
export function givenFlags(
  { options }: Pick<Command, 'options'>,
  argv: readonly string[],
  dropped: readonly string[],
): readonly string[] {
  const kept: string[] = []
  for (let at = 0; at < argv.length; at += 1) {
    const token = argv[at] ?? ''
    if (token === '--') break
    const option = options.find(({ long, short }) => [long, short].includes(token.split('=')[0]))
    if (option === undefined) continue
    const hasValue = takesNext(option, token, argv[at + 1])
    if (hasValue) at += 1
    if (dropped.includes(option.attributeName())) continue
    kept.push(token, ...(hasValue ? [argv[at] ?? ''] : []))
  }
  return kept
}

function takesNext({ required, optional }: Option, token: string, next: string | undefined) {
  if (token.includes('=') || next === undefined) return false
  return required || (optional && !next.startsWith('-'))
}

/** The environment without the variables of these flags, given by attribute name. */
export function environmentWithout(
  env: Readonly<Record<string, string | undefined>>,
  dropped: readonly string[],
): Readonly<Record<string, string | undefined>> {
  const variables = dropped.map((name) => {
    return `CHATGEN_${name.replaceAll(/[A-Z]/g, '_$&')}`.toUpperCase()
  })
  return Object.fromEntries(Object.entries(env).filter(([name]) => !variables.includes(name)))
}
