import { z } from 'zod'
import { type Capability, capabilities, documentedPrefixes } from '../../../contract/index.ts'
import {
  flag,
  group,
  limits,
  members,
  network,
  optional,
  pointer,
  request,
  requests,
  shapes,
  text,
} from './schema-requests.ts'

/** The target profile: everything about a deployment that the document does not show. */

const address = z
  .url({ protocol: /^https?$/ })
  .refine((url) => !/[?#]/.test(url), 'must have no query and no fragment: paths follow it')
  .transform((url) => url.replace(/\/+$/, ''))

/** Number of endpoints that have a letter. */
const maxEndpoints = 26

const addresses = z
  .array(address)
  .min(1)
  .superRefine((urls, issues) => {
    const repeated = urls.findIndex((url, at) => urls.indexOf(url) < at)
    const message = 'the same endpoint is listed twice'
    if (repeated >= 0) issues.addIssue({ code: 'custom', path: [repeated], message })
    if (urls.length <= maxEndpoints) return
    issues.addIssue({ code: 'custom', message: `at most ${maxEndpoints} endpoints` })
  })

const prefix = z
  .string()
  .regex(/^(\/[^?#\s]*)?$/, 'must be a path such as /v1')
  .transform((path) => path.replace(/\/+$/, ''))
  .optional()

/** Value of a header field (RFC 9110, section 5.5); Node sends no other characters. */
const headerValue = z
  .string()
  .regex(
    /^[\t\x20-\x7e\x80-\xff]*$/,
    'has a line break or another character that is not allowed in a header',
  )

const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'is not the name of a header')

export const key = headerValue
  .min(1)
  .max(16_384, 'has more than 16384 characters, more than a server reads in a header')
  .refine(
    (text) => !/^Bearer\s/i.test(text),
    'begins with "Bearer ", which chatgen adds: remove it',
  )
  .refine(
    (text) => !/^\$[A-Z_][A-Z0-9_]*$/.test(text),
    'is the name of a variable, not its value: put the name in braces after the dollar sign',
  )

const capabilityMeaning: Readonly<Record<Capability, string>> = {
  reasoning: 'Reasoning with `think`.',
  images: 'Images as input.',
  video: 'Videos as input.',
  attachments: 'Uploads of attachments.',
  knowledge: 'Knowledge bases.',
  rag: 'Retrieval with `rag`.',
}

function prefixOf(name: keyof typeof documentedPrefixes, part: string) {
  const usual = documentedPrefixes[name]
  return prefix.describe(`Prefix of ${part}, e.g. \`/v1\`; default: \`${usual}\`.`)
}

export const targetProfile = z.strictObject({
  baseUrl: address.describe('Base URL of the deployment, without `/api`.'),
  baseUrls: optional(
    addresses,
    'Two or more endpoints of one service, instead of `baseUrl`; at most 26.',
  ),
  prefixes: group('Paths below the base URL if they differ from the interface document.', {
    openai: prefixOf('openai', 'the compatible surface'),
    v2: prefixOf('v2', 'the native v2 surface'),
    v3: prefixOf('v3', 'the native v3 surface'),
    knowledge: prefixOf('knowledge', 'the knowledge bases'),
  }),
  auth: optional(
    z.literal('none'),
    '`none`: the server has no keys; requirements of authentication are not applicable.',
  ),
  apiKey: optional(key, 'API key of all surfaces, usually a reference to an environment variable.'),
  compatKey: optional(key, 'API key of the compatible surface; overrides `apiKey`.'),
  nativeToken: optional(key, 'API key of the native surfaces v2 and v3; overrides `apiKey`.'),
  models: z
    .strictObject({
      main: z.string().min(1).default('svc-main-model').describe('Id of the main model.'),
      aliases: optional(
        z.array(text),
        'Other ids of the main model; default: `SVC-Main` if `main` is not set.',
      ),
      vision: z.string().min(1).default('SVC-Vision').describe('Id of the vision model.'),
    })
    .prefault({})
    .transform(({ aliases, ...models }) => ({
      ...models,
      // Section 2.1 names two ids of its own main model; the profile names those of another model.
      aliases: aliases ?? (models.main === 'svc-main-model' ? ['SVC-Main'] : []),
    }))
    .describe('Models of the deployment.'),
  capabilities: z
    .strictObject(
      Object.fromEntries(
        capabilities.map((name) => [name, optional(flag, capabilityMeaning[name])]),
      ) as Record<Capability, z.ZodOptional<z.ZodBoolean>>,
    )
    .prefault({})
    .describe(
      'Optional features. true: must work; false: not applicable; absent: not tested (`unproven`).',
    ),
  deterministic: z
    .boolean()
    .default(false)
    .describe('True if the same request always gives the same text.'),
  assistants: group('Assistants that exist on the deployment.', {
    withKnowledge: optional(text, 'Id of an assistant with a knowledge base.'),
    withoutKnowledge: optional(text, 'Id of an assistant without a knowledge base.'),
    instructions: optional(
      text,
      'Identifier of a prompt or of instructions that v2 accepts as assistant_id.',
    ),
  }),
  knowledge: group('A knowledge base with documents.', {
    baseId: z.string().describe('Id of a knowledge base.'),
    question: z.string().describe('Question that only the documents of the base answer.'),
    expect: z.string().describe('Word that the answer must contain.'),
    routes: group(
      'Requests below the prefixes `/api/v3/knowledge` and `/api/knowledge`; `{baseId}` is filled in.',
      {
        list: optional(request, 'List of the knowledge bases.'),
        upload: optional(request, 'Upload of a document; `{name}` is its file name.'),
        search: optional(request, 'Search in the base; `{question}` is the text to find.'),
      },
    ),
  }),
  rag: group('The object form of the `rag` field.', {
    object: members.describe(
      'Search settings that the deployment accepts, e.g. `threshold` and `limit`.',
    ),
  }),
  tools: group('Server-side tools.', {
    search: optional(text, 'Name of the search tool.'),
    name: optional(text, 'Name of a tool that the model calls when asked with `ask`.'),
    ask: optional(text, 'Question that makes the model call it.'),
  }),
  v2Chat: z
    .union([
      z.strictObject({
        ids: z.array(z.uuid()).min(1).describe('Ids of existing v2 chats.'),
      }),
      z.strictObject({
        create: request
          .extend({
            id: optional(
              pointer,
              'JSON pointer to the id in the response; default: found by its value.',
            ),
          })
          .describe('Request that creates a v2 chat; `{name}` is its name.'),
      }),
      z.strictObject({
        anyUuid: z.literal(true).describe('Any UUID is the id of a v2 chat.'),
      }),
    ])
    .optional()
    .describe('Origin of v2 chats: one of `ids`, `create` and `anyUuid`.'),
  recall: z
    .strictObject({
      tell: z
        .string()
        .refine((text) => text.includes('{nonce}'), 'must contain {nonce}')
        .default('My name is {nonce}.')
        .describe('Sentence that states the fact `{nonce}`.'),
      ask: z.string().default('What is my name?').describe('Question whose answer is the fact.'),
    })
    .prefault({})
    .describe('Wording with which context is tested, in a language that the model understands.'),
  requests,
  shapes,
  otherKey: optional(key, 'API key of a second user, to test the separation of users.'),
  headers: z.record(headerName, headerValue).default({}).describe('Headers of every request.'),
  network,
  limits,
})

export type TargetProfile = z.output<typeof targetProfile> & {
  /** Values of headers and queries that came from variables; no field of the file. */
  readonly fromVariables?: readonly { readonly name: string; readonly value: string }[]
}
