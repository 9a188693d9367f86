import type { FastifyReply } from 'fastify'

/** Takes the answer from fastify, with the headers that hooks have set. */
export function takeOver(reply: FastifyReply): void {
  reply.hijack()
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value)
  }
}
