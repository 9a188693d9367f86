/** Writes what the docs take from the code: docs/interface, target profile, import table. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { requirementIds, requirements } from '../contract/index.ts'
import { targetProfile } from '../harness/conformance/profile/schema.ts'
import { interfacePages } from './docs/interface-pages.ts'
import { withImportTable } from './house/references.ts'

const root = new URL('../', import.meta.url)

/** The part of a JSON Schema that the page shows. */
interface Schema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
}

const introduction = `<!-- Generated from harness/conformance/profile by \`npm run docs\`; edits are overwritten. -->

# Target profile

All fields of a target profile, a YAML or JSON file for \`--target\`. \`chatgen init URL\` writes one with the values that
it detects; [fixtures/targets/reference.yaml](../fixtures/targets/reference.yaml) is a complete example, and
\`schemas/target-profile.schema.json\` the JSON Schema ([file-formats.md](file-formats.md)).

- \`baseUrl\` or \`baseUrls\` is required, unless the command line names the target; a URL and flags on the command line
  override the profile. All other fields are optional, except those marked as required within their object.
- \`\${NAME}\` in any text is replaced by the environment variable \`NAME\`. If it is not set, the command exits with 2.
- Unknown fields are errors, reported with file and line.
- A missing field leaves the requirements in the column "Needed by" undecided (\`unproven\`); without \`deterministic\` they
  are not applicable.`

export function targetProfilePage(): string {
  const schema = z.toJSONSchema(targetProfile, { io: 'input' }) as Schema
  const fields = Object.entries(schema.properties ?? {})
  const groups = fields.filter(([, field]) => membersOf(field).length > 0)
  const single = fields.filter(([, field]) => membersOf(field).length === 0)
  return [
    introduction,
    '',
    '## Deployment',
    '',
    ...table(single.map(([name, field]) => row(name, name, field, false))),
    ...groups.flatMap(([name, field]) => [
      '',
      `## ${name}`,
      '',
      [field.description, neededBy(name) && `Needed by ${neededBy(name)}.`]
        .filter(Boolean)
        .join(' '),
      '',
      ...table(rows('', name, field)),
    ]),
    '',
  ].join('\n')
}

/** Rows of the fields of an object, those of nested objects after their parent. */
function rows(prefix: string, path: string, schema: Schema): readonly string[] {
  return membersOf(schema).flatMap(([name, field, isRequired]) => [
    row(`${prefix}${name}`, `${path}.${name}`, field, isRequired),
    ...rows(`${prefix}${name}.`, `${path}.${name}`, field),
  ])
}

/** Fields of an object, or of the alternatives of a union. */
function membersOf({ properties = {}, required = [], anyOf = [] }: Schema) {
  const own = Object.entries(properties).map(
    ([name, field]) => [name, field, required.includes(name)] as const,
  )
  const ofAlternatives: typeof own = anyOf.flatMap((alternative) =>
    Object.entries(alternative.properties ?? {}).map(
      ([name, field]) => [name, field, false] as const,
    ),
  )
  return [...own, ...ofAlternatives]
}

function row(name: string, path: string, field: Schema, isRequired: boolean): string {
  const { default: standard } = field
  const isEmpty = typeof standard === 'object' && Object.keys(standard ?? {}).length === 0
  const defaultText = standard === undefined || isEmpty ? '' : `\`${JSON.stringify(standard)}\``
  const meaning = (field.description ?? '').replaceAll('|', '\\|')
  const cells = [
    `\`${name}\``,
    typeText(field),
    isRequired ? 'required' : defaultText,
    meaning,
    neededBy(path),
  ]
  return `| ${cells.join(' | ')} |`
}

function table(lines: readonly string[]): readonly string[] {
  return ['| Field | Type | Default | Meaning | Needed by |', '|---|---|---|---|---|', ...lines]
}

function typeText(field: Schema): string {
  const values = field.enum ?? (field.const === undefined ? undefined : [field.const])
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(', ')
  if (field.type === 'array') return field.items?.type ? `list of ${field.items.type}s` : 'list'
  return field.type ?? 'any'
}

/** Requirements that are undecided without a field. */
function neededBy(path: string): string {
  const [, capability] = /^capabilities\.(.*)/.exec(path) ?? []
  const ids = requirementIds.filter((id) => {
    const { member, capability: needed } = requirements[id]
    return member === path || (capability !== undefined && needed === capability)
  })
  return ids.length > maxListed ? `${ids.length} requirements` : ids.join(', ')
}

const maxListed = 6

if (import.meta.main) {
  const docs = new URL('docs/', root)
  writeFileSync(new URL('target-profile.md', docs), targetProfilePage())
  mkdirSync(new URL('interface/', docs), { recursive: true })
  for (const { name, text } of interfacePages()) {
    writeFileSync(new URL(`interface/${name}`, docs), text)
  }
  const architecture = new URL('ARCHITECTURE.md', root)
  writeFileSync(architecture, withImportTable(readFileSync(architecture, 'utf8')))
}
