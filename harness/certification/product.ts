import { z } from 'zod'
import { checkDocument, readDocument, type Source } from '../conformance/profile/document.ts'

const line = z
  .string({ error: ({ input }) => (input === undefined ? 'It is missing' : undefined) })
  .trim()
  .min(1, { error: 'It is empty' })
  .max(200)
  .regex(/^[^\p{Cc}]*$/u, { error: 'Control characters are not allowed' })

/** Product file of `--product`. */
export const product = z.strictObject({
  vendor: line,
  name: line,
  version: line,
  /** E-mail address or URL. */
  contact: line,
  /** Digest of the image or the commit: `sha256:…`, `gitCommit:…`. */
  digest: z
    .string()
    .regex(/^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}|gitCommit:[0-9a-f]{40}([0-9a-f]{24})?)$/, {
      error: 'Expected sha256:HEX, sha512:HEX or gitCommit:HEX, in lower case',
    })
    .optional(),
  url: z.url({ protocol: /^https?$/, error: 'Expected an http or https URL' }).optional(),
})
export type Product = z.infer<typeof product>

/**
 * Reads a product file, YAML or JSON.
 * @throws ConfigurationError that names file, line and field of every problem
 */
export function readProduct(source: Source): Product {
  const { value, place } = readDocument(source, 'a product file')
  return checkDocument(product, value, place)
}
