/** The reference page at /docs: everything it shows comes from this server, nothing from elsewhere. */
import type { StaticDocumentSpec } from '@fastify/swagger'
import { type FastifyInstance, fastify } from 'fastify'
import { ApiError, errorReply } from '../http/errors.ts'
import { takeOver } from '../http/take-over.ts'

const prefix = '/docs'

/** The page is an application of its own, made when it is first asked for: few servers are. */
export function addReferencePage(app: FastifyInstance, document: () => object): void {
  let page: Promise<FastifyInstance> | undefined
  for (const url of [prefix, `${prefix}/*`]) {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      handler: async (request, reply) => {
        page ??= referencePage(document())
        const { routing } = await page
        takeOver(reply)
        routing(request.raw, reply.raw)
      },
    })
  }
}

async function referencePage(document: object): Promise<FastifyInstance> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ])
  const app = fastify()
  app.setNotFoundHandler(async (request, reply) => {
    const error = new ApiError(404, `No such page: ${request.url}`, { code: 'not_found' })
    const { status, headers = {}, body } = errorReply(error)
    return reply.code(status).headers(headers).send(body)
  })
  const specification = { document: document as StaticDocumentSpec['document'] }
  await app.register(swagger, { mode: 'static', specification })
  await app.register(swaggerUi, {
    routePrefix: prefix,
    uiConfig: { docExpansion: 'none', persistAuthorization: true, validatorUrl: 'none' },
  })
  await app.ready()
  return app
}
