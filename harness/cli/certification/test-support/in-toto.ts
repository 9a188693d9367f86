/**
 * JSON Schema of an in-toto Statement v1 with the predicate test-result v0.1. The project publishes no JSON
 * Schema: this one has the members of its protocol buffers (statement.proto, resource_descriptor.proto,
 * test_result.proto of in-toto/attestation) and the required ones of the specification.
 */

const text = { type: 'string' }
const texts = { type: 'array', items: text }

const resourceDescriptor = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: text,
    uri: text,
    digest: { type: 'object', additionalProperties: text },
    content: text,
    downloadLocation: text,
    mediaType: text,
    annotations: { type: 'object' },
  },
  // Section "Fields" of ResourceDescriptor: at least one of them.
  anyOf: [{ required: ['uri'] }, { required: ['digest'] }, { required: ['content'] }],
}

export const testResultStatement = {
  type: 'object',
  additionalProperties: false,
  required: ['_type', 'subject', 'predicateType', 'predicate'],
  properties: {
    _type: { const: 'https://in-toto.io/Statement/v1' },
    subject: {
      type: 'array',
      minItems: 1,
      items: { ...resourceDescriptor, required: ['digest'] },
    },
    predicateType: { const: 'https://in-toto.io/attestation/test-result/v0.1' },
    predicate: {
      type: 'object',
      additionalProperties: false,
      required: ['result', 'configuration'],
      properties: {
        result: { enum: ['PASSED', 'WARNED', 'FAILED'] },
        configuration: { type: 'array', items: resourceDescriptor },
        url: text,
        passedTests: texts,
        warnedTests: texts,
        failedTests: texts,
      },
    },
  },
}
