import { z } from 'zod'
import { capabilities } from '../../../contract/index.ts'
import { defaultBodyLimits } from '../../client/index.ts'

/** The target profile: everything about a deployment that the document does not show. */

/** Longer timers fire at once (Node.js). */
const maxTimerMs = 2 ** 31 - 1

const size = z.int().positive()

const address = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''))

const pointer = z.string().regex(/^(\/[^/]*)*$/, 'must be a JSON pointer such as /chat/id')

const request = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  path: z.string(),
  query: z.record(z.string(), z.string()).optional(),
  body: z.unknown().optional(),
  /** Name of the file part, where the request is an upload. */
  part: z.string().optional(),
})

export const targetProfile = z.strictObject({
  baseUrl: address,
  /** Two or more endpoints of one service, in place of `baseUrl`. */
  baseUrls: z.array(address).min(1).optional(),
  /** One key for all surfaces. */
  apiKey: z.string().min(1).optional(),
  compatKey: z.string().min(1).optional(),
  nativeToken: z.string().min(1).optional(),
  /** Defaults to the models of section 2.1. */
  models: z
    .strictObject({
      main: z.string().default('svc-main-model'),
      aliases: z.array(z.string()).optional(),
      vision: z.string().default('SVC-Vision'),
    })
    .prefault({})
    .transform(({ aliases, ...models }) => ({
      ...models,
      // Section 2.1 names two ids of its own main model; of another, the profile says them.
      aliases: aliases ?? (models.main === 'svc-main-model' ? ['SVC-Main'] : []),
    })),
  /** True must work, false is not applicable, absent is unproven. */
  capabilities: z
    .strictObject(
      Object.fromEntries(capabilities.map((name) => [name, z.boolean().optional()])) as Record<
        (typeof capabilities)[number],
        z.ZodOptional<z.ZodBoolean>
      >,
    )
    .prefault({}),
  /** True: the same request gives the same text. */
  deterministic: z.boolean().default(false),
  assistants: z
    .strictObject({
      withKnowledge: z.string().optional(),
      withoutKnowledge: z.string().optional(),
      /** Identifier of a prompt or of instructions that v2 knows. */
      instructions: z.string().optional(),
    })
    .optional(),
  knowledge: z
    .strictObject({
      baseId: z.string(),
      question: z.string(),
      expect: z.string(),
      routes: z
        .strictObject({
          list: request.optional(),
          upload: request.optional(),
          search: request.optional(),
        })
        .optional(),
    })
    .optional(),
  rag: z.strictObject({ object: z.record(z.string(), z.unknown()) }).optional(),
  tools: z
    .strictObject({
      search: z.string().optional(),
      name: z.string().optional(),
      ask: z.string().optional(),
    })
    .optional(),
  v2Chat: z
    .union([
      z.strictObject({ ids: z.array(z.uuid()).min(1) }),
      z.strictObject({ create: request.extend({ id: pointer.optional() }) }),
      z.strictObject({ anyUuid: z.literal(true) }),
    ])
    .optional(),
  /** Wording that states a fact and asks for it; `{nonce}` stands for the fact. */
  recall: z
    .strictObject({
      tell: z
        .string()
        .refine((text) => text.includes('{nonce}'), 'must contain {nonce}')
        .default('My name is {nonce}.'),
      ask: z.string().default('What is my name?'),
    })
    .prefault({}),
  /** Bodies that the document does not show. */
  requests: z
    .strictObject({
      createChat: z.record(z.string(), z.unknown()).optional(),
      patchChat: z.record(z.string(), z.unknown()).optional(),
      upload: z
        .strictObject({ part: z.string().optional(), chatField: z.string().optional() })
        .optional(),
      excludeFavorites: z.string().optional(),
      assistant: z.record(z.string(), z.unknown()).optional(),
      runs: z.array(z.unknown()).optional(),
      /** Members without which a v3 generation or a one-shot is refused. */
      generate: z.record(z.string(), z.unknown()).optional(),
      oneShot: z.record(z.string(), z.unknown()).optional(),
      /** A part of an input message that carries a video; `{url}` stands for its data URL. */
      video: z.record(z.string(), z.unknown()).optional(),
    })
    .prefault({}),
  /** JSON pointers, where discovery by value fails. */
  shapes: z
    .strictObject({
      chatId: pointer.optional(),
      chatList: pointer.optional(),
      chatCursor: pointer.optional(),
      attachment: pointer.optional(),
      attachmentList: pointer.optional(),
      attachmentCursor: pointer.optional(),
      models: pointer.optional(),
    })
    .prefault({}),
  /** Key of a second caller. */
  otherKey: z.string().min(1).optional(),
  /** Sent with every request. */
  headers: z.record(z.string(), z.string()).default({}),
  /** Network access to the target. */
  network: z
    .strictObject({
      /** 1 or 2 to speak this version only; by default ALPN decides. */
      httpVersion: z.literal([1, 2]).optional(),
      /** PEM file of certificate authorities to trust beside the known ones. */
      ca: z.string().min(1).optional(),
      /** True: the certificate of the target is not verified. */
      insecure: z.boolean().optional(),
      /** PEM files of a client certificate and of its key. */
      cert: z.string().min(1).optional(),
      certKey: z.string().min(1).optional(),
      /** URL of an HTTP proxy, in place of HTTPS_PROXY and HTTP_PROXY. */
      proxy: z.string().min(1).optional(),
      /** `HOST:PORT:ADDRESS`, as curl's --resolve. */
      resolve: z.array(z.string()).optional(),
    })
    .optional(),
  limits: z
    .strictObject({
      requestsPerSecond: z.number().positive().optional(),
      /** Longest silence of the target, in milliseconds. */
      timeoutMs: z.number().positive().default(60_000),
      /** Maximum time until a change is visible, in milliseconds. */
      settleMs: z.number().nonnegative().default(2_000),
      /** Longest wait that a Retry-After may ask for, in milliseconds. */
      retryAfterMs: z.number().nonnegative().max(maxTimerMs).default(60_000),
      /** Longest run, in milliseconds. */
      runMs: z
        .number()
        .positive()
        .max(maxTimerMs)
        .default(4 * 3_600_000),
      /** Bytes of all answers of a run together. */
      runBytes: size.default(4 * 1024 ** 3),
      /** Bytes of an unstreamed body, decoded; also of the pages of a list together. */
      bodyBytes: size.default(defaultBodyLimits.bodyBytes),
      /** Bytes of a stream, decoded. */
      streamBytes: size.default(defaultBodyLimits.streamBytes),
      /** Bytes of a line of a stream. */
      lineBytes: size.default(defaultBodyLimits.lineBytes),
      /** Events of a stream. */
      streamEvents: size.default(defaultBodyLimits.streamEvents),
      /** Levels of nesting of JSON. */
      jsonDepth: size.default(200),
      /** Rows of a history, on all of its pages together. */
      historyRows: size.default(10_000),
      /** Pages of a list that are followed. */
      pages: size.default(500),
    })
    .prefault({}),
})

export type TargetProfile = z.output<typeof targetProfile>
