import { z } from 'zod'
import { createRedactor, RedactingWriter } from '../../client/index.ts'
import { asConfigurationError, ConfigurationError } from '../errors.ts'
import { readInputFile } from '../input-file.ts'
import type { TargetProfile } from '../profile/index.ts'
import { targetProfile } from '../profile/schema.ts'
import { mapTexts } from '../profile/schema-requests.ts'
import { profileNames } from '../profile/selection.ts'
import { depths } from '../run-setup.ts'
import { secretsOf } from '../session/secrets.ts'

/**
 * Inputs of a run: `run.json`, stored with its exchanges. With both, any later version can judge the same
 * evidence. It is written before the first request, so that a killed run has it too.
 */
export const runRecord = z.object({
  kind: z.literal('chatgen-run'),
  schemaVersion: z.literal(1),
  suite: z.object({ version: z.string(), interface: z.string() }),
  startedAt: z.string(),
  seed: z.string(),
  /** Part of every Idempotency-Key of the run, so that a run with the same seed has others. */
  keySeed: z.string(),
  strict: z.boolean(),
  /** True for a run without a tag in its requests; absent otherwise. */
  incognito: z.boolean().optional(),
  depth: z.enum(depths),
  /** Limit of generations, which decides the conditions that are tried; absent: the default. */
  maxGenerations: z.int().positive().optional(),
  /** Operations of `--explore`; absent if there were none. */
  explore: z.int().positive().optional(),
  selection: z.object({
    profile: z.enum(profileNames),
    only: z.array(z.string()),
    skip: z.array(z.string()),
  }),
  /** The profile as it took effect, with a mark such as `[api key]` in place of each secret. */
  profile: z.unknown(),
})
export type RunRecord = z.infer<typeof runRecord>

export function writeRunRecord(
  file: string,
  about: Omit<RunRecord, 'kind' | 'schemaVersion' | 'profile'>,
  profile: TargetProfile,
): void {
  const record: RunRecord = {
    kind: 'chatgen-run',
    schemaVersion: 1,
    ...about,
    profile: withoutSecrets(profile),
  }
  new RedactingWriter(secretsOf({ profile })).write(file, `${JSON.stringify(record, null, 2)}\n`)
}

/** @throws ConfigurationError if the file is missing, or is not a record that this version can read. */
export function readRunRecord(file: string): RunRecord {
  const read = () => JSON.parse(readInputFile(file))
  const value: unknown = asConfigurationError(Error, read, 'the settings of the run cannot be read')
  return parsed(runRecord, value, `${file}: `)
}

/** The profile of a record with a placeholder for each key, which becomes the mark again in files. */
export function profileOfRecord({ profile }: RunRecord, file: string): TargetProfile {
  return parsed(targetProfile, mapTexts(profile, standIn), `${file}: profile.`)
}

function parsed<S extends z.ZodType>(schema: S, value: unknown, place: string): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new ConfigurationError(
    result.error.issues.map(({ path, message }) => `${place}${path.join('.')}: ${message}`),
  )
}

const keyFields = ['apiKey', 'compatKey', 'nativeToken', 'otherKey'] as const

function withoutSecrets(profile: TargetProfile): unknown {
  const secrets = secretsOf({ profile })
  const { text } = createRedactor(secrets)
  // Matched by name as well: a key that is too short to be found by its value occurs only here.
  const marked = keyFields.flatMap((field) => {
    const value = profile[field]
    if (value === undefined) return []
    const name = secrets.find((secret) => secret.value === value)?.name ?? 'unused key'
    return [[field, `[${name}]`] as const]
  })
  const { fromVariables: _, ...fields } = profile
  return mapTexts({ ...fields, ...Object.fromEntries(marked) }, text)
}

function standIn(text: string): string {
  const [, name] = /^\[((?:api|other|unused) key|native token)\]$/.exec(text) ?? []
  return name === undefined ? text : `stand-in-for-the-${name.replace(' ', '-')}`
}
