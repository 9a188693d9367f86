/** The reference page at /docs: everything it shows comes from this server, nothing from elsewhere. */
import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'

export async function addReferencePage(app: FastifyInstance, document: object): Promise<void> {
  const specification = { document: document as StaticDocumentSpec['document'] }
  await app.register(swagger, { mode: 'static', specification })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { docExpansion: 'none', persistAuthorization: true, validatorUrl: 'none' },
  })
}
