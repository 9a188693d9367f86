import { z } from 'zod'
import { type Capability, capabilities, documentedPrefixes } from '../../../contract/index.ts'
import { limits, members, network, pointer, request, requests, shapes } from './schema-requests.ts'

/** The target profile: everything about a deployment that the document does not show. */

const address = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''))

const prefix = z
  .string()
  .regex(/^(\/[^?#\s]*)?$/, 'must be a path such as /v1')
  .transform((path) => path.replace(/\/+$/, ''))
  .optional()

const key = z.string().min(1)

const capabilityMeaning: Readonly<Record<Capability, string>> = {
  reasoning: 'Reasoning with `think`.',
  images: 'Images as input.',
  video: 'Videos as input.',
  attachments: 'Uploads of attachments.',
  knowledge: 'Knowledge bases.',
  rag: 'Retrieval with `rag`.',
}

function prefixMeaning(name: keyof typeof documentedPrefixes, part: string): string {
  return `Prefix of ${part}, e.g. \`/v1\`; default: \`${documentedPrefixes[name]}\`.`
}

export const targetProfile = z.strictObject({
  baseUrl: address.meta({ description: 'Base URL of the deployment, without `/api`.' }),
  baseUrls: z.array(address).min(1).optional().meta({
    description: 'Two or more endpoints of one service, instead of `baseUrl`; at most 26.',
  }),
  prefixes: z
    .strictObject({
      openai: prefix.meta({ description: prefixMeaning('openai', 'the compatible surface') }),
      v2: prefix.meta({ description: prefixMeaning('v2', 'the native v2 surface') }),
      v3: prefix.meta({ description: prefixMeaning('v3', 'the native v3 surface') }),
      knowledge: prefix.meta({ description: prefixMeaning('knowledge', 'the knowledge bases') }),
    })
    .optional()
    .meta({ description: 'Paths below the base URL if they differ from the interface document.' }),
  auth: z.literal('none').optional().meta({
    description:
      '`none`: a server without keys; its requirements of authentication are not applicable.',
  }),
  apiKey: key.optional().meta({
    description: 'API key of all surfaces, usually a reference to an environment variable.',
  }),
  compatKey: key.optional().meta({
    description: 'API key of the compatible surface; overrides `apiKey`.',
  }),
  nativeToken: key.optional().meta({
    description: 'API key of the native surfaces v2 and v3; overrides `apiKey`.',
  }),
  models: z
    .strictObject({
      main: z.string().default('svc-main-model').meta({ description: 'Id of the main model.' }),
      aliases: z.array(z.string()).optional().meta({
        description: 'Other ids of the main model; default: `SVC-Main` if `main` is not set.',
      }),
      vision: z.string().default('SVC-Vision').meta({
        description: 'Id of the vision model.',
      }),
    })
    .prefault({})
    .transform(({ aliases, ...models }) => ({
      ...models,
      // Section 2.1 names two ids of its own main model; of another, the profile says them.
      aliases: aliases ?? (models.main === 'svc-main-model' ? ['SVC-Main'] : []),
    }))
    .meta({ description: 'Models of the deployment.' }),
  capabilities: z
    .strictObject(
      Object.fromEntries(
        capabilities.map((name) => [
          name,
          z.boolean().optional().meta({ description: capabilityMeaning[name] }),
        ]),
      ) as Record<Capability, z.ZodOptional<z.ZodBoolean>>,
    )
    .prefault({})
    .meta({
      description:
        'Optional features. true: must work; false: not applicable; absent: not tested (`unproven`).',
    }),
  deterministic: z.boolean().default(false).meta({
    description: 'True if the same request always gives the same text.',
  }),
  assistants: z
    .strictObject({
      withKnowledge: z.string().optional().meta({
        description: 'Id of an assistant with a knowledge base.',
      }),
      withoutKnowledge: z.string().optional().meta({
        description: 'Id of an assistant without a knowledge base.',
      }),
      instructions: z.string().optional().meta({
        description: 'Identifier of a prompt or of instructions that v2 accepts as assistant_id.',
      }),
    })
    .optional()
    .meta({ description: 'Assistants that exist on the deployment.' }),
  knowledge: z
    .strictObject({
      baseId: z.string().meta({ description: 'Id of a knowledge base.' }),
      question: z.string().meta({
        description: 'Question that only the documents of the base answer.',
      }),
      expect: z.string().meta({ description: 'Word that the answer must contain.' }),
      routes: z
        .strictObject({
          list: request.optional().meta({ description: 'List of the knowledge bases.' }),
          upload: request.optional().meta({
            description: 'Upload of a document; `{name}` is its file name.',
          }),
          search: request.optional().meta({
            description: 'Search in the base; `{question}` is the text to find.',
          }),
        })
        .optional()
        .meta({
          description:
            'Requests below the prefixes `/api/v3/knowledge` and `/api/knowledge`; `{baseId}` is filled in.',
        }),
    })
    .optional()
    .meta({ description: 'A knowledge base with documents.' }),
  rag: z
    .strictObject({
      object: members.meta({
        description: 'Search settings that the deployment accepts, e.g. `threshold` and `limit`.',
      }),
    })
    .optional()
    .meta({ description: 'The object form of the `rag` field.' }),
  tools: z
    .strictObject({
      search: z.string().optional().meta({ description: 'Name of the search tool.' }),
      name: z.string().optional().meta({
        description: 'Name of a tool that the model calls when asked with `ask`.',
      }),
      ask: z.string().optional().meta({ description: 'Question that makes the model call it.' }),
    })
    .optional()
    .meta({ description: 'Server-side tools.' }),
  v2Chat: z
    .union([
      z.strictObject({
        ids: z.array(z.uuid()).min(1).meta({ description: 'Ids of existing v2 chats.' }),
      }),
      z.strictObject({
        create: request
          .extend({
            id: pointer.optional().meta({
              description: 'JSON pointer to the id in the response; default: found by its value.',
            }),
          })
          .meta({ description: 'Request that creates a v2 chat; `{name}` is its name.' }),
      }),
      z.strictObject({
        anyUuid: z.literal(true).meta({ description: 'Any UUID is the id of a v2 chat.' }),
      }),
    ])
    .optional()
    .meta({ description: 'Origin of v2 chats: one of `ids`, `create` and `anyUuid`.' }),
  recall: z
    .strictObject({
      tell: z
        .string()
        .refine((text) => text.includes('{nonce}'), 'must contain {nonce}')
        .default('My name is {nonce}.')
        .meta({ description: 'Sentence that states the fact `{nonce}`.' }),
      ask: z.string().default('What is my name?').meta({
        description: 'Question whose answer is the fact.',
      }),
    })
    .prefault({})
    .meta({
      description:
        'Wording with which context is tested, in a language that the model understands.',
    }),
  requests,
  shapes,
  otherKey: key.optional().meta({
    description: 'API key of a second user, to test the separation of users.',
  }),
  headers: z.record(z.string(), z.string()).default({}).meta({
    description: 'Headers of every request.',
  }),
  network,
  limits,
})

export type TargetProfile = z.output<typeof targetProfile>
