import { z } from 'zod'

/** The container that a run started as its target. */
export const container = z.object({
  /** Image name as given, such as `registry.example.org/chat:1.4`. */
  image: z.string(),
  /** Digest of the image, `sha256:…`: that of its registry if it has one, otherwise its id. */
  digest: z.string(),
  /** Service in the Compose file; null for a container that was started from an image. */
  service: z.string().nullable(),
  /** The last lines of its output if the run has a violation; empty otherwise. */
  log: z.array(z.string()),
})
export type ContainerRow = z.infer<typeof container>
