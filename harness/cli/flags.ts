import { InvalidArgumentError, Option } from 'commander'

/** A flag with its environment twin: `--max-requests` is CHATGEN_MAX_REQUESTS. */
export function flag(flags: string, description: string): Option {
  const option = new Option(flags, description)
  return option.env(`CHATGEN_${option.attributeName().replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`)
}

export function positiveInteger(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('must be a whole number from 1 up')
  return value
}

export function portNumber(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0 || value > 65_535) {
    throw new InvalidArgumentError('must be a port from 0 to 65535')
  }
  return value
}

/** May be repeated, and split by commas. */
export function list(text: string, before: readonly string[] = []): string[] {
  return [
    ...before,
    ...text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  ]
}

/** Goes into headers and names. */
export function seed(text: string): string {
  if (!/^[A-Za-z0-9._-]{1,40}$/.test(text)) {
    throw new InvalidArgumentError('must be 1 to 40 letters, digits, dots, dashes or underscores')
  }
  return text
}
